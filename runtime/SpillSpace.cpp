// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files without names, and the thread that holds their resident pages to a
// bound.

#include "runtime/SpillSpace.h"

#include "runtime/files/NamelessFile.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <system_error>
#include <unistd.h>

namespace zenith::runtime {

/// Four to eight sizes per power of two, so that a list that grows finds the
/// file that it left. Small ones are a few pages apart: a page more costs less
/// than the calls that make another file.
static int64_t fileBytes(int64_t bytes) {
  constexpr int64_t page = 4096;
  int64_t step = 4 * page;
  while (step * 8 < bytes)
    step *= 2;
  return (bytes + step - 1) / step * step;
}

/// A new file in memory, with its blocks.
StatusOr<PageBlock> SpillSpace::create(int64_t bytes) {
  auto refuse = [&](const std::string &reason) {
    return Status::error(ZENITH_OUT_OF_MEMORY,
                         std::to_string(mappedBytes.load()) +
                             " bytes are in files, and another one has no " +
                             "room: " + reason,
                         options.folder);
  };
  auto failed = [&](int error) {
    return refuse(std::generic_category().message(error));
  };
  if (options.mostBytes && bytes > options.mostBytes - mappedBytes.load())
    return refuse("they may take " + std::to_string(options.mostBytes));
  Descriptor file = openNameless(options.folder);
  if (!file.isOpen())
    return failed(errno);
  PageBlock pages = PageBlock::allocate(bytes);
  if (!pages)
    return refuse("no addresses are left");
  if (int error = reserveBlocks(file.get(), pages.bytes()))
    return failed(error);
  if (!pages.mapFile(file.get()))
    return failed(errno);
  mappings.emplace(pages.data(), pages.bytes());
  mappedBytes += pages.bytes();
  return pages;
}

StatusOr<PageBlock> SpillSpace::map(int64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  if (bytes > INT64_MAX / 4)
    return Status::error(ZENITH_OUT_OF_MEMORY, "no file is as long",
                         options.folder);
  int64_t wanted = fileBytes(bytes);
  auto found = freed.lower_bound(wanted);
  if (found != freed.end() && found->first <= wanted * 2) {
    PageBlock pages = std::move(found->second);
    freed.erase(found);
    liveBytes += pages.bytes();
    return pages;
  }
  StatusOr<PageBlock> pages = create(wanted);
  if (!pages) {
    dropFreed();
    pages = create(bytes);
  }
  if (!pages)
    return pages;
  liveBytes += pages->bytes();
  if (!watcher.joinable())
    try {
      watcher = std::thread([this] { watch(); });
    } catch (const std::system_error &) {
      // Without the thread, the system decides what is resident.
    }
  return pages;
}

void SpillSpace::unmap(PageBlock pages) {
  std::lock_guard<std::mutex> lock(mutex);
  liveBytes -= pages.bytes();
  int64_t bytes = pages.bytes();
  freed.emplace(bytes, std::move(pages));
}

void SpillSpace::trim() {
  std::lock_guard<std::mutex> lock(mutex);
  dropFreed();
}

void SpillSpace::dropFreed() {
  for (auto &[bytes, pages] : freed) {
    mappings.erase(pages.data());
    mappedBytes -= bytes;
  }
  freed.clear();
}

/// Pages stay in the system's cache until it needs the memory; only the process
/// has them no more.
void SpillSpace::evict() {
  for (auto [start, bytes] : mappings)
    (void)madvise(start, size_t(bytes), MADV_DONTNEED);
}

/// Resident bytes of files, other than ours as well; INT64_MAX where the system
/// does not say.
static int64_t residentFileBytes(int statm) {
  char text[128] = {};
  long long total, resident, shared;
  if (pread(statm, text, sizeof(text) - 1, 0) <= 0 ||
      std::sscanf(text, "%lld %lld %lld", &total, &resident, &shared) != 3)
    return INT64_MAX;
  return shared * sysconf(_SC_PAGESIZE);
}

void SpillSpace::watch() {
  constexpr auto pause = std::chrono::microseconds(500);
  Descriptor statm(open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
  // What is resident right after pages went belongs to other files.
  int64_t others = residentFileBytes(statm.get());
  std::unique_lock<std::mutex> lock(mutex);
  while (!stopped.wait_for(lock, pause, [&] { return stopping; })) {
    // Pages come while this thread waits for a core.
    constexpr int64_t margin = 32 << 20;
    int64_t bound = residentBytes.load(),
            most = std::max(bound - margin, bound / 4);
    if (mappedBytes.load() <= most)
      continue;
    lock.unlock();
    int64_t resident = residentFileBytes(statm.get());
    lock.lock();
    if (resident - others <= most)
      continue;
    evict();
    int64_t left = residentFileBytes(statm.get());
    // Kernels ask for pages meanwhile, but not for this many.
    constexpr int64_t otherFiles = 64 << 20;
    if (left < others || left - others > std::max(most, otherFiles))
      others = left;
  }
}

SpillSpace::~SpillSpace() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  stopped.notify_all();
  if (watcher.joinable())
    watcher.join();
}

std::string spillFolder() {
  const char *named = std::getenv("TMPDIR");
  for (const char *folder : {named ? named : "", "/var/tmp", "/tmp"}) {
    struct statfs system;
    if (*folder && statfs(folder, &system) == 0 &&
        system.f_type != TMPFS_MAGIC && system.f_type != RAMFS_MAGIC &&
        access(folder, W_OK | X_OK) == 0)
      return folder;
  }
  return std::string();
}

} // namespace zenith::runtime
