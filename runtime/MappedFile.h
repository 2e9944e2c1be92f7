// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of parameters, mapped read-only.

#ifndef ZENITH_RUNTIME_MAPPEDFILE_H
#define ZENITH_RUNTIME_MAPPEDFILE_H

#include "runtime/Status.h"

#include <memory>
#include <string>

namespace zenith::runtime {

/// A regular file in the address space. Pages are read when touched and can be
/// dropped again. The file must not shrink while it is mapped: bytes beyond its
/// new end no longer exist.
class MappedFile {
public:
  /// Maps a file; ZENITH_INVALID_INPUT with path and reason where it cannot be
  /// opened or is no regular file. An empty file is fine.
  static StatusOr<std::shared_ptr<MappedFile>> open(const std::string &path);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  /// First of length bytes at offset; ZENITH_INVALID_INPUT where the range
  /// leaves the file, also when the file has shrunk since. Valid as long as
  /// this object; aligned as offset is. A range without bytes gives null.
  StatusOr<const void *> range(int64_t offset, int64_t length) const;

  /// Drops the memory of the pages that lie wholly within the range; they are
  /// read again when touched.
  void release(int64_t offset, int64_t length) const;

  /// Bytes of the file when it was mapped.
  int64_t bytes() const { return length; }
  const std::string &path() const { return name; }

private:
  MappedFile() = default;

  std::string name;
  int descriptor = -1;
  char *start = nullptr;
  int64_t length = 0;
};

/// Drops the memory of the pages that lie wholly within bytes of any read-only
/// mapping of a file; they are read again when touched.
void dropFilePages(const void *data, int64_t bytes);

/// path itself if absolute, else baseDir/path; an empty baseDir is the current
/// directory.
std::string resolvePath(const std::string &baseDir, const std::string &path);

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_MAPPEDFILE_H
