// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of plans while it grows: what no other plan beats.

#ifndef ZENITH_PASSES_REMAT_REMATFRONTIER_H
#define ZENITH_PASSES_REMAT_REMATFRONTIER_H

#include "passes/remat/PlanContext.h"

namespace zenith::remat {

class RematFrontier {
public:
  /// Keeps the plan unless one has at most its peak and at most its cost; drops
  /// those that it beats. True where it is kept.
  bool add(llvm::ArrayRef<unsigned> order, const MemoryTimeline &timeline);
  /// Peaks fall, costs rise.
  const std::vector<RematPlan> &plans() const { return sorted; }
  std::vector<RematPlan> take() { return std::move(sorted); }
  /// At most `count` plans spread evenly by their peaks, both ends among them.
  std::vector<RematPlan> spread(size_t count) const;

private:
  std::vector<RematPlan> sorted;
};

} // namespace zenith::remat

#endif // ZENITH_PASSES_REMAT_REMATFRONTIER_H
