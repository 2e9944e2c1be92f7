// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts recomputation into an order of steps.

#ifndef ZENITH_PASSES_REMAT_RECOMPUTERUNS_H
#define ZENITH_PASSES_REMAT_RECOMPUTERUNS_H

#include "passes/remat/PlanContext.h"

namespace zenith::remat {

/// An order in which what the runs at `places` (before `full`) made is given up
/// at place `full`, unless it is read there, and made again right before its
/// first read behind `full`, kept values at the end; operands that were given
/// up too come first. What becomes useless is gone.
std::vector<unsigned> recomputeRuns(const PlanContext &context,
                                    const TimedOrder &from, unsigned full,
                                    const std::vector<bool> &places);

/// Drops runs whose values nobody reads and whose step runs elsewhere.
void dropUselessRuns(const PlanContext &context, std::vector<unsigned> &order);

} // namespace zenith::remat

#endif // ZENITH_PASSES_REMAT_RECOMPUTERUNS_H
