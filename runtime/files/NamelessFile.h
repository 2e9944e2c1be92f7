// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that have no name: nothing is left of them when the process ends,
// however it does.

#ifndef ZENITH_RUNTIME_FILES_NAMELESSFILE_H
#define ZENITH_RUNTIME_FILES_NAMELESSFILE_H

#include "runtime/Status.h"

#include <cstdint>
#include <string>

namespace zenith::runtime {

/// A descriptor that closes itself.
class Descriptor {
public:
  explicit Descriptor(int number = -1) : number(number) {}
  ~Descriptor();
  Descriptor(Descriptor &&other) noexcept : number(other.number) {
    other.number = -1;
  }
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number, other.number);
    return *this;
  }

  int get() const { return number; }
  bool isOpen() const { return number >= 0; }

private:
  int number;
};

/// A new file in `folder`, readable and writable; closed, with errno, where
/// there is none.
Descriptor openNameless(const std::string &folder);

/// Takes the blocks of the first bytes of a file now: a full disk is met here.
/// An errno, 0 for success.
int reserveBlocks(int file, int64_t bytes);

/// Writes or reads all of `bytes`; an errno, 0 for success.
int writeAll(int file, const void *from, int64_t offset, int64_t bytes);
int readAll(int file, void *to, int64_t offset, int64_t bytes);

/// About how many bytes a second go to a file of `folder`, and come back:
/// measured with a few megabytes, and rounded down to a power of two so that
/// what is decided by it does not change from run to run. ZENITH_USAGE where
/// the folder takes no files.
StatusOr<int64_t> measureFileRate(const std::string &folder);

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_FILES_NAMELESSFILE_H
