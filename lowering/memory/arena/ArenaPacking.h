// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Offsets of buffers: best fit, then search.

#ifndef ZENITH_LOWERING_MEMORY_ARENA_ARENAPACKING_H
#define ZENITH_LOWERING_MEMORY_ARENA_ARENAPACKING_H

#include "lowering/memory/arena/PackedBuffer.h"

namespace zenith::memory {

/// Large buffers of one time start at different lines of a cache way where
/// there is room: streams at a distance of a power of two evict each other from
/// the caches.
struct CacheSkew {
  int64_t lineBytes, wayBytes;
  int64_t leastBytes; ///< buffers from this size on
};

/// Packs by size, each into the lowest gap; returns the total.
int64_t packBySize(llvm::MutableArrayRef<PackedBuffer> buffers,
                   const CacheSkew *skew);

/// The same, and where that takes more than mostLive(), with skew more than
/// 1/64 above it, then without skew, then by search with at most
/// `mostBacktracks` for each capacity tried (ArenaSearch.h); returns the least
/// total found.
int64_t packBuffers(llvm::MutableArrayRef<PackedBuffer> buffers,
                    const CacheSkew *skew, uint64_t mostBacktracks);

} // namespace zenith::memory

#endif // ZENITH_LOWERING_MEMORY_ARENA_ARENAPACKING_H
