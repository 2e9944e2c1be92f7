// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Offsets of buffers in one arena, as constants or as expressions over
// dimensions.

#ifndef ZENITH_LOWERING_MEMORY_ARENA_ARENALAYOUT_H
#define ZENITH_LOWERING_MEMORY_ARENA_ARENALAYOUT_H

#include "ir/dims/DimExpr.h"
#include "ir/liveness/Liveness.h"
#include "ir/target/TargetModel.h"

namespace zenith::memory {

/// Bytes to which every offset is aligned: a cache line.
inline constexpr int64_t lineBytes = target::bufferAlignment;

/// Bytes that are needed during some steps.
struct BufferRequest {
  graph::DimExpr bytes;
  liveness::Interval live;
};

struct ArenaLayout {
  std::vector<graph::DimExpr>
      offsets;          ///< one per request; multiples of lineBytes
  graph::DimExpr bytes; ///< of the whole arena
};

/// `bytes` rounded up to whole lines.
graph::DimExpr wholeLines(const graph::DimExpr &bytes);

/// Packs buffers so that two which are live at one step never share a byte,
/// whatever the dimensions are. Buffers of constant sizes, and those of
/// multiples of one expression, are packed by size into the lowest gap. Others
/// share a slot only where the size of one is provably at most that of the
/// slot. Buffers of one step that exceed the first-level cache start at
/// different lines of a cache way where that costs nothing: streams at a
/// distance of a power of two evict each other from the caches.
ArenaLayout layOutArena(llvm::ArrayRef<BufferRequest> requests,
                        const target::TargetModel &target);

} // namespace zenith::memory

#endif // ZENITH_LOWERING_MEMORY_ARENA_ARENALAYOUT_H
