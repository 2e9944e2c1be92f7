// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulates an order: binds reads to the latest instances, then adds up what
// lives.

#include "passes/remat/MemoryTimeline.h"

#include "passes/remat/StepOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace llvm;

namespace zenith::remat {

/// Binds reads and finds the ends of instances.
static void bindReads(const MemoryGraph &graph, ArrayRef<unsigned> order,
                      MemoryTimeline &timeline, std::vector<int> &latest) {
  latest.assign(graph.values.size(), -1);
  timeline.instances.clear();
  timeline.sources.clear();
  timeline.firstRead.assign(order.size() + 1, 0);
  timeline.firstWrite.assign(order.size() + 1, 0);
  timeline.cost = 0;
  for (unsigned place = 0; place < order.size(); ++place) {
    const MemoryStep &step = graph.steps[order[place]];
    timeline.firstWrite[place] = unsigned(timeline.instances.size());
    timeline.firstRead[place] = unsigned(timeline.sources.size());
    for (unsigned value : step.reads) {
      timeline.sources.push_back(latest[value]);
      if (latest[value] >= 0)
        timeline.instances[latest[value]].end = place;
    }
    for (unsigned value : step.writes) {
      latest[value] = int(timeline.instances.size());
      timeline.instances.push_back({value, place, place});
    }
    timeline.cost += step.cost;
  }
  timeline.firstWrite.back() = unsigned(timeline.instances.size());
  timeline.firstRead.back() = unsigned(timeline.sources.size());
  for (unsigned value : graph.keep)
    if (latest[value] >= 0)
      timeline.instances[latest[value]].end = unsigned(order.size());
}

/// Bytes that a step writes over operands which die at its place.
static int64_t sharedBytes(const MemoryGraph &graph, const MemoryStep &step,
                           unsigned place, const MemoryTimeline &timeline) {
  SmallBitVector taken(step.reads.size()), given(step.writes.size());
  int64_t shared = 0;
  ArrayRef<int> sources = timeline.reads(place);
  for (const SharedPair &pair : step.shares) {
    size_t read = size_t(find(step.reads, pair.read) - step.reads.begin());
    size_t written =
        size_t(find(step.writes, pair.written) - step.writes.begin());
    if (sources[read] < 0 || timeline.instances[sources[read]].end != place ||
        taken[read] || given[written])
      continue;
    taken.set(read);
    given.set(written);
    shared += std::min(graph.values[pair.read], graph.values[pair.written]);
  }
  return shared;
}

void simulate(const MemoryGraph &graph, ArrayRef<unsigned> order,
              MemoryTimeline &timeline) {
  std::vector<int> latest;
  bindReads(graph, order, timeline, latest);
  // What dies at a place counts as negative at the next one.
  std::vector<int64_t> dying(order.size() + 1, 0);
  for (const ValueInstance &instance : timeline.instances)
    dying[instance.end] += graph.values[instance.value];
  timeline.bytes.resize(order.size());
  timeline.peak = 0;
  timeline.fullest = 0;
  int64_t live = 0;
  for (unsigned place = 0; place < order.size(); ++place) {
    const MemoryStep &step = graph.steps[order[place]];
    for (unsigned value : step.writes)
      live += graph.values[value];
    int64_t bytes = live + step.scratch;
    if (!step.shares.empty())
      bytes -= sharedBytes(graph, step, place, timeline);
    timeline.bytes[place] = bytes;
    if (bytes > timeline.peak) {
      timeline.peak = bytes;
      timeline.fullest = place;
    }
    live -= dying[place];
  }
}

Result<MemoryTimeline> timelineOf(const MemoryGraph &graph,
                                  ArrayRef<unsigned> order) {
  std::vector<std::vector<unsigned>> preceders = precedersOf(graph);
  std::vector<bool> ran(graph.steps.size());
  for (size_t place = 0; place < order.size(); ++place) {
    unsigned step = order[place];
    std::string key = "order[" + std::to_string(place) + "]";
    if (step >= graph.steps.size())
      return invalid("there is no step " + std::to_string(step), key);
    if (ran[step] && !graph.steps[step].repeatable)
      return invalid("step " + std::to_string(step) + " runs twice", key);
    for (unsigned before : preceders[step])
      if (!ran[before])
        return invalid("step " + std::to_string(step) + " comes before step " +
                           std::to_string(before),
                       key);
    ran[step] = true;
  }
  for (size_t step = 0; step < ran.size(); ++step)
    if (!ran[step])
      return invalid("step " + std::to_string(step) + " never runs");
  MemoryTimeline timeline;
  simulate(graph, order, timeline);
  return timeline;
}

} // namespace zenith::remat
