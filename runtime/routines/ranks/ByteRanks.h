// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks of states of a few bytes, of which a vector holds one or two.

#ifndef ZENITH_RUNTIME_ROUTINES_RANKS_BYTERANKS_H
#define ZENITH_RUNTIME_ROUTINES_RANKS_BYTERANKS_H

#include "runtime/routines/ranks/RankGroups.h"

namespace zenith::runtime {

/// Writes the bits of the states from `first` to `end`. False where states are
/// no few bytes, or the processor cannot shuffle those of a vector.
bool rankBytes(const RankGroups &groups, int64_t first, int64_t end);

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_ROUTINES_RANKS_BYTERANKS_H
