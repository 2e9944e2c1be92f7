// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers with lifetimes, as plain numbers.

#ifndef ZENITH_LOWERING_MEMORY_ARENA_PACKEDBUFFER_H
#define ZENITH_LOWERING_MEMORY_ARENA_PACKEDBUFFER_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace zenith::memory {

/// A buffer that is needed from `begin` to `end`, both included. Sizes and
/// offsets are in any one unit.
struct PackedBuffer {
  int64_t size = 0;
  int64_t begin = 0, end = 0;
  int64_t alignment = 1; ///< what the offset is a multiple of
  int64_t offset = -1;   ///< the answer
};

/// The most that is live at a time: no layout takes less.
int64_t mostLive(llvm::ArrayRef<PackedBuffer> buffers);

} // namespace zenith::memory

#endif // ZENITH_LOWERING_MEMORY_ARENA_PACKEDBUFFER_H
