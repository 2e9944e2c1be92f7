// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that are never seen half-written.

#ifndef ZENITH_FRONTENDS_FILES_ATOMICFILE_H
#define ZENITH_FRONTENDS_FILES_ATOMICFILE_H

#include "ir/Error.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace zenith::files {

/// A file that appears under its name only when it is complete: written beside
/// it, then renamed. A link is kept, and its target is replaced. Devices, pipes
/// and open files (/dev/stdout) are written directly.
class AtomicFile {
public:
  explicit AtomicFile(std::string path) : path(std::move(path)) {}
  ~AtomicFile();
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;
  Status open();
  Status write(std::string_view bytes);
  Status commit();
  uint64_t size() const { return written; }

private:
  Status failure(const char *what);
  std::string path, temporary, buffer;
  uint64_t written = 0;
  int descriptor = -1;
};

} // namespace zenith::files

#endif // ZENITH_FRONTENDS_FILES_ATOMICFILE_H
