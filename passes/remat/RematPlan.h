// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders of steps with repeats, and the list of them from which a budget picks.

#ifndef ZENITH_PASSES_REMAT_REMATPLAN_H
#define ZENITH_PASSES_REMAT_REMATPLAN_H

#include <cstdint>
#include <vector>

namespace zenith::remat {

/// One way to run a memory graph.
struct RematPlan {
  /// Indices of steps. What a step reads was written by the latest run of the
  /// step that writes it: runs after the first are recomputations.
  std::vector<unsigned> order;
  int64_t peak = 0; ///< bytes, as timelineOf(order) has them
  double cost = 0;  ///< of all runs, in the unit of the steps
};

/// Plans that no other plan of the list beats in both peak and cost.
struct PlanList {
  std::vector<RematPlan> plans; ///< peaks fall, costs rise; never empty
  /// No order has a lower peak, whatever it recomputes.
  int64_t lowerBound = 0;
  unsigned lowerBoundStep = 0; ///< the step that needs it
  bool isExact = false;        ///< the list is the whole set of best plans
  bool limitReached = false;   ///< more work might have found better plans
  uint64_t work = 0;           ///< that was done, as PlanOptions counts it

  /// The cheapest plan of at most `budget` bytes; null where there is none.
  /// For a lower budget it costs no less and takes no more.
  const RematPlan *within(int64_t budget) const;
  /// The plan of the lowest peak.
  const RematPlan &least() const { return plans.back(); }
};

} // namespace zenith::remat

#endif // ZENITH_PASSES_REMAT_REMATPLAN_H
