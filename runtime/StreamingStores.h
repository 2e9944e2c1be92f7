// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stores say about caches: those that go past them, for buffers that are
// read again only after they have long left them, and lines asked for in time.

#ifndef ZENITH_RUNTIME_STREAMINGSTORES_H
#define ZENITH_RUNTIME_STREAMINGSTORES_H

#include "runtime/ProcessorClones.h"

#include <atomic>
#include <cstdint>
#include <cstring>

namespace zenith::runtime {

/// Bytes of a cache line.
constexpr int64_t lineBytes = 64;

/// Copies a line to one that is not read into the caches for it. Both are
/// aligned to lines.
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

/// After the last of a task's streamLine: other threads see them as they see
/// its other stores.
inline void finishStreaming() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

/// Asks for a line that will be written. Where the processor cannot tell that
/// from reading, another one's copy stays, and the store waits for it to go.
ZENITH_INLINE void askForStore(const void *address) {
#if defined(__x86_64__)
  // A processor that lacks the instruction ignores it; the compiler takes it
  // only for those that are known to have it.
  asm volatile("prefetchw (%0)" : : "r"(address));
#else
  __builtin_prefetch(address, 1);
#endif
}

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_STREAMINGSTORES_H
