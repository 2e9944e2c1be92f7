// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The planner of memory: from a memory graph to the list of its plans.

#ifndef ZENITH_PASSES_REMAT_PLANMEMORY_H
#define ZENITH_PASSES_REMAT_PLANMEMORY_H

#include "passes/remat/MemoryGraph.h"
#include "passes/remat/RematPlan.h"

namespace zenith::remat {

struct PlanOptions {
  bool recompute = true; ///< false: each step once, in the best order found
  /// Limit of counted work: about one unit for each step of an order that is
  /// looked at. Never time, so that a plan does not depend on the machine. 0:
  /// by the size of the graph, about a second for a thousand steps and more.
  uint64_t maxWork = 0;
};

/// Units of work that a machine of today does in a millisecond.
inline constexpr uint64_t workPerMillisecond = 35'000;

/// The plans of a graph that checkGraph() accepts. The first has the least
/// peak found among those of least cost: without recomputation. The list
/// depends on nothing but the graph and the options: no budget is asked for, so
/// that what a budget gets is monotone.
PlanList planMemory(const MemoryGraph &graph, const PlanOptions &options = {});

} // namespace zenith::remat

#endif // ZENITH_PASSES_REMAT_PLANMEMORY_H
