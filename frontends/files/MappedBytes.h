// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes that are not copied: a memory-mapped file or owned memory, and ranges
// of them. Weights travel through a whole frontend as ranges.

#ifndef ZENITH_FRONTENDS_FILES_MAPPEDBYTES_H
#define ZENITH_FRONTENDS_FILES_MAPPEDBYTES_H

#include "ir/Error.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace zenith::files {

/// A mapped file or owned memory.
class ByteSource {
public:
  /// Maps a regular file; reads a pipe to its end.
  static Result<std::shared_ptr<const ByteSource>>
  open(const std::string &path);
  static std::shared_ptr<const ByteSource> fromMemory(std::string bytes);
  ~ByteSource();
  ByteSource(const ByteSource &) = delete;
  ByteSource &operator=(const ByteSource &) = delete;

  std::string_view bytes() const { return view; }
  /// The file's path as it was given; empty for memory.
  const std::string &path() const { return file; }

private:
  ByteSource() = default;
  std::string_view view;
  std::string owned;
  std::string file;
  bool mapped = false;
};

/// A part of a source; keeps it alive.
struct ByteRange {
  std::shared_ptr<const ByteSource> source;
  uint64_t offset = 0;
  uint64_t length = 0;

  static ByteRange fromMemory(std::string bytes);
  std::string_view view() const {
    return source ? source->bytes().substr(offset, length) : std::string_view();
  }
  /// True if the bytes are in a file, which later stages may map themselves.
  bool inFile() const { return source && !source->path().empty(); }
};

} // namespace zenith::files

#endif // ZENITH_FRONTENDS_FILES_MAPPEDBYTES_H
