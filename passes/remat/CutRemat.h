// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What to recompute behind the fullest place, by minimum cuts.

#ifndef ZENITH_PASSES_REMAT_CUTREMAT_H
#define ZENITH_PASSES_REMAT_CUTREMAT_H

#include "passes/remat/PlanContext.h"

namespace zenith::remat {

/// Sets of runs before the fullest place of an order that are worth making
/// again behind it. Each is exact for cost + lambda x bytes at that place, for
/// some lambda: together they are the lower hull of cost over bytes. What is
/// recomputed lives on, which a cut does not see; so values that cross a few
/// places where little crosses are taken as saved, for several distances of
/// these places (Chen et al. 2016 is the distance sqrt(n)).
///
/// Each set is by place in the order; sets of no run are left out.
std::vector<std::vector<bool>>
cutSets(PlanContext &context, const TimedOrder &from, unsigned mostCuts);

} // namespace zenith::remat

#endif // ZENITH_PASSES_REMAT_CUTREMAT_H
