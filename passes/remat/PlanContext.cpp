// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of a memory graph.

#include "passes/remat/PlanContext.h"

#include "passes/remat/StepOrder.h"

namespace zenith::remat {

PlanContext::PlanContext(const MemoryGraph &graph, uint64_t maxWork)
    : graph(graph), writers(writersOf(graph)), maxWork(maxWork) {
  for (const MemoryStep &step : graph.steps)
    mayRepeat.push_back(step.repeatable);
  for (const MemoryStep &step : graph.steps)
    for (unsigned before : step.after)
      mayRepeat[before] = false;
}

void PlanContext::simulate(llvm::ArrayRef<unsigned> order,
                           MemoryTimeline &timeline) {
  remat::simulate(graph, order, timeline);
  work += order.size();
}

} // namespace zenith::remat
