// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of a local search: one value less across the fullest place, one
// recomputation less.

#ifndef ZENITH_PASSES_REMAT_GREEDYREMAT_H
#define ZENITH_PASSES_REMAT_GREEDYREMAT_H

#include "passes/remat/PlanContext.h"

namespace zenith::remat {

/// Brings `plan` under `budget` bytes by recomputing values that cross the
/// fullest place, those of least cost for each byte above the budget first.
/// False where that does not get there; `plan` is then what was reached. Runs
/// of step `banned` are not made again for their own sake (-1: none).
bool bringUnder(PlanContext &context, TimedOrder &plan, int64_t budget,
                int banned = -1);

/// Takes recomputations out of `plan`, the dearest first, as long as it stays
/// within `budget`.
void takeOut(PlanContext &context, TimedOrder &plan, int64_t budget);

/// Places of the runs that are not the first of their step, the dearest first.
std::vector<unsigned> clonePlaces(const PlanContext &context,
                                  const std::vector<unsigned> &order);

/// The order without one run, and without what is useless then.
std::vector<unsigned> withoutRun(const PlanContext &context,
                                 const std::vector<unsigned> &order,
                                 unsigned place);

} // namespace zenith::remat

#endif // ZENITH_PASSES_REMAT_GREEDYREMAT_H
