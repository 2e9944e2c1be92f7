// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Beam search over the orders of a window of runs around the fullest place.

#include "passes/remat/OrderSteps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace zenith::remat {

namespace {

constexpr unsigned windowRuns = 48; ///< at most 64: bits of a word
constexpr size_t beamWidth = 48;

/// An operand of a run in the window.
struct Operand {
  uint64_t readers; ///< runs of the window that read it
  bool mayDie;      ///< nobody behind the window reads it
  unsigned value;
};

struct WindowRun {
  uint64_t preceders = 0;
  SmallVector<Operand, 4> operands;
  int64_t made = 0, unread = 0; ///< bytes; those that nobody reads
};

/// A part of an order: which runs, not in which order.
struct Partial {
  uint64_t done = 0;
  int64_t live = 0, peak = 0;
  int parent = -1; ///< in the layer before
  unsigned run = 0;
};

class WindowSearch {
public:
  WindowSearch(PlanContext &context, const TimedOrder &from, unsigned begin,
               unsigned end);
  /// The runs of the window in the best order found.
  std::vector<unsigned> run();

private:
  void addRun(unsigned place);
  Partial after(const Partial &partial, int parent, unsigned run) const;

  PlanContext &context;
  const TimedOrder &from;
  unsigned begin, end;
  std::vector<WindowRun> runs;
  int64_t liveBefore = 0;
};

} // namespace

WindowSearch::WindowSearch(PlanContext &context, const TimedOrder &from,
                           unsigned begin, unsigned end)
    : context(context), from(from), begin(begin), end(end), runs(end - begin) {
  for (const ValueInstance &instance : from.timeline.instances)
    if (instance.begin < begin && instance.end >= begin)
      liveBefore += context.graph.values[instance.value];
  for (unsigned place = begin; place < end; ++place)
    addRun(place);
}

void WindowSearch::addRun(unsigned place) {
  const MemoryTimeline &timeline = from.timeline;
  const MemoryStep &step = context.graph.steps[from.order[place]];
  WindowRun &run = runs[place - begin];
  ArrayRef<int> sources = timeline.reads(place);
  for (auto [value, source] : zip(step.reads, sources)) {
    if (source < 0)
      continue;
    const ValueInstance &instance = timeline.instances[source];
    if (instance.begin >= begin)
      run.preceders |= uint64_t(1) << (instance.begin - begin);
    uint64_t readers = 0;
    for (unsigned other = begin; other < end; ++other)
      if (is_contained(timeline.reads(other), source))
        readers |= uint64_t(1) << (other - begin);
    run.operands.push_back({readers, instance.end < end, value});
  }
  // What may not be exchanged: runs of one step with each other and with the
  // readers of what they make, steps that wait for others.
  for (unsigned other = begin; other < place; ++other) {
    const MemoryStep &before = context.graph.steps[from.order[other]];
    bool isBound = from.order[other] == from.order[place] ||
                   is_contained(step.after, from.order[other]) ||
                   any_of(before.reads, [&](unsigned value) {
                     return is_contained(step.writes, value);
                   });
    if (isBound)
      run.preceders |= uint64_t(1) << (other - begin);
  }
  unsigned instance = timeline.firstMade(place);
  for (unsigned value : step.writes) {
    run.made += context.graph.values[value];
    if (timeline.instances[instance++].end == place)
      run.unread += context.graph.values[value];
  }
}

Partial WindowSearch::after(const Partial &partial, int parent,
                            unsigned index) const {
  const WindowRun &run = runs[index];
  const MemoryStep &step = context.graph.steps[from.order[begin + index]];
  Partial next;
  next.done = partial.done | uint64_t(1) << index;
  next.parent = parent;
  next.run = index;
  int64_t freed = 0, shared = 0;
  SmallVector<unsigned, 4> dying;
  for (const Operand &operand : run.operands)
    if (operand.mayDie && (operand.readers & ~next.done) == 0) {
      dying.push_back(operand.value);
      freed += context.graph.values[operand.value];
    }
  SmallVector<unsigned, 4> given;
  for (const SharedPair &pair : step.shares) {
    auto *found = find(dying, pair.read);
    if (found == dying.end() || is_contained(given, pair.written))
      continue;
    dying.erase(found);
    given.push_back(pair.written);
    shared += std::min(context.graph.values[pair.read],
                       context.graph.values[pair.written]);
  }
  int64_t here = partial.live + run.made + step.scratch - shared;
  next.peak = std::max(partial.peak, here);
  next.live = partial.live + run.made - freed - run.unread;
  return next;
}

std::vector<unsigned> WindowSearch::run() {
  std::vector<std::vector<Partial>> layers(1);
  layers[0].push_back({0, liveBefore, 0, -1, 0});
  DenseMap<uint64_t, unsigned> places; // of done sets in the next layer
  for (size_t count = 0; count < runs.size(); ++count) {
    std::vector<Partial> next;
    places.clear();
    for (auto [parent, partial] : enumerate(layers.back()))
      for (unsigned index = 0; index < runs.size(); ++index) {
        if (partial.done >> index & 1 ||
            (runs[index].preceders & ~partial.done) != 0)
          continue;
        ++context.work;
        Partial made = after(partial, int(parent), index);
        auto [found, isNew] = places.try_emplace(made.done, next.size());
        if (isNew)
          next.push_back(made);
        else if (made.peak < next[found->second].peak)
          next[found->second] = made;
      }
    stable_sort(next, [](const Partial &x, const Partial &y) {
      return std::pair(x.peak, x.live) < std::pair(y.peak, y.live);
    });
    if (next.size() > beamWidth)
      next.resize(beamWidth);
    layers.push_back(std::move(next));
  }
  std::vector<unsigned> order(runs.size());
  int at = 0;
  for (size_t layer = runs.size(); layer > 0; --layer) {
    const Partial &partial = layers[layer][size_t(at)];
    order[layer - 1] = from.order[begin + partial.run];
    at = partial.parent;
  }
  return order;
}

void reorderFullest(PlanContext &context, TimedOrder &order) {
  constexpr unsigned mostWindows = 16;
  TimedOrder trial;
  for (unsigned i = 0; i < mostWindows && context.hasWork(); ++i) {
    unsigned size = unsigned(order.order.size());
    unsigned full = order.timeline.fullest;
    unsigned begin = full > windowRuns / 2 ? full - windowRuns / 2 : 0;
    unsigned end = std::min(size, begin + windowRuns);
    std::vector<unsigned> window =
        WindowSearch(context, order, begin, end).run();
    trial.order = order.order;
    std::copy(window.begin(), window.end(), trial.order.begin() + begin);
    context.simulate(trial.order, trial.timeline);
    if (trial.timeline.peak >= order.timeline.peak)
      return;
    std::swap(order, trial);
  }
}

} // namespace zenith::remat
