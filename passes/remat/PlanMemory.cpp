// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small graphs are solved exactly. For others: the best order, then cuts at the
// fullest places, then local search towards budgets all over the list and
// towards its gaps.

#include "passes/remat/PlanMemory.h"

#include "passes/remat/CutRemat.h"
#include "passes/remat/ExactPlans.h"
#include "passes/remat/GreedyRemat.h"
#include "passes/remat/LowerBound.h"
#include "passes/remat/OrderSteps.h"
#include "passes/remat/RecomputeRuns.h"
#include "passes/remat/RematFrontier.h"
#include "passes/remat/StepOrder.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <set>

using namespace llvm;

namespace zenith::remat {

namespace {

class Planner {
public:
  Planner(const MemoryGraph &graph, uint64_t maxWork)
      : context(graph, maxWork), bound(lowerBound(graph)) {}
  PlanList run(bool recompute);

private:
  TimedOrder timed(std::vector<unsigned> order);
  void consider(const TimedOrder &plan) {
    frontier.add(plan.order, plan.timeline);
  }
  void considerBoth(TimedOrder plan);
  TimedOrder bestOrder();
  void cutRounds(const TimedOrder &base);
  void cutAt(const TimedOrder &from, bool withParts);
  bool improve(TimedOrder &plan, int64_t budget, int banned);
  bool refine(int64_t budget);
  void refineBelow();
  void exchange();
  void refineEvenly(uint64_t until);
  void closeGaps(uint64_t until);
  void refineAll();

  PlanContext context;
  LowerBound bound;
  RematFrontier frontier;
  std::set<std::pair<int64_t, int64_t>> triedGaps; ///< peaks of neighbours
};

} // namespace

TimedOrder Planner::timed(std::vector<unsigned> order) {
  TimedOrder plan;
  plan.order = std::move(order);
  context.simulate(plan.order, plan.timeline);
  return plan;
}

/// A plan, and its runs in the release order.
void Planner::considerBoth(TimedOrder plan) {
  consider(plan);
  context.work += 4 * plan.order.size();
  consider(timed(releaseOrder(context, plan)));
}

TimedOrder Planner::bestOrder() {
  TimedOrder best = timed(givenOrder(context.graph));
  auto take = [&](TimedOrder other) {
    if (other.timeline.peak < best.timeline.peak)
      best = std::move(other);
  };
  TimedOrder deep = timed(depthFirstOrder(context));
  take(timed(releaseOrder(context, best)));
  take(timed(releaseOrder(context, deep)));
  take(std::move(deep));
  reorderFullest(context, best);
  return best;
}

/// The parts of a set of runs that are connected by what one makes and another
/// reads, earliest first, added up in at most `most` portions.
static std::vector<std::vector<bool>> growingParts(const TimedOrder &from,
                                                   const std::vector<bool> &set,
                                                   size_t most) {
  std::vector<int> part(set.size(), -1); // union-find over places
  auto rootOf = [&](int place) {
    while (part[size_t(place)] != place)
      place = part[size_t(place)] = part[size_t(part[size_t(place)])];
    return place;
  };
  for (unsigned place = 0; place < set.size(); ++place) {
    if (!set[place])
      continue;
    part[place] = int(place);
    for (int source : from.timeline.reads(place))
      if (source >= 0)
        if (unsigned maker = from.timeline.instances[source].begin;
            set[maker]) {
          int x = rootOf(int(maker)), y = rootOf(int(place));
          part[size_t(std::max(x, y))] = std::min(x, y);
        }
  }
  std::vector<int> roots;
  for (unsigned place = 0; place < set.size(); ++place)
    if (part[place] == int(place))
      roots.push_back(int(place));
  std::vector<std::vector<bool>> portions;
  if (roots.size() < 2)
    return portions;
  size_t count = std::min(most, roots.size());
  for (size_t portion = 1; portion < count; ++portion) {
    int limit = roots[roots.size() * portion / count];
    std::vector<bool> some(set.size());
    for (unsigned place = 0; place < set.size(); ++place)
      some[place] = set[place] && rootOf(int(place)) < limit;
    portions.push_back(std::move(some));
  }
  return portions;
}

void Planner::cutAt(const TimedOrder &from, bool withParts) {
  constexpr unsigned mostCuts = 12;
  constexpr size_t mostParts = 10;
  unsigned full = from.timeline.fullest;
  for (const std::vector<bool> &set : cutSets(context, from, mostCuts)) {
    if (!context.hasWork())
      return;
    considerBoth(timed(recomputeRuns(context, from, full, set)));
    if (!withParts)
      continue;
    for (const std::vector<bool> &part : growingParts(from, set, mostParts))
      if (context.hasWork())
        considerBoth(timed(recomputeRuns(context, from, full, part)));
  }
}

void Planner::cutRounds(const TimedOrder &base) {
  constexpr unsigned rounds = 3;
  constexpr size_t seeds = 6;
  cutAt(base, /*withParts=*/true);
  std::set<std::vector<unsigned>> seen = {base.order};
  // The rest of the work is for the local search, which needs low peaks to go
  // on from.
  uint64_t most = context.maxWork * 2 / 5;
  for (unsigned round = 1; round < rounds; ++round) {
    std::vector<RematPlan> from = frontier.spread(seeds);
    for (RematPlan &plan : reverse(from))
      if (context.work < most && seen.insert(plan.order).second)
        cutAt(timed(std::move(plan.order)), /*withParts=*/false);
  }
}

/// Brings a plan under a budget and takes out what is too much then.
bool Planner::improve(TimedOrder &plan, int64_t budget, int banned) {
  bool fits = bringUnder(context, plan, budget, banned);
  if (fits)
    takeOut(context, plan, budget);
  consider(plan);
  return fits;
}

/// Towards a budget, from the cheapest plan within it and from plans that are
/// cheaper and take up to a quarter more.
bool Planner::refine(int64_t budget) {
  constexpr size_t mostSeeds = 2;
  std::vector<RematPlan> above, seeds;
  for (const RematPlan &plan : frontier.plans()) {
    if (plan.peak <= budget) {
      seeds.push_back(plan);
      break;
    }
    if (plan.peak <= budget + budget / 4)
      above.push_back(plan);
  }
  size_t count = std::min(mostSeeds, above.size());
  for (size_t i = 0; i < count; ++i)
    seeds.push_back(
        above[above.size() - 1 -
              (count > 1 ? i * (above.size() - 1) / (count - 1) : 0)]);
  bool fits = false;
  for (RematPlan &seed : seeds)
    if (context.hasWork()) {
      TimedOrder plan = timed(std::move(seed.order));
      fits |= improve(plan, budget, /*banned=*/-1);
    }
  return fits;
}

/// Towards lower peaks than any so far, as long as that works.
void Planner::refineBelow() {
  constexpr int targets = 24;
  int64_t most = frontier.plans().back().peak, failures = 0;
  for (int i = 1; i <= targets && failures < 2 && context.hasWork(); ++i) {
    int64_t budget = most - (most - bound.bytes) / targets * i;
    failures = refine(budget) ? 0 : failures + 1;
  }
}

/// Local search: one recomputation is forbidden, the plan repaired without it.
/// Each plan of the list gets its turn, with its next dearest recomputation.
void Planner::exchange() {
  constexpr size_t mostPlans = 24, mostRanks = 64;
  for (size_t rank = 0; rank < mostRanks; ++rank) {
    bool hasTurn = false;
    for (RematPlan &seed : frontier.spread(mostPlans)) {
      if (!context.hasWork())
        return;
      std::vector<unsigned> clones = clonePlaces(context, seed.order);
      if (rank >= clones.size())
        continue;
      hasTurn = true;
      int step = int(seed.order[clones[rank]]);
      TimedOrder plan = timed(withoutRun(context, seed.order, clones[rank]));
      improve(plan, seed.peak, step);
    }
    if (!hasTurn)
      return;
  }
}

/// Towards budgets at equal distances between the ends of the list, coarse ones
/// first, so that all parts of it get their share of the work.
void Planner::refineEvenly(uint64_t until) {
  constexpr int targets = 32;
  int64_t most = frontier.plans().front().peak;
  int64_t least = frontier.plans().back().peak;
  for (int distance = targets; distance > 1; distance /= 2)
    for (int i = distance / 2; i < targets && context.work < until;
         i += distance)
      refine(most - (most - least) / targets * i);
}

/// Towards the middle between two neighbours of the list, those first between
/// which cost and the logarithm of the peak differ most. What brings nothing is
/// not tried again.
void Planner::closeGaps(uint64_t until) {
  constexpr double narrow = 1e-6; // of the cost of the first plan
  while (context.work < until) {
    const std::vector<RematPlan> &plans = frontier.plans();
    double widest = narrow * plans.front().cost;
    std::pair<int64_t, int64_t> gap(0, 0);
    for (size_t i = 1; i < plans.size(); ++i) {
      std::pair<int64_t, int64_t> ends(plans[i - 1].peak, plans[i].peak);
      double width = (plans[i].cost - plans[i - 1].cost) *
                     std::log(double(ends.first) / double(ends.second));
      if (width <= widest || triedGaps.count(ends))
        continue;
      widest = width;
      gap = ends;
    }
    if (gap.first == 0)
      return;
    triedGaps.insert(gap);
    refine(gap.second + (gap.first - gap.second) / 2);
  }
}

void Planner::refineAll() {
  auto part = [&](uint64_t numerator, uint64_t denominator) {
    uint64_t left = context.maxWork - std::min(context.work, context.maxWork);
    return context.work + left / denominator * numerator;
  };
  // Small graphs leave work for a second pass, from what the first one found.
  for (int pass = 0; pass < 2; ++pass) {
    refineEvenly(part(1, 2));
    closeGaps(part(1, 3));
    refineBelow();
    closeGaps(part(2, 3));
  }
  exchange();
}

PlanList Planner::run(bool recompute) {
  TimedOrder base = bestOrder();
  consider(base);
  if (recompute) {
    cutRounds(base);
    refineAll();
  }
  PlanList list;
  list.plans = frontier.take();
  list.lowerBound = bound.bytes;
  list.lowerBoundStep = bound.step;
  list.limitReached = !context.hasWork();
  list.work = context.work;
  return list;
}

/// About a second for a thousand steps and more.
static uint64_t defaultWork(size_t steps) {
  constexpr uint64_t least = 700, perStep = 1, most = 1300; // milliseconds
  return std::clamp<uint64_t>(steps * perStep, least, most) *
         workPerMillisecond;
}

PlanList planMemory(const MemoryGraph &graph, const PlanOptions &options) {
  uint64_t maxWork =
      options.maxWork ? options.maxWork : defaultWork(graph.steps.size());
  uint64_t work = 0;
  if (std::optional<PlanList> exact =
          exactPlans(graph, options.recompute, maxWork / 2, work)) {
    exact->work = work;
    return *exact;
  }
  return Planner(graph, maxWork).run(options.recompute);
}

} // namespace zenith::remat
