// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Non-temporal stores, for buffers that are read again only long after the
// caches have evicted them, and software prefetch for stores.

#ifndef ZENITH_RUNTIME_STREAMINGSTORES_H
#define ZENITH_RUNTIME_STREAMINGSTORES_H

#include "runtime/TargetClones.h"

#include <atomic>
#include <cstdint>
#include <cstring>

namespace zenith::runtime {

/// Bytes of a cache line.
constexpr int64_t lineBytes = 64;

/// Copies a cache line by non-temporal stores. Both addresses are aligned to
/// lines.
inline void streamLine(uint64_t *to, const uint64_t *from) {
#if defined(__clang__)
  typedef uint64_t Pair __attribute__((vector_size(16)));
  for (int i = 0; i < 4; ++i)
    __builtin_nontemporal_store(reinterpret_cast<const Pair *>(from)[i],
                                reinterpret_cast<Pair *>(to) + i);
#else
  std::memcpy(to, from, lineBytes);
#endif
}

/// After the last streamLine of a task: orders its non-temporal stores before
/// its other stores.
inline void finishStreaming() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

/// Prefetches a line for writing. A prefetch for reading would leave copies in
/// other cores' caches, and the store would wait for their invalidation.
ZENITH_INLINE void prefetchForStore(const void *address) {
#if defined(__x86_64__)
  // Processors without the instruction ignore it; the compiler emits it only
  // for targets that are known to have it.
  asm volatile("prefetchw (%0)" : : "r"(address));
#else
  __builtin_prefetch(address, 1);
#endif
}

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_STREAMINGSTORES_H
