// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every step is tried by simulation; what certainly does not help is found
// before by the bytes of the places concerned.

#include "passes/remat/GreedyRemat.h"

#include "passes/remat/OrderSteps.h"
#include "passes/remat/RecomputeRuns.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cmath>
#include <optional>

using namespace llvm;

namespace zenith::remat {

namespace {

/// Runs whose values would be given up together, and what that brings.
struct Candidate {
  SmallVector<unsigned, 4> places;
  double cost = 0;
  int64_t bytes = 0; ///< that the fullest place is spared

  bool isBetter(const Candidate &other) const {
    return cost * double(other.bytes) < other.cost * double(bytes);
  }
};

/// Candidates at the fullest place of an order.
class CandidateSearch {
public:
  CandidateSearch(PlanContext &context, const TimedOrder &plan, int banned)
      : context(context), plan(plan), full(plan.timeline.fullest),
        banned(banned), readAtFull(plan.timeline.instances.size()) {}
  /// The best ones first.
  std::vector<Candidate> run(size_t most);

private:
  bool crosses(unsigned instance) const {
    const ValueInstance &found = plan.timeline.instances[instance];
    return found.begin < full && found.end > full && !readAtFull[instance];
  }
  bool findClosure(Candidate &candidate, int64_t share) const;

  PlanContext &context;
  const TimedOrder &plan;
  unsigned full;
  int banned;
  std::vector<bool> readAtFull; ///< by instance
};

} // namespace

/// What a run of the candidate reads is there at the fullest place, or is kept
/// where that takes at most 1/`share` of what is spared, or is made again too.
bool CandidateSearch::findClosure(Candidate &candidate, int64_t share) const {
  constexpr size_t mostRuns = 64;
  const MemoryTimeline &timeline = plan.timeline;
  int64_t spared = candidate.bytes;
  for (size_t i = 0; i < candidate.places.size(); ++i) {
    unsigned place = candidate.places[i];
    ++context.work;
    const MemoryStep &step = context.graph.steps[plan.order[place]];
    if (!context.mayRepeat[plan.order[place]] ||
        candidate.places.size() > mostRuns)
      return false;
    candidate.cost += step.cost;
    for (auto [value, source] : zip(step.reads, timeline.reads(place))) {
      if (source < 0 || timeline.instances[source].end >= full)
        continue;
      unsigned maker = timeline.instances[source].begin;
      if (context.graph.values[value] * share <= spared) {
        candidate.bytes -= context.graph.values[value];
        continue;
      }
      if (!is_contained(candidate.places, maker))
        candidate.places.push_back(maker);
    }
  }
  return candidate.bytes > 0;
}

std::vector<Candidate> CandidateSearch::run(size_t most) {
  const MemoryTimeline &timeline = plan.timeline;
  for (int source : timeline.reads(full))
    if (source >= 0)
      readAtFull[unsigned(source)] = true;
  std::vector<Candidate> found;
  unsigned lastMaker = full;
  context.work += timeline.instances.size() / 8;
  for (unsigned index = 0; index < timeline.instances.size(); ++index) {
    const ValueInstance &instance = timeline.instances[index];
    if (instance.begin >= full)
      break;
    if (!crosses(index) || plan.order[instance.begin] == unsigned(banned))
      continue;
    if (found.empty() || lastMaker != instance.begin) {
      found.emplace_back().places = {instance.begin};
      lastMaker = instance.begin;
    }
    found.back().bytes += context.graph.values[instance.value];
  }
  constexpr int64_t shares[] = {16, 1}; // rather make again; rather keep
  std::vector<Candidate> roots = std::move(found);
  found.clear();
  for (const Candidate &root : roots)
    for (int64_t share : shares)
      if (Candidate candidate = root; findClosure(candidate, share))
        found.push_back(std::move(candidate));
  context.work += found.size();
  stable_sort(found, [](const Candidate &x, const Candidate &y) {
    return x.isBetter(y);
  });
  if (found.size() > most)
    found.resize(most);
  return found;
}

/// Bytes above the budget, of all places together.
static double excess(const MemoryTimeline &timeline, int64_t budget) {
  double sum = 0;
  for (int64_t bytes : timeline.bytes)
    if (bytes > budget)
      sum += double(bytes - budget);
  return sum;
}

bool bringUnder(PlanContext &context, TimedOrder &plan, int64_t budget,
                int banned) {
  constexpr size_t mostTrials = 5;
  TimedOrder trial, best;
  std::vector<bool> places;
  while (plan.timeline.peak > budget && context.hasWork()) {
    double before = excess(plan.timeline, budget), bestRate = 0;
    std::vector<Candidate> candidates =
        CandidateSearch(context, plan, banned).run(mostTrials);
    for (const Candidate &candidate : candidates) {
      places.assign(plan.order.size(), false);
      for (unsigned place : candidate.places)
        places[place] = true;
      trial.order = recomputeRuns(context, plan, plan.timeline.fullest, places);
      context.simulate(trial.order, trial.timeline);
      double gain = before - excess(trial.timeline, budget);
      double cost = trial.timeline.cost - plan.timeline.cost;
      if (gain <= 0)
        continue;
      // What costs nothing is best; else by rate.
      double rate = cost > 0 ? gain / cost : INFINITY;
      if (rate > bestRate) {
        bestRate = rate;
        std::swap(best, trial);
      }
    }
    if (bestRate > 0) {
      std::swap(plan, best);
      continue;
    }
    int64_t peak = plan.timeline.peak;
    reorderFullest(context, plan);
    if (plan.timeline.peak == peak)
      return false;
  }
  return plan.timeline.peak <= budget;
}

std::vector<unsigned> clonePlaces(const PlanContext &context,
                                  const std::vector<unsigned> &order) {
  std::vector<bool> ran(context.graph.steps.size());
  std::vector<unsigned> places;
  for (unsigned place = 0; place < order.size(); ++place) {
    if (ran[order[place]])
      places.push_back(place);
    ran[order[place]] = true;
  }
  stable_sort(places, [&](unsigned x, unsigned y) {
    return context.graph.steps[order[x]].cost >
           context.graph.steps[order[y]].cost;
  });
  return places;
}

std::vector<unsigned> withoutRun(const PlanContext &context,
                                 const std::vector<unsigned> &order,
                                 unsigned place) {
  std::vector<unsigned> shorter = order;
  shorter.erase(shorter.begin() + place);
  dropUselessRuns(context, shorter);
  return shorter;
}

namespace {

/// Bytes of some places, more or less than now.
struct Change {
  unsigned begin, end; ///< places, without the end
  int64_t bytes;
};

/// Tells runs whose removal certainly exceeds a budget.
class RemovalFilter {
public:
  RemovalFilter(PlanContext &context, const TimedOrder &plan, int64_t budget);
  bool mayRemove(unsigned place);

private:
  PlanContext &context;
  const TimedOrder &plan;
  int64_t budget;
  std::vector<int> previous;        ///< instance of the same value
  std::vector<unsigned> readBefore; ///< last read but one, by instance
};

} // namespace

RemovalFilter::RemovalFilter(PlanContext &context, const TimedOrder &plan,
                             int64_t budget)
    : context(context), plan(plan), budget(budget),
      readBefore(plan.timeline.instances.size()) {
  std::vector<int> latest(context.graph.values.size(), -1);
  for (auto [index, instance] : enumerate(plan.timeline.instances)) {
    previous.push_back(latest[instance.value]);
    latest[instance.value] = int(index);
    readBefore[index] = instance.begin;
  }
  for (unsigned place = 0; place < plan.order.size(); ++place)
    for (int source : plan.timeline.reads(place))
      if (source >= 0 && place < plan.timeline.instances[source].end)
        readBefore[unsigned(source)] = place;
}

/// Without the run, the instances before live on to its place, and what only it
/// still read dies earlier.
bool RemovalFilter::mayRemove(unsigned place) {
  const MemoryTimeline &timeline = plan.timeline;
  const MemoryStep &step = context.graph.steps[plan.order[place]];
  SmallVector<Change, 4> more, less;
  unsigned begin = place;
  unsigned instance = timeline.firstMade(place);
  for (unsigned value : step.writes) {
    unsigned made = instance++;
    if (timeline.instances[made].end == place || previous[made] < 0)
      continue;
    unsigned last = timeline.instances[previous[made]].end;
    more.push_back({last + 1, place, context.graph.values[value]});
    begin = std::min(begin, last + 1);
  }
  for (auto [value, source] : zip(step.reads, timeline.reads(place)))
    if (source >= 0 && timeline.instances[source].end == place)
      less.push_back({readBefore[unsigned(source)] + 1, place,
                      context.graph.values[value]});
  context.work += (place - begin) / 8 + 1;
  for (unsigned at = begin; at < place; ++at) {
    int64_t bytes = timeline.bytes[at];
    if (bytes <= budget) // most places have room for all
      for (const Change &change : more)
        bytes += at >= change.begin ? change.bytes : 0;
    if (bytes <= budget)
      continue;
    for (const Change &change : less)
      bytes -= at >= change.begin ? change.bytes : 0;
    if (bytes > budget)
      return false;
  }
  return true;
}

void takeOut(PlanContext &context, TimedOrder &plan, int64_t budget) {
  TimedOrder trial;
  bool changed = true;
  while (changed && context.hasWork()) {
    changed = false;
    std::vector<unsigned> clones = clonePlaces(context, plan.order);
    std::optional<RemovalFilter> filter;
    filter.emplace(context, plan, budget);
    context.work += plan.order.size();
    for (size_t rank = 0; rank < clones.size() && context.hasWork(); ++rank) {
      if (!filter->mayRemove(clones[rank]))
        continue;
      trial.order = withoutRun(context, plan.order, clones[rank]);
      context.simulate(trial.order, trial.timeline);
      if (trial.timeline.peak > budget)
        continue;
      std::swap(plan, trial);
      // Places have moved; what is dearer stays refused until the next round.
      clones = clonePlaces(context, plan.order);
      filter.emplace(context, plan, budget);
      context.work += plan.order.size();
      --rank;
      changed = true;
    }
  }
}

} // namespace zenith::remat
