// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps pages at huge page boundaries.

#include "runtime/PageBlock.h"

#include "runtime/ABI.h"

#include <algorithm>
#include <sys/mman.h>
#include <utility>

namespace zenith::runtime {

/// Huge blocks end at huge pages, others at pages.
static int64_t wholePages(int64_t bytes) {
  constexpr int64_t huge = ZENITH_ARENA_ALIGNMENT, page = 4096;
  int64_t unit = bytes >= huge ? huge : page;
  return (bytes + unit - 1) / unit * unit;
}

PageBlock PageBlock::allocate(int64_t bytes, int64_t most, int64_t alignedAs) {
  PageBlock block;
  constexpr int64_t huge = ZENITH_ARENA_ALIGNMENT, page = 4096;
  if (bytes <= 0 || std::max(bytes, most) > INT64_MAX - 2 * huge)
    return block;
  int64_t unit = alignedAs >= huge ? huge : page;
  int64_t length = wholePages(most);
  int64_t mapped = length + (unit == huge ? huge : 0);
  void *base = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED)
    return block;
  auto address = reinterpret_cast<uintptr_t>(base);
  uintptr_t aligned = (address + unit - 1) / unit * unit;
  if (aligned > address)
    munmap(base, aligned - address);
  if (uintptr_t tail = address + mapped - (aligned + length))
    munmap(reinterpret_cast<void *>(aligned + length), tail);
  block.start = reinterpret_cast<void *>(aligned);
  block.length = wholePages(bytes);
  block.mapped = length;
  // A kernel without huge pages refuses; small pages then do.
  if (bytes >= huge)
    (void)madvise(block.start, length, MADV_HUGEPAGE);
  return block;
}

PageBlock PageBlock::allocateAligned(int64_t bytes) {
  constexpr int64_t huge = ZENITH_ARENA_ALIGNMENT, few = huge / 8;
  int64_t least = bytes > few ? huge : 1;
  return allocate(std::max(bytes, least), std::max(bytes, least), huge);
}

PageBlock PageBlock::allocateToGrow(int64_t bytes, int64_t most) {
  // Smaller blocks have small pages, which larger ones should not have.
  PageBlock block;
  if (bytes >= ZENITH_ARENA_ALIGNMENT && most > bytes)
    block = allocate(bytes, most, bytes);
  return block ? std::move(block) : allocate(bytes);
}

bool PageBlock::extend(int64_t bytes) {
  if (bytes > mapped)
    return false;
  length = std::max(length, wholePages(bytes));
  return true;
}

void PageBlock::shrink(int64_t bytes) {
  int64_t kept = wholePages(bytes);
  if (bytes <= 0 || kept >= mapped)
    return;
  munmap(static_cast<char *>(start) + kept, mapped - kept);
  length = mapped = kept;
}

bool PageBlock::mapFile(int descriptor) {
  return mmap(start, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
              descriptor, 0) != MAP_FAILED;
}

PageBlock PageBlock::grow(PageBlock &smaller, int64_t bytes, int64_t most) {
#ifdef MREMAP_FIXED
  PageBlock block = allocateToGrow(bytes, most);
  if (!block || block.length < smaller.mapped ||
      mremap(smaller.start, smaller.mapped, block.length,
             MREMAP_MAYMOVE | MREMAP_FIXED, block.start) == MAP_FAILED)
    return PageBlock();
  smaller.start = nullptr;
  smaller.length = smaller.mapped = 0;
  return block;
#else
  return PageBlock();
#endif
}

PageBlock::~PageBlock() {
  if (start)
    munmap(start, mapped);
}

void PageBlock::swap(PageBlock &other) noexcept {
  std::swap(start, other.start);
  std::swap(length, other.length);
  std::swap(mapped, other.mapped);
}

} // namespace zenith::runtime
