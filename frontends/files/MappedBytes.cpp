// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps files, reads pipes, and writes files that are never seen half-written.
#include "frontends/files/MappedBytes.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace zenith::onnx;

static ModelError systemError(const std::string &path, const char *what) {
  return invalid(fmt::format("{} '{}': {}", what, path, std::strerror(errno)));
}

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

/// What an open file without a name goes by.
static constexpr std::string_view openFiles = "/proc/self/fd/";

static bool isNameless(std::string_view temporary) {
  return temporary.substr(0, openFiles.size()) == openFiles;
}

AtomicFile::~AtomicFile() {
  if (descriptor >= 0)
    ::close(descriptor);
  if (!temporary.empty() && !isNameless(temporary))
    ::unlink(temporary.c_str());
}

Status AtomicFile::failure(const char *what) { return systemError(path, what); }

/// A new file of the folder that has no name yet, so that nothing is left of it
/// however the process ends; -1 where there are no such files.
static int openNameless(const std::string &path) {
  size_t slash = path.rfind('/');
  std::string folder =
      slash == std::string::npos ? "." : path.substr(0, slash + 1);
  int file = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  // It gets its name by way of /proc.
  if (file >= 0 &&
      ::access((std::string(openFiles) + std::to_string(file)).c_str(), F_OK)) {
    ::close(file);
    return -1;
  }
  return file;
}

/// Gives a file without a name that of `path`, or of a new file beside it where
/// there is one: `path` itself only once that is renamed.
static bool giveName(std::string &temporary, const std::string &path) {
  constexpr int attempts = 100;
  std::string name = path;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    if (::linkat(AT_FDCWD, temporary.c_str(), AT_FDCWD, name.c_str(),
                 AT_SYMLINK_FOLLOW) == 0) {
      temporary = attempt == 0 ? "" : name;
      return true;
    }
    if (errno != EEXIST)
      return false;
    name = fmt::format("{}.{}.{}", path, ::getpid(), attempt);
  }
  return false;
}

/// The number of an open file that `path` names, -1 for others.
static int openNumber(std::string_view path) {
  for (std::string_view folder : {openFiles, std::string_view("/dev/fd/")}) {
    int number;
    if (path.substr(0, folder.size()) != folder)
      continue;
    const char *end = path.data() + path.size();
    auto [rest, error] =
        std::from_chars(path.data() + folder.size(), end, number);
    if (error == std::errc() && rest == end)
      return number;
  }
  return -1;
}

/// Goes along links, so that what they lead to is replaced and not they, to a
/// name or an open file. False where they lead nowhere.
static bool followLinks(std::string &path) {
  constexpr int mostLinks = 40; // of the system's
  for (int link = 0; link < mostLinks; ++link) {
    std::error_code none;
    std::filesystem::path from(path),
        to = std::filesystem::read_symlink(from, none);
    if (none || openNumber(path) >= 0)
      return true;
    path = (from.parent_path() / to).string();
  }
  errno = ELOOP;
  return false;
}

Status AtomicFile::open() {
  if (!followLinks(path))
    return failure("cannot open");
  // Standard output may be a file, which others write to as well.
  if (int number = openNumber(path); number >= 0) {
    descriptor = ::fcntl(number, F_DUPFD_CLOEXEC, 0);
    return descriptor < 0 ? failure("cannot open") : noError();
  }
  struct stat old;
  if (::stat(path.c_str(), &old) == 0 && !S_ISREG(old.st_mode) &&
      !S_ISDIR(old.st_mode)) {
    descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    return descriptor < 0 ? failure("cannot open") : noError();
  }
  descriptor = openNameless(path);
  if (descriptor >= 0) {
    temporary = std::string(openFiles) + std::to_string(descriptor);
    return noError();
  }
  std::string pattern = path + ".XXXXXX";
  descriptor = ::mkostemp(pattern.data(), O_CLOEXEC);
  if (descriptor < 0)
    return failure("cannot create");
  temporary = pattern;
  // mkostemp makes private files; a model is as readable as any other new file.
  mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(descriptor, 0666 & ~mask);
  return noError();
}

static bool writeAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t done = ::write(descriptor, bytes.data(),
                           std::min<size_t>(bytes.size(), 1 << 30));
    if (done < 0 && errno != EINTR)
      return false;
    bytes.remove_prefix(done < 0 ? 0 : done);
  }
  return true;
}

Status AtomicFile::write(std::string_view bytes) {
  written += bytes.size();
  constexpr size_t enough = 1 << 16;
  if (buffer.size() + bytes.size() <= enough) {
    buffer.append(bytes);
    return noError();
  }
  if (!writeAll(descriptor, buffer) || !writeAll(descriptor, bytes))
    return failure("cannot write");
  buffer.clear();
  return noError();
}

Status AtomicFile::commit() {
  if (!writeAll(descriptor, buffer))
    return failure("cannot write");
  if (isNameless(temporary) && !giveName(temporary, path))
    return failure("cannot create");
  if (::close(std::exchange(descriptor, -1)) != 0)
    return failure("cannot write");
  if (!temporary.empty() && ::rename(temporary.c_str(), path.c_str()) != 0)
    return failure("cannot create");
  temporary.clear();
  return noError();
}
