// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory mapped from the system: anonymous, on huge pages where it is large
// enough for them, or of a file.

#ifndef ZENITH_RUNTIME_PAGEBLOCK_H
#define ZENITH_RUNTIME_PAGEBLOCK_H

#include <cstdint>

namespace zenith::runtime {

/// Owns a range of zeroed pages. From 2 MiB on it starts at a multiple of 2 MiB
/// and asks for huge pages, since kernels that stream through it are bound by
/// TLB misses otherwise. Addresses after it may be kept for it to grow.
class PageBlock {
public:
  PageBlock() = default;

  /// At least bytes; empty where the system has no more, or bytes <= 0. A page
  /// costs memory once it is touched.
  static PageBlock allocate(int64_t bytes) {
    return allocate(bytes, bytes, bytes);
  }

  /// The same, at the boundary of a huge page whatever the size. To clear one
  /// takes as long as many kernels, so a block of few pages has small ones.
  static PageBlock allocateAligned(int64_t bytes);

  /// The same with addresses for `most` bytes, where the system has as many.
  static PageBlock allocateToGrow(int64_t bytes, int64_t most);

  /// A block as allocateToGrow's that has the pages of `smaller`, perhaps at
  /// another address: pages once touched are not requested from the system
  /// again. Empty, with `smaller` as it was, where the system refuses.
  static PageBlock grow(PageBlock &smaller, int64_t bytes, int64_t most);

  /// Makes the pages those of a file as long as they are; what they held is
  /// gone. False with errno, and the pages of no use, where the system refuses.
  bool mapFile(int descriptor);

  /// True where the block has at least bytes now, where it is.
  bool extend(int64_t bytes);

  /// Returns the pages after the first bytes, and addresses that were kept, to
  /// the system.
  void shrink(int64_t bytes);

  PageBlock(PageBlock &&other) noexcept { swap(other); }
  PageBlock &operator=(PageBlock &&other) noexcept {
    swap(other);
    return *this;
  }
  ~PageBlock();

  void *data() const { return start; }
  /// Usable bytes; 0 = empty.
  int64_t bytes() const { return length; }
  explicit operator bool() const { return start != nullptr; }

private:
  /// At a boundary as blocks of `alignedAs` bytes are.
  static PageBlock allocate(int64_t bytes, int64_t most, int64_t alignedAs);
  void swap(PageBlock &other) noexcept;

  void *start = nullptr;
  int64_t length = 0, mapped = 0; ///< usable bytes, and those with addresses
};

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_PAGEBLOCK_H
