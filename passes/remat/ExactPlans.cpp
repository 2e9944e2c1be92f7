// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dijkstra over states (values that are held, steps that are done). A run of a
// step adds what it writes; a value may be dropped at any time, at no cost,
// since its lifetime then ends at its last read. Labels of a state are kept in
// order of cost as long as their peaks fall, so one search gives all plans.

#include "passes/remat/ExactPlans.h"

#include "passes/remat/MemoryTimeline.h"
#include "passes/remat/StepOrder.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <functional>
#include <queue>

using namespace llvm;

namespace zenith::remat {

namespace {

using State = uint64_t;

struct Share {
  State read, written;
  int64_t bytes;
};

/// A step as bits of a state.
struct StepBits {
  State reads = 0, writes = 0;
  State done = 0;  ///< set once it has run, where states need to know that
  State after = 0; ///< done bits that it waits for
  State shareReads = 0;
  SmallVector<Share, 2> shares;
  double cost = 0;
  int64_t scratch = 0;
  bool repeatable = true;
};

struct Label {
  State state;
  double cost;
  double least; ///< cost, and what must still run: never more than the end's
  int64_t peak;
  uint32_t previous; ///< label
  int step;          ///< that led here; -1: a value was dropped
};

/// What a state had so far.
struct Seen {
  double missing = 0, pushedCost = 0; ///< of the label that was pushed last
  int64_t pushedPeak = INT64_MAX;
  int64_t poppedPeak = INT64_MAX; ///< the least of labels that were popped
};

class ExactSearch {
public:
  ExactSearch(const MemoryGraph &graph, bool recompute, uint64_t maxWork)
      : graph(graph), recompute(recompute), maxWork(maxWork) {}
  /// False where states do not fit a word.
  bool prepare();
  std::optional<PlanList> run();
  uint64_t work = 0;

private:
  void makeSteps(const std::vector<int> &bits);
  int64_t bytesOf(State state) const;
  State usefulValues(State state);
  State findUseful(State done) const;
  int64_t sharedBytes(const StepBits &step, State dying) const;
  /// Compares labels for a heap: true where the first is to be popped later.
  auto later() const {
    return [this](uint32_t x, uint32_t y) {
      const Label &a = labels[x], &b = labels[y];
      if (ranksByPeak && a.peak != b.peak)
        return a.peak > b.peak;
      if (a.least != b.least)
        return a.least > b.least;
      if (a.peak != b.peak)
        return a.peak > b.peak;
      return x < y;
    };
  }
  /// Of the steps that must still run: their costs, and what they read.
  struct Missing {
    double cost = 0;
    State reads = 0;
  };
  Missing missing(State state) const;
  /// Values that `state` may lose: not those that a step which must run reads,
  /// if nothing may make them again.
  State droppable(State state) const {
    return values & ~(fixed & missing(state).reads);
  }
  void push(Label label);
  void expand(uint32_t index);
  void runStep(uint32_t index, unsigned step);
  bool isGoal(State state) const { return (state & goal) == goal; }
  /// Pops labels until goals have all their plans, in order of cost, or of peak
  /// alone. False where the limit was reached.
  bool search(bool byPeak, std::vector<uint32_t> &goals, int64_t enough);
  std::vector<unsigned> orderTo(uint32_t index) const;

  const MemoryGraph &graph;
  bool recompute;
  uint64_t maxWork;
  std::vector<StepBits> steps;
  std::vector<unsigned> order;     ///< of dependence
  std::vector<int64_t> valueBytes; ///< by bit
  std::vector<int64_t> sums;       ///< of each byte of a state
  State values = 0, kept = 0, goal = 0;
  State fixed = 0; ///< values of steps that must not run again
  bool ranksByPeak = false;
  std::vector<Label> labels;
  std::vector<uint32_t> heap;
  DenseMap<State, Seen> seen;
  DenseMap<State, State> usefulOf; ///< by done bits
  int64_t bound = INT64_MAX;       ///< labels of this peak or more are no use
};

} // namespace

/// Whether states must know that a step has run: nothing that they hold in the
/// end says so, or it must not run again, or another step waits for it.
static std::vector<bool> stepsWithDoneBit(const MemoryGraph &graph,
                                          bool recompute) {
  std::vector<bool> isUsed(graph.values.size()), needs(graph.steps.size());
  for (unsigned value : graph.keep)
    isUsed[value] = true;
  for (const MemoryStep &step : graph.steps) {
    for (unsigned value : step.reads)
      isUsed[value] = true;
    for (unsigned before : step.after)
      needs[before] = true;
  }
  for (auto [index, step] : enumerate(graph.steps))
    if (!recompute || !step.repeatable ||
        none_of(step.writes, [&](unsigned value) { return isUsed[value]; }))
      needs[index] = true;
  return needs;
}

bool ExactSearch::prepare() {
  if (graph.steps.size() > mostExactSteps)
    return false;
  std::vector<int> writers = writersOf(graph);
  std::vector<bool> hasDone = stepsWithDoneBit(graph, recompute);
  size_t bits = size_t(count(hasDone, true));
  std::vector<int> bitOf(graph.values.size(), -1);
  for (auto [value, writer] : enumerate(writers))
    if (writer >= 0) {
      bitOf[value] = int(valueBytes.size());
      valueBytes.push_back(graph.values[value]);
    }
  // The two largest words are keys that DenseMap keeps for itself.
  if (bits + valueBytes.size() > 63)
    return false;
  values = (State(1) << valueBytes.size()) - 1;
  for (unsigned value : graph.keep)
    kept |= State(1) << bitOf[value];
  goal = kept;
  makeSteps(bitOf);
  unsigned next = unsigned(valueBytes.size());
  for (auto [index, step] : enumerate(steps))
    if (hasDone[index])
      goal |= step.done = State(1) << next++;
  for (auto [index, step] : enumerate(graph.steps))
    for (unsigned before : step.after)
      steps[index].after |= steps[before].done;
  for (const StepBits &step : steps)
    if (!step.repeatable)
      fixed |= step.writes;
  order = givenOrder(graph);
  sums.assign(8 * 256, 0);
  for (size_t bit = 0; bit < valueBytes.size(); ++bit)
    for (unsigned byte = 0; byte < 256; ++byte)
      if (byte >> bit % 8 & 1)
        sums[bit / 8 * 256 + byte] += valueBytes[bit];
  return true;
}

void ExactSearch::makeSteps(const std::vector<int> &bits) {
  for (const MemoryStep &step : graph.steps) {
    StepBits &made = steps.emplace_back();
    for (unsigned value : step.reads)
      if (bits[value] >= 0)
        made.reads |= State(1) << bits[value];
    for (unsigned value : step.writes)
      made.writes |= State(1) << bits[value];
    for (const SharedPair &pair : step.shares)
      if (bits[pair.read] >= 0) {
        State read = State(1) << bits[pair.read];
        made.shareReads |= read;
        made.shares.push_back(
            {read, State(1) << bits[pair.written],
             std::min(graph.values[pair.read], graph.values[pair.written])});
      }
    made.cost = step.cost;
    made.scratch = step.scratch;
    made.repeatable = recompute && step.repeatable;
  }
}

int64_t ExactSearch::bytesOf(State state) const {
  int64_t sum = 0;
  for (unsigned i = 0; i < valueBytes.size(); i += 8)
    sum += sums[i / 8 * 256 + (state >> i & 255)];
  return sum;
}

/// Values that a step which may still run reads, and kept ones.
State ExactSearch::findUseful(State done) const {
  State useful = kept;
  for (unsigned index : reverse(order)) {
    const StepBits &step = steps[index];
    bool isPending = step.done && !(done & step.done);
    if (isPending || (step.repeatable && (step.writes & useful)))
      useful |= step.reads;
  }
  return useful;
}

State ExactSearch::usefulValues(State state) {
  State done = state & ~values;
  auto [found, isNew] = usefulOf.try_emplace(done, 0);
  if (isNew)
    found->second = findUseful(done);
  return found->second;
}

int64_t ExactSearch::sharedBytes(const StepBits &step, State dying) const {
  State taken = 0, given = 0;
  int64_t shared = 0;
  for (const Share &share : step.shares)
    if ((share.read & dying) && !(share.read & taken) &&
        !(share.written & given)) {
      taken |= share.read;
      given |= share.written;
      shared += share.bytes;
    }
  return shared;
}

/// The steps that must run, whatever is dropped, make what the end holds, or
/// what such a step reads, and that is not held now.
ExactSearch::Missing ExactSearch::missing(State state) const {
  State needed = goal & ~state;
  Missing found;
  for (unsigned index : reverse(order)) {
    const StepBits &step = steps[index];
    if (!(needed & (step.writes | step.done)))
      continue;
    found.cost += step.cost;
    found.reads |= step.reads;
    needed |= step.reads & ~state;
  }
  return found;
}

void ExactSearch::push(Label label) {
  if (label.peak >= bound)
    return;
  auto [found, isNew] = seen.try_emplace(label.state);
  Seen &state = found->second;
  if (isNew)
    state.missing = missing(label.state).cost;
  else if (state.poppedPeak <= label.peak ||
           (state.pushedPeak <= label.peak && state.pushedCost <= label.cost))
    return;
  state.pushedPeak = label.peak;
  state.pushedCost = label.cost;
  label.least = label.cost + state.missing;
  labels.push_back(label);
  heap.push_back(uint32_t(labels.size() - 1));
  std::push_heap(heap.begin(), heap.end(), later());
}

void ExactSearch::runStep(uint32_t index, unsigned number) {
  const Label label = labels[index];
  const StepBits &step = steps[number];
  State state = label.state;
  bool isDone = step.done & state;
  if ((state & step.reads) != step.reads ||
      (state & step.after) != step.after || (isDone && !step.repeatable) ||
      ((state & step.writes) == step.writes && (isDone || !step.done)))
    return;
  State next = state | step.writes | step.done;
  State useful = usefulValues(next) | ~values;
  if (step.done == (state & step.done) && !(step.writes & useful))
    return;
  int64_t bytes = bytesOf(state | step.writes) + step.scratch;
  // Operands that may be dropped here on purpose, to write over them.
  State choice = step.shareReads & useful;
  if (choice)
    choice &= droppable(next);
  for (State dropped = choice;; dropped = (dropped - 1) & choice) {
    State after = next & useful & ~dropped;
    int64_t here = bytes - sharedBytes(step, step.reads & ~after);
    push({after, label.cost + step.cost, 0, std::max(label.peak, here), index,
          int(number)});
    if (!dropped)
      break;
  }
}

void ExactSearch::expand(uint32_t index) {
  for (unsigned step = 0; step < steps.size(); ++step)
    runStep(index, step);
  const Label label = labels[index];
  State may = label.state & droppable(label.state);
  for (State rest = may; rest; rest &= rest - 1)
    push({label.state & ~(rest & -rest), label.cost, 0, label.peak, index, -1});
}

bool ExactSearch::search(bool byPeak, std::vector<uint32_t> &goals,
                         int64_t enough) {
  constexpr uint64_t workPerLabel = 8;
  ranksByPeak = byPeak;
  bound = INT64_MAX;
  labels.clear();
  heap.clear();
  seen.clear();
  push({0, 0, 0, 0, 0, -1});
  while (!heap.empty() && bound > enough) {
    std::pop_heap(heap.begin(), heap.end(), later());
    uint32_t index = heap.back();
    heap.pop_back();
    const Label &label = labels[index];
    if (label.peak >= bound)
      continue;
    int64_t &popped = seen[label.state].poppedPeak;
    if (popped <= label.peak)
      continue;
    popped = label.peak;
    if (isGoal(label.state)) {
      goals.push_back(index);
      bound = label.peak;
      if (byPeak)
        return true;
      continue;
    }
    size_t before = labels.size();
    expand(index);
    work += (labels.size() - before + steps.size()) * workPerLabel;
    if (work > maxWork)
      return false;
  }
  return true;
}

std::vector<unsigned> ExactSearch::orderTo(uint32_t index) const {
  std::vector<unsigned> order;
  for (; index; index = labels[index].previous)
    if (labels[index].step >= 0)
      order.push_back(unsigned(labels[index].step));
  std::reverse(order.begin(), order.end());
  return order;
}

std::optional<PlanList> ExactSearch::run() {
  std::vector<uint32_t> goals;
  if (!search(/*byPeak=*/true, goals, /*enough=*/0))
    return std::nullopt;
  PlanList list;
  list.lowerBound = labels[goals.front()].peak;
  for (uint32_t at = goals.front(); at; at = labels[at].previous)
    if (labels[at].step >= 0 && labels[at].peak == list.lowerBound)
      list.lowerBoundStep = unsigned(labels[at].step);
  goals.clear();
  if (!search(/*byPeak=*/false, goals, /*enough=*/list.lowerBound))
    return std::nullopt;
  list.isExact = true;
  MemoryTimeline timeline;
  for (uint32_t index : goals) {
    RematPlan &plan = list.plans.emplace_back();
    plan.order = orderTo(index);
    simulate(graph, plan.order, timeline);
    plan.peak = timeline.peak;
    plan.cost = timeline.cost;
  }
  return list;
}

std::optional<PlanList> exactPlans(const MemoryGraph &graph, bool recompute,
                                   uint64_t maxWork, uint64_t &work) {
  ExactSearch search(graph, recompute, maxWork);
  if (!search.prepare())
    return std::nullopt;
  std::optional<PlanList> list = search.run();
  work += search.work;
  return list;
}

} // namespace zenith::remat
