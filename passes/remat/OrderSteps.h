// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders of runs that need less memory, without recomputing anything more.

#ifndef ZENITH_PASSES_REMAT_ORDERSTEPS_H
#define ZENITH_PASSES_REMAT_ORDERSTEPS_H

#include "passes/remat/PlanContext.h"

namespace zenith::remat {

/// List scheduling by memory: first runs that free at least what they make, or
/// make next to nothing, come as soon as their operands are there; runs that
/// make more than they free come right before their first reader; others keep
/// their order.
std::vector<unsigned> releaseOrder(const PlanContext &context,
                                   const TimedOrder &from);

/// Each step once, depth first from the steps that nobody reads; operands whose
/// subtrees need most beyond their result come first (Sethi and Ullman 1970).
std::vector<unsigned> depthFirstOrder(const PlanContext &context);

/// Reorders the runs around the fullest place by beam search, as long as that
/// lowers the peak.
void reorderFullest(PlanContext &context, TimedOrder &order);

} // namespace zenith::remat

#endif // ZENITH_PASSES_REMAT_ORDERSTEPS_H
