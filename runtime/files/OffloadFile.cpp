// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A queue of transfers, and the thread that empties it.

#include "runtime/files/OffloadFile.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace zenith::runtime {

static OffloadFile *fileOf(void *user) {
  return static_cast<OffloadFile *>(user);
}

static int32_t recorded(const Status &status, zenith_error *error) {
  if (!status)
    status.record(*error);
  return status.code();
}

OffloadFile::OffloadFile(SpillOptions given) : options(std::move(given)) {
  callbacks = {
      sizeof(callbacks),
      this,
      [](void *user, int64_t bytes, int64_t transfers, zenith_error *error) {
        return recorded(fileOf(user)->begin(bytes, transfers), error);
      },
      [](void *user, const void *from, int64_t offset, int64_t bytes) {
        fileOf(user)->write(from, offset, bytes);
      },
      [](void *user, void *to, int64_t offset, int64_t bytes) {
        fileOf(user)->read(to, offset, bytes);
      },
      [](void *user, int64_t transfers, zenith_error *error) {
        return recorded(fileOf(user)->await(transfers), error);
      },
      [](void *user) { fileOf(user)->end(); }};
}

OffloadFile::~OffloadFile() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  started.notify_all();
  if (worker.joinable())
    worker.join();
}

/// The file, with blocks for so many bytes.
Status OffloadFile::reserve(int64_t bytes) {
  auto refuse = [&](const std::string &reason) {
    return Status::error(ZENITH_OUT_OF_MEMORY,
                         "values of " + std::to_string(bytes) +
                             " bytes find no room in a file: " + reason,
                         options.folder);
  };
  if (options.mostBytes && bytes > options.mostBytes)
    return refuse("it may take " + std::to_string(options.mostBytes));
  if (file.isOpen() && bytes <= reservedBytes)
    return Status();
  if (!file.isOpen())
    file = openNameless(options.folder);
  int error = file.isOpen() ? reserveBlocks(file.get(), bytes) : errno;
  if (error) {
    file = Descriptor();
    reservedBytes = 0;
    return refuse(std::generic_category().message(error));
  }
  reservedBytes = bytes;
  return Status();
}

Status OffloadFile::begin(int64_t bytes, int64_t count) {
  end();
  std::unique_lock<std::mutex> lock(mutex);
  if (Status status = reserve(bytes); !status)
    return status;
  pending.resize(size_t(std::max<int64_t>(count, 1)));
  begun = done = 0;
  failure = 0;
  if (worker.joinable())
    return Status();
  try {
    worker = std::thread([this] { work(); });
  } catch (const std::system_error &error) {
    return Status::error(ZENITH_RUN_FAILED,
                         std::string("no thread for files: ") + error.what(),
                         options.folder);
  }
  return Status();
}

void OffloadFile::start(Transfer transfer) {
  {
    std::unique_lock<std::mutex> lock(mutex);
    finished.wait(lock, [&] { return begun - done < pending.size(); });
    pending[begun++ % pending.size()] = transfer;
  }
  started.notify_one();
}

void OffloadFile::work() {
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    started.wait(lock, [&] { return stopping || done < begun; });
    if (done == begun)
      return;
    Transfer next = pending[done % pending.size()];
    int error = failure;
    lock.unlock();
    if (!error)
      error = next.isRead
                  ? readAll(file.get(), next.memory, next.offset, next.bytes)
                  : writeAll(file.get(), next.memory, next.offset, next.bytes);
    lock.lock();
    failure = error;
    ++done;
    finished.notify_all();
  }
}

Status OffloadFile::await(int64_t count) {
  std::unique_lock<std::mutex> lock(mutex);
  finished.wait(lock, [&] { return done >= size_t(count); });
  if (!failure)
    return Status();
  return Status::error(ZENITH_RUN_FAILED,
                       "a value did not get to a file and back: " +
                           std::generic_category().message(failure),
                       options.folder);
}

void OffloadFile::end() {
  std::unique_lock<std::mutex> lock(mutex);
  finished.wait(lock, [&] { return done == begun; });
}

} // namespace zenith::runtime
