// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a file without a name, or with one of its own, and renames it when it
// is complete.

#include "frontends/files/AtomicFile.h"

#include "frontends/files/SystemError.h"

#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace zenith;
using namespace zenith::files;

/// The names of open files without a path begin with this.
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

/// A new file of the folder that has no name yet, so that nothing of it remains
/// however the process ends; -1 if the file system has no such files.
static int openNameless(const std::string &path) {
  size_t slash = path.rfind('/');
  std::string folder =
      slash == std::string::npos ? "." : path.substr(0, slash + 1);
  int file = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  // It gets its name through /proc.
  if (file >= 0 &&
      ::access((std::string(openFiles) + std::to_string(file)).c_str(), F_OK)) {
    ::close(file);
    return -1;
  }
  return file;
}

/// Gives a file without a name the name `path`, or a new name beside it if
/// `path` exists: `path` itself then follows by renaming.
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

/// The descriptor of an open file that `path` names, -1 for others.
static int openDescriptor(std::string_view path) {
  for (std::string_view folder : {openFiles, std::string_view("/dev/fd/")}) {
    int open;
    if (path.substr(0, folder.size()) != folder)
      continue;
    const char *end = path.data() + path.size();
    auto [rest, error] =
        std::from_chars(path.data() + folder.size(), end, open);
    if (error == std::errc() && rest == end)
      return open;
  }
  return -1;
}

/// Follows links to a name or an open file, so that the target is replaced and
/// not the link. False if a link leads nowhere.
static bool followLinks(std::string &path) {
  constexpr int mostLinks = 40; // of the system's
  for (int link = 0; link < mostLinks; ++link) {
    std::error_code none;
    std::filesystem::path from(path),
        to = std::filesystem::read_symlink(from, none);
    if (none || openDescriptor(path) >= 0)
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
  if (int open = openDescriptor(path); open >= 0) {
    descriptor = ::fcntl(open, F_DUPFD_CLOEXEC, 0);
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
  // mkostemp makes private files; the file must be as readable as any other new
  // file.
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
