// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps whole files and checks the ranges that are asked of them.

#include "runtime/MappedFile.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace zenith::runtime {

static Status fileError(const std::string &path, const std::string &reason) {
  return Status::error(ZENITH_INVALID_INPUT, reason, path);
}

static std::string systemReason(const char *action) {
  return std::string("cannot ") + action +
         " the file: " + std::generic_category().message(errno);
}

StatusOr<std::shared_ptr<MappedFile>>
MappedFile::open(const std::string &path) {
  std::shared_ptr<MappedFile> file(new MappedFile);
  file->name = path;
  // Without O_NONBLOCK a named pipe would wait for its writer.
  file->descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file->descriptor < 0)
    return fileError(path, systemReason("open"));
  struct stat info;
  if (fstat(file->descriptor, &info) != 0)
    return fileError(path, systemReason("examine"));
  if (!S_ISREG(info.st_mode))
    return fileError(path, "not a regular file");
  if (info.st_size == 0)
    return file;
  void *start =
      mmap(nullptr, info.st_size, PROT_READ, MAP_PRIVATE, file->descriptor, 0);
  if (start == MAP_FAILED)
    return fileError(path, systemReason("map"));
  file->start = static_cast<char *>(start);
  file->length = info.st_size;
  return file;
}

MappedFile::~MappedFile() {
  if (start)
    munmap(start, length);
  if (descriptor >= 0)
    close(descriptor);
}

StatusOr<const void *> MappedFile::range(int64_t offset,
                                         int64_t rangeLength) const {
  struct stat info;
  int64_t present = length;
  if (fstat(descriptor, &info) == 0)
    present = std::min<int64_t>(present, info.st_size);
  if (offset < 0 || rangeLength < 0 || offset > present ||
      rangeLength > present - offset)
    return fileError(name, "bytes " + std::to_string(offset) + " to " +
                               std::to_string(offset) + " + " +
                               std::to_string(rangeLength) +
                               " lie outside the file of " +
                               std::to_string(present) + " bytes");
  return rangeLength == 0 ? nullptr : static_cast<const void *>(start + offset);
}

void MappedFile::release(int64_t offset, int64_t rangeLength) const {
  if (offset < 0 || rangeLength <= 0 || offset > length ||
      rangeLength > length - offset)
    return;
  // The last page of the file holds nothing else, so it may go with its last
  // byte.
  int64_t page = sysconf(_SC_PAGESIZE);
  if (offset + rangeLength == length)
    rangeLength += (page - length % page) % page;
  dropFilePages(start + offset, rangeLength);
}

void dropFilePages(const void *data, int64_t bytes) {
  uintptr_t page = uintptr_t(sysconf(_SC_PAGESIZE));
  uintptr_t begin = reinterpret_cast<uintptr_t>(data);
  uintptr_t first = (begin + page - 1) / page * page;
  uintptr_t end = (begin + uintptr_t(bytes)) / page * page;
  if (bytes > 0 && first < end)
    (void)madvise(reinterpret_cast<void *>(first), end - first, MADV_DONTNEED);
}

std::string resolvePath(const std::string &baseDir, const std::string &path) {
  if (baseDir.empty() || (!path.empty() && path.front() == '/'))
    return path;
  return baseDir.back() == '/' ? baseDir + path : baseDir + "/" + path;
}

} // namespace zenith::runtime
