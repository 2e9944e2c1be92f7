// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores that go past the caches, for buffers that are read again only after
// they have long left them.

#ifndef ZENITH_RUNTIME_STREAMINGSTORES_H
#define ZENITH_RUNTIME_STREAMINGSTORES_H

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

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_STREAMINGSTORES_H
