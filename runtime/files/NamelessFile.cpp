// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// System calls on files without names.

#include "runtime/files/NamelessFile.h"

#include "runtime/Stopwatch.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace zenith::runtime {

Descriptor::~Descriptor() {
  if (number >= 0)
    close(number);
}

Descriptor openNameless(const std::string &folder) {
  int file = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
    return Descriptor(file);
  // Not every file system has such files: the name goes at once.
  std::string name = folder + "/zenith.XXXXXX";
  file = mkostemp(name.data(), O_CLOEXEC);
  if (file >= 0)
    (void)unlink(name.c_str());
  return Descriptor(file);
}

int reserveBlocks(int file, int64_t bytes) {
  // Beyond this limit the system would send a signal.
  rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      uint64_t(bytes) > limit.rlim_cur)
    return EFBIG;
  int error;
  do
    error = posix_fallocate(file, 0, bytes);
  while (error == EINTR);
  return error;
}

/// `step` moves at most so many bytes at an offset, and says how many or -1.
template <typename Step>
static int moveAll(int64_t offset, int64_t bytes, int errorAtEnd, Step step) {
  while (bytes > 0) {
    ssize_t moved = step(offset, size_t(std::min<int64_t>(bytes, 1 << 30)));
    if (moved < 0 && errno == EINTR)
      continue;
    if (moved <= 0)
      return moved < 0 ? errno : errorAtEnd;
    offset += moved;
    bytes -= moved;
  }
  return 0;
}

int writeAll(int file, const void *from, int64_t offset, int64_t bytes) {
  const char *start = static_cast<const char *>(from) - offset;
  return moveAll(offset, bytes, ENOSPC, [&](int64_t at, size_t count) {
    return pwrite(file, start + at, count, at);
  });
}

int readAll(int file, void *to, int64_t offset, int64_t bytes) {
  char *start = static_cast<char *>(to) - offset;
  return moveAll(offset, bytes, EIO, [&](int64_t at, size_t count) {
    return pread(file, start + at, count, at);
  });
}

StatusOr<int64_t> measureFileRate(const std::string &folder) {
  constexpr int64_t bytes = 8 << 20, least = 1 << 26, most = int64_t(1) << 34;
  Descriptor file = openNameless(folder);
  if (!file.isOpen())
    return Status::error(
        ZENITH_USAGE,
        "takes no files: " + std::generic_category().message(errno), folder);
  std::vector<char> data(size_t(bytes), 1);
  Stopwatch watch;
  // A run that finds no room says so.
  if (reserveBlocks(file.get(), bytes) ||
      writeAll(file.get(), data.data(), 0, bytes) ||
      readAll(file.get(), data.data(), 0, bytes))
    return least;
  double rate = 2e3 * double(bytes) / std::max(watch.ms(), 1e-3);
  int64_t rounded = least;
  while (rounded < most && 2 * double(rounded) <= rate)
    rounded *= 2;
  return rounded;
}

} // namespace zenith::runtime
