// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps plans in order of their peaks.

#include "passes/remat/RematFrontier.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace zenith::remat {

const RematPlan *PlanList::within(int64_t budget) const {
  auto found = partition_point(
      plans, [&](const RematPlan &plan) { return plan.peak > budget; });
  return found == plans.end() ? nullptr : &*found;
}

bool RematFrontier::add(ArrayRef<unsigned> order,
                        const MemoryTimeline &timeline) {
  // The cheapest plan that takes no more.
  auto at = partition_point(
      sorted, [&](const RematPlan &plan) { return plan.peak > timeline.peak; });
  if (at != sorted.end() && at->cost <= timeline.cost)
    return false;
  // Plans in front take more; those among them that cost as much or more go.
  auto begin = at;
  while (begin != sorted.begin() && std::prev(begin)->cost >= timeline.cost)
    --begin;
  if (at != sorted.end() && at->peak == timeline.peak)
    ++at;
  at = sorted.erase(begin, at);
  sorted.insert(at, {order.vec(), timeline.peak, timeline.cost});
  return true;
}

std::vector<RematPlan> RematFrontier::spread(size_t count) const {
  if (sorted.size() <= count)
    return sorted;
  double first = double(sorted.front().peak), last = double(sorted.back().peak);
  std::vector<RematPlan> chosen;
  size_t next = 0; // the first plan that may be chosen
  for (size_t i = 0; i < count; ++i) {
    double wanted = first + (last - first) * double(i) / double(count - 1);
    while (next < sorted.size() && double(sorted[next].peak) > wanted)
      ++next;
    if (next == sorted.size())
      break;
    chosen.push_back(sorted[next++]);
  }
  return chosen;
}

} // namespace zenith::remat
