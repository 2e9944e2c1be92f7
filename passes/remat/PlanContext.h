// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all parts of the planner share: the graph with derived tables, and the
// work that is left.

#ifndef ZENITH_PASSES_REMAT_PLANCONTEXT_H
#define ZENITH_PASSES_REMAT_PLANCONTEXT_H

#include "passes/remat/MemoryTimeline.h"
#include "passes/remat/RematPlan.h"

namespace zenith::remat {

/// A memory graph with tables, and counted work.
struct PlanContext {
  PlanContext(const MemoryGraph &graph, uint64_t maxWork);

  const MemoryGraph &graph;
  std::vector<int> writers; ///< of values; -1: outside
  /// Steps that may run again: other steps may wait for the first run of a step
  /// only (MemoryStep::after), so those that are waited for run once.
  std::vector<bool> mayRepeat;
  uint64_t maxWork, work = 0;

  bool hasWork() const { return work < maxWork; }
  /// Simulates, counted as work.
  void simulate(llvm::ArrayRef<unsigned> order, MemoryTimeline &timeline);
};

/// An order with its timeline.
struct TimedOrder {
  std::vector<unsigned> order;
  MemoryTimeline timeline;
};

} // namespace zenith::remat

#endif // ZENITH_PASSES_REMAT_PLANCONTEXT_H
