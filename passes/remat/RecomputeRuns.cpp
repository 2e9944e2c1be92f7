// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recomputation is lazy: a clone stands in front of the first reader.

#include "passes/remat/RecomputeRuns.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace zenith::remat {

namespace {

/// Appends steps to an order, and in front of each what it needs.
class LazyAppender {
public:
  LazyAppender(const PlanContext &context, std::vector<unsigned> &order)
      : context(context), order(order), isGone(context.graph.values.size()) {}

  void giveUp(unsigned value) { isGone[value] = true; }
  void append(unsigned step);
  void provide(unsigned value) {
    if (isGone[value])
      append(unsigned(context.writers[value]));
  }

private:
  const PlanContext &context;
  std::vector<unsigned> &order;
  std::vector<bool> isGone;      ///< values that must be made again
  std::vector<unsigned> pending; ///< steps, operands on top
};

} // namespace

void LazyAppender::append(unsigned step) {
  pending = {step};
  while (!pending.empty()) {
    unsigned next = pending.back();
    size_t before = pending.size();
    for (unsigned value : context.graph.steps[next].reads)
      if (isGone[value])
        pending.push_back(unsigned(context.writers[value]));
    if (pending.size() != before)
      continue;
    pending.pop_back();
    // Two operands of a step may have one writer, which is pending twice.
    const std::vector<unsigned> &made = context.graph.steps[next].writes;
    bool isNeeded = pending.empty() ||
                    any_of(made, [&](unsigned value) { return isGone[value]; });
    if (!isNeeded)
      continue;
    order.push_back(next);
    for (unsigned value : made)
      isGone[value] = false;
  }
}

std::vector<unsigned> recomputeRuns(const PlanContext &context,
                                    const TimedOrder &from, unsigned full,
                                    const std::vector<bool> &places) {
  const MemoryTimeline &timeline = from.timeline;
  std::vector<unsigned> order(from.order.begin(),
                              from.order.begin() + full + 1);
  LazyAppender appender(context, order);
  // Later instances decide: what is made again before `full` is there.
  std::vector<bool> isLater(context.graph.values.size());
  for (int source : timeline.reads(full))
    if (source >= 0)
      isLater[timeline.instances[source].value] = true;
  for (unsigned place = full + 1; place-- > 0;)
    for (unsigned value : context.graph.steps[from.order[place]].writes) {
      if (!isLater[value] && place < full && places[place])
        appender.giveUp(value);
      isLater[value] = true;
    }
  for (unsigned place = full + 1; place < from.order.size(); ++place)
    appender.append(from.order[place]);
  for (unsigned value : context.graph.keep)
    appender.provide(value);
  dropUselessRuns(context, order);
  return order;
}

void dropUselessRuns(const PlanContext &context, std::vector<unsigned> &order) {
  const MemoryGraph &graph = context.graph;
  std::vector<unsigned> runs(graph.steps.size());
  for (unsigned step : order)
    ++runs[step];
  std::vector<bool> isRead(graph.values.size()); // before it is made again
  for (unsigned value : graph.keep)
    isRead[value] = true;
  size_t end = order.size();
  for (size_t place = order.size(); place-- > 0;) {
    const MemoryStep &step = graph.steps[order[place]];
    if (runs[order[place]] > 1 &&
        none_of(step.writes, [&](unsigned value) { return isRead[value]; })) {
      --runs[order[place]];
      continue;
    }
    for (unsigned value : step.writes)
      isRead[value] = false;
    for (unsigned value : step.reads)
      isRead[value] = true;
    order[--end] = order[place];
  }
  order.erase(order.begin(), order.begin() + long(end));
}

} // namespace zenith::remat
