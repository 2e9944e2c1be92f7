// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps files and reads pipes.

#include "frontends/files/MappedBytes.h"

#include "frontends/files/SystemError.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace zenith;
using namespace zenith::files;

static Result<std::string> readAll(int descriptor, const std::string &path) {
  std::string bytes;
  constexpr size_t step = 1 << 16;
  while (true) {
    size_t old = bytes.size();
    bytes.resize(old + step);
    ssize_t got = ::read(descriptor, bytes.data() + old, step);
    if (got < 0 && errno == EINTR)
      got = 0;
    else if (got <= 0) {
      bytes.resize(old);
      if (got < 0)
        return systemError(path, "cannot read");
      return bytes;
    }
    bytes.resize(old + got);
  }
}

Result<std::shared_ptr<const ByteSource>>
ByteSource::open(const std::string &path) {
  if (path.find('\0') != std::string::npos)
    return invalid("a file name contains a zero byte");
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return systemError(path, "cannot open");
  struct Closer {
    int descriptor;
    ~Closer() { ::close(descriptor); }
  } closer{descriptor};
  struct stat info;
  if (::fstat(descriptor, &info) != 0)
    return systemError(path, "cannot open");
  if (S_ISFIFO(info.st_mode)) {
    auto bytes = readAll(descriptor, path);
    if (!bytes)
      return bytes.error();
    return fromMemory(std::move(*bytes));
  }
  if (!S_ISREG(info.st_mode))
    return invalid(fmt::format("'{}' is not a regular file", path));
  std::shared_ptr<ByteSource> source(new ByteSource);
  source->file = path;
  if (info.st_size > 0) {
    void *data =
        ::mmap(nullptr, info.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (data == MAP_FAILED)
      return systemError(path, "cannot map");
    source->view =
        std::string_view(static_cast<const char *>(data), info.st_size);
    source->mapped = true;
  }
  return std::shared_ptr<const ByteSource>(std::move(source));
}

std::shared_ptr<const ByteSource> ByteSource::fromMemory(std::string bytes) {
  std::shared_ptr<ByteSource> source(new ByteSource);
  source->owned = std::move(bytes);
  source->view = source->owned;
  return source;
}

ByteSource::~ByteSource() {
  if (mapped)
    ::munmap(const_cast<char *>(view.data()), view.size());
}

ByteRange ByteRange::fromMemory(std::string bytes) {
  uint64_t length = bytes.size();
  return {ByteSource::fromMemory(std::move(bytes)), 0, length};
}
