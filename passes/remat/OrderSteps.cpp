// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The release order and the depth-first order.

#include "passes/remat/OrderSteps.h"

#include "passes/remat/StepOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace zenith::remat {

namespace {

/// Schedules the runs of an order anew. A run is named by its place there.
class ReleaseScheduler {
public:
  ReleaseScheduler(const PlanContext &context, const TimedOrder &from);
  std::vector<unsigned> run();

private:
  void addDependence(unsigned before, unsigned place) {
    followers[before].push_back(place);
    ++waiting[place];
  }
  ArrayRef<int> reads(unsigned place) const {
    return from.timeline.reads(place);
  }
  int64_t bytesOf(int instance) const {
    return context.graph.values[from.timeline.instances[instance].value];
  }
  bool isEager(unsigned place) const;
  bool mayDefer(unsigned place) const;
  void take(unsigned place);
  bool follow(unsigned place);
  void takeAll(unsigned place);
  void pull(unsigned place);

  const PlanContext &context;
  const TimedOrder &from;
  std::vector<int64_t> bytesMade; ///< by place
  std::vector<unsigned> maker;    ///< place, by instance
  std::vector<unsigned> waiting;  ///< dependences that have not run
  std::vector<SmallVector<unsigned, 4>> followers, readers; ///< by place; by
                                                            ///< instance
  std::vector<SmallVector<unsigned, 4>> makers;             ///< by place
  std::vector<unsigned> remaining; ///< reads, by instance
  std::vector<bool> isDone, isClone;
  std::vector<unsigned> taken; ///< places
};

} // namespace

ReleaseScheduler::ReleaseScheduler(const PlanContext &context,
                                   const TimedOrder &from)
    : context(context), from(from), bytesMade(from.order.size()),
      maker(from.timeline.instances.size()), waiting(from.order.size()),
      followers(from.order.size()), readers(from.timeline.instances.size()),
      makers(from.order.size()), remaining(from.timeline.instances.size()),
      isDone(from.order.size()), isClone(from.order.size()) {
  std::vector<int> firstRun(context.graph.steps.size(), -1);
  for (unsigned place = 0; place < from.order.size(); ++place) {
    const MemoryStep &step = context.graph.steps[from.order[place]];
    int &first = firstRun[from.order[place]];
    isClone[place] = first >= 0;
    if (first < 0)
      first = int(place);
    for (unsigned before : step.after)
      if (!isClone[place]) {
        addDependence(unsigned(firstRun[before]), place);
        makers[place].push_back(unsigned(firstRun[before]));
      }
    unsigned instance = from.timeline.firstMade(place);
    for (unsigned value : step.writes) {
      bytesMade[place] += context.graph.values[value];
      maker[instance++] = place;
    }
    for (int source : reads(place)) {
      if (source < 0)
        continue;
      addDependence(maker[source], place);
      makers[place].push_back(maker[source]);
      readers[source].push_back(place);
      ++remaining[source];
    }
  }
  for (auto [index, instance] : enumerate(from.timeline.instances))
    if (instance.end == from.order.size())
      ++remaining[index];
}

/// Could run, perhaps behind deferred runs that could run themselves, and makes
/// no more than it frees with them, or less than 1/64 of its largest operand.
bool ReleaseScheduler::isEager(unsigned place) const {
  constexpr int64_t small = 64;
  int64_t freed = 0, most = 0, made = bytesMade[place];
  for (unsigned before : makers[place]) {
    if (isDone[before])
      continue;
    if (waiting[before] > 0)
      return false;
    made += bytesMade[before];
  }
  for (int source : reads(place)) {
    if (source < 0)
      continue;
    most = std::max(most, bytesOf(source));
    if (remaining[source] == 1)
      freed += bytesOf(source);
  }
  return made <= freed || made < most / small;
}

/// Makes more than it frees where it stands, and somebody reads it.
bool ReleaseScheduler::mayDefer(unsigned place) const {
  int64_t freed = 0;
  for (int source : reads(place))
    if (source >= 0 && from.timeline.instances[source].end == place)
      freed += bytesOf(source);
  if (bytesMade[place] <= freed)
    return false;
  unsigned first = from.timeline.firstMade(place);
  size_t count = context.graph.steps[from.order[place]].writes.size();
  return any_of(seq<size_t>(0, count),
                [&](size_t i) { return !readers[first + i].empty(); });
}

void ReleaseScheduler::take(unsigned place) {
  isDone[place] = true;
  taken.push_back(place);
  for (unsigned next : followers[place])
    --waiting[next];
  for (int source : reads(place))
    if (source >= 0)
      --remaining[source];
}

/// Takes one run that may be eager now: the last reader of an operand of
/// `place`, or a reader of what it made.
bool ReleaseScheduler::follow(unsigned place) {
  auto consider = [&](unsigned instance) {
    for (unsigned next : readers[instance])
      if (!isDone[next] && !isClone[next] && isEager(next)) {
        for (unsigned before : makers[next])
          if (!isDone[before])
            take(before);
        take(next);
        return true;
      }
    return false;
  };
  for (int source : reads(place))
    if (source >= 0 && remaining[source] == 1 && consider(unsigned(source)))
      return true;
  unsigned first = from.timeline.firstMade(place);
  size_t count = context.graph.steps[from.order[place]].writes.size();
  return any_of(seq<size_t>(0, count),
                [&](size_t i) { return consider(unsigned(first + i)); });
}

void ReleaseScheduler::takeAll(unsigned place) {
  take(place);
  for (size_t at = taken.size() - 1; at < taken.size(); ++at)
    while (follow(taken[at]))
      ;
}

/// Takes a run, deferred ones that it needs first.
void ReleaseScheduler::pull(unsigned place) {
  SmallVector<unsigned> pending = {place};
  while (!pending.empty()) {
    unsigned next = pending.back();
    for (unsigned before : makers[next])
      if (!isDone[before])
        pending.push_back(before);
    if (pending.back() != next)
      continue;
    pending.pop_back();
    if (!isDone[next])
      takeAll(next);
  }
}

std::vector<unsigned> ReleaseScheduler::run() {
  for (unsigned place = 0; place < from.order.size(); ++place)
    if (!isDone[place] && !mayDefer(place))
      pull(place);
  for (unsigned place = 0; place < from.order.size(); ++place)
    if (!isDone[place])
      pull(place);
  std::vector<unsigned> order;
  for (unsigned place : taken)
    order.push_back(from.order[place]);
  return order;
}

std::vector<unsigned> releaseOrder(const PlanContext &context,
                                   const TimedOrder &from) {
  return ReleaseScheduler(context, from).run();
}

namespace {
/// What the subtree of a step needs while it runs, and what it leaves.
struct SubtreeBytes {
  int64_t most = 0, left = 0;
};
} // namespace

std::vector<unsigned> depthFirstOrder(const PlanContext &context) {
  const MemoryGraph &graph = context.graph;
  std::vector<std::vector<unsigned>> preceders = precedersOf(graph);
  std::vector<SubtreeBytes> subtree(graph.steps.size());
  std::vector<bool> isRead(graph.steps.size());
  std::vector<unsigned> given = givenOrder(graph);
  for (unsigned step : given) {
    std::vector<unsigned> &list = preceders[step];
    stable_sort(list, [&](unsigned x, unsigned y) {
      return subtree[x].most - subtree[x].left >
             subtree[y].most - subtree[y].left;
    });
    int64_t held = 0;
    for (unsigned before : list) {
      subtree[step].most =
          std::max(subtree[step].most, held + subtree[before].most);
      held += subtree[before].left;
      isRead[before] = true;
    }
    for (unsigned value : graph.steps[step].writes)
      subtree[step].left += graph.values[value];
    subtree[step].most =
        std::max(subtree[step].most,
                 held + subtree[step].left + graph.steps[step].scratch);
  }
  std::vector<unsigned> order, pending;
  std::vector<bool> isDone(graph.steps.size());
  for (unsigned root : given) {
    if (isRead[root])
      continue;
    pending = {root};
    while (!pending.empty()) {
      unsigned next = pending.back();
      size_t before = pending.size();
      for (unsigned other : reverse(preceders[next]))
        if (!isDone[other])
          pending.push_back(other);
      if (pending.size() != before)
        continue;
      pending.pop_back();
      if (!isDone[next])
        order.push_back(next);
      isDone[next] = true;
    }
  }
  return order;
}

} // namespace zenith::remat
