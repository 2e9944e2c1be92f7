// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact search for offsets within a capacity.

#ifndef ZENITH_LOWERING_MEMORY_ARENA_ARENASEARCH_H
#define ZENITH_LOWERING_MEMORY_ARENA_ARENASEARCH_H

#include "lowering/memory/arena/PackedBuffer.h"

namespace zenith::memory {

/// Gives all buffers offsets within `capacity`; false, with the offsets as they
/// were, where there are none or `backtracks`, which counts down, is used up.
///
/// The search of MiniMalloc (Moffitt 2023): buffers are placed by ascending
/// offsets, each as low as the ones below it allow, so that every layout has
/// one form; a node fails where what is still to come at some time does not fit
/// above what is there, or where a buffer that was passed over has nothing to
/// lie on; what time separates is solved apart.
bool searchOffsets(llvm::MutableArrayRef<PackedBuffer> buffers,
                   int64_t capacity, uint64_t &backtracks);

} // namespace zenith::memory

#endif // ZENITH_LOWERING_MEMORY_ARENA_ARENASEARCH_H
