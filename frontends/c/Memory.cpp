// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts before it allocates, so that a budget holds under any number of
// threads.

#include "frontends/c/Memory.h"

#include <cstdlib>
#include <sys/mman.h>

using namespace zenith::c;

static thread_local int64_t calls = 0;
static constexpr size_t hugePage = size_t(2) << 20;

int64_t Memory::callsOfThread() { return calls; }

void *Memory::allocateBy(const zenith_allocator &allocator, size_t bytes,
                         size_t alignment, zenith_memory_kind kind) noexcept {
  ++calls;
  if (bytes == 0)
    bytes = 1;
  if (allocator.alloc)
    return allocator.alloc(allocator.user, bytes, alignment, kind);
  if (bytes > SIZE_MAX / 2)
    return nullptr;
  if (alignment <= alignof(std::max_align_t))
    return std::malloc(bytes);
  void *pointer = nullptr;
  if (::posix_memalign(&pointer, alignment, bytes))
    return nullptr;
  // Kernels that stream through planned memory are bound by TLB misses without.
  if (alignment == hugePage && bytes >= hugePage)
    (void)::madvise(pointer, bytes / hugePage * hugePage, MADV_HUGEPAGE);
  return pointer;
}

void Memory::freeBy(const zenith_allocator &allocator, void *pointer,
                    size_t bytes, zenith_memory_kind kind) noexcept {
  if (!pointer)
    return;
  if (!allocator.alloc)
    std::free(pointer);
  else if (allocator.free)
    allocator.free(allocator.user, pointer, bytes ? bytes : 1, kind);
}

bool Memory::lendPages(void *pointer, size_t bytes) const noexcept {
#ifdef MADV_FREE
  uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  if (allocator.alloc || bytes < hugePage || address % hugePage)
    return false;
  return !::madvise(pointer, bytes / hugePage * hugePage, MADV_FREE);
#else
  return false;
#endif
}

static bool isBounded(zenith_memory_kind kind) {
  return kind == ZENITH_MEMORY_ARENA || kind == ZENITH_MEMORY_POOL ||
         kind == ZENITH_MEMORY_ARRAY;
}

bool Memory::reserve(int64_t bytes) {
  if (bounded.fetch_add(bytes) + bytes <= budget)
    return true;
  bounded -= bytes;
  return false;
}

void *Memory::allocate(size_t bytes, size_t alignment, zenith_memory_kind kind,
                       bool *overBudget) noexcept {
  if (overBudget)
    *overBudget = false;
  if (bytes > size_t(INT64_MAX) / 2)
    return nullptr;
  bool isCounted = budget > 0 && isBounded(kind);
  if (isCounted && !reserve(int64_t(bytes))) {
    if (overBudget)
      *overBudget = true;
    return nullptr;
  }
  void *pointer = allocateBy(allocator, bytes, alignment, kind);
  if (!pointer) {
    if (isCounted)
      bounded -= int64_t(bytes);
    return nullptr;
  }
  Count &count = counts[kind];
  int64_t now = count.live.fetch_add(int64_t(bytes)) + int64_t(bytes);
  for (int64_t seen = count.peak; seen < now;)
    if (count.peak.compare_exchange_weak(seen, now))
      break;
  return pointer;
}

void Memory::free(void *pointer, size_t bytes,
                  zenith_memory_kind kind) noexcept {
  if (!pointer)
    return;
  freeBy(allocator, pointer, bytes, kind);
  counts[kind].live -= int64_t(bytes);
  if (budget > 0 && isBounded(kind))
    bounded -= int64_t(bytes);
}
