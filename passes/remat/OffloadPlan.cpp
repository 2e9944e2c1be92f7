// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses gaps by the time until the next read, as Belady's rule evicts, and
// fits transfers between the steps.

#include "passes/remat/OffloadPlan.h"

#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;

namespace zenith::remat {

std::vector<ReadGap> gapsOf(const MemoryGraph &graph, ArrayRef<unsigned> order,
                            const MemoryTimeline &timeline,
                            const std::vector<bool> &mayLeave) {
  std::vector<unsigned> lastRead(timeline.instances.size());
  for (auto [index, instance] : enumerate(timeline.instances))
    lastRead[index] = instance.begin;
  std::vector<ReadGap> gaps;
  for (unsigned place = 0; place < order.size(); ++place)
    for (int index : timeline.reads(place)) {
      if (index < 0)
        continue;
      const ValueInstance &instance = timeline.instances[index];
      if (mayLeave[instance.value] && lastRead[index] + 1 < place)
        gaps.push_back(
            {instance.value, instance.begin, lastRead[index], place});
      lastRead[index] = place;
    }
  return gaps;
}

namespace {

/// Fits the transfers of gaps between the steps of an order.
class TransferPlanner {
public:
  TransferPlanner(const MemoryGraph &graph, ArrayRef<unsigned> order,
                  const MemoryTimeline &timeline, const FileModel &model)
      : graph(graph), order(order), model(model), bytes(timeline.bytes),
        start(order.size() + 1) {
    for (unsigned place = 0; place < order.size(); ++place)
      start[place + 1] = start[place] + graph.steps[order[place]].cost;
  }

  OffloadTimeline plan(std::vector<ReadGap> gaps);

private:
  double costOf(const Offload &offload) const {
    return model.costOf(graph.values[offload.gap.value]);
  }
  /// Keeps a value in memory at a place, where the peak has room.
  bool hold(const Offload &offload, unsigned place, int64_t peak) {
    int64_t size = graph.values[offload.gap.value];
    if (bytes[place] + size > peak)
      return false;
    bytes[place] += size;
    return true;
  }
  void delayWrites(OffloadTimeline &planned);
  void advanceReads(OffloadTimeline &planned);
  double costOf(const OffloadTimeline &planned) const;

  const MemoryGraph &graph;
  ArrayRef<unsigned> order;
  const FileModel &model;
  std::vector<int64_t> bytes; ///< in memory at each place
  std::vector<double> start;  ///< of each place, if nothing waits
};

} // namespace

/// Waits for writes as late as they need.
void TransferPlanner::delayWrites(OffloadTimeline &planned) {
  std::vector<Offload *> writes;
  for (Offload &offload : planned.offloads)
    if (offload.isWritten)
      writes.push_back(&offload);
  stable_sort(writes, [](const Offload *x, const Offload *y) {
    return x->gap.made < y->gap.made;
  });
  double free = 0;
  for (Offload *offload : writes) {
    free = std::max(free, start[offload->gap.made + 1]) + costOf(*offload);
    while (offload->written < offload->gap.next &&
           start[offload->written] < free &&
           hold(*offload, offload->written, planned.peak))
      ++offload->written;
  }
}

/// Starts reads as early as they need, the last ones first: each has to be done
/// when the one after it starts.
void TransferPlanner::advanceReads(OffloadTimeline &planned) {
  double free = start.back();
  for (Offload &offload : reverse(planned.offloads)) {
    free = std::min(free, start[offload.gap.next]) - costOf(offload);
    while (offload.begun > offload.written && start[offload.begun] > free &&
           hold(offload, offload.begun - 1, planned.peak))
      --offload.begun;
  }
}

/// Runs the steps and the transfers on two clocks, in the order in which a
/// program does them: waits for writes, starts of reads, waits for reads, the
/// step, starts of writes.
double TransferPlanner::costOf(const OffloadTimeline &planned) const {
  size_t count = planned.offloads.size();
  std::vector<double> writeEnd(count), readEnd(count);
  std::multimap<unsigned, size_t> made, written, begun, next;
  for (auto [index, offload] : enumerate(planned.offloads)) {
    if (offload.isWritten) {
      made.emplace(offload.gap.made, index);
      written.emplace(offload.written, index);
    }
    begun.emplace(offload.begun, index);
    next.emplace(offload.gap.next, index);
  }
  double clock = 0, free = 0;
  auto at = [](const std::multimap<unsigned, size_t> &events, unsigned place) {
    return make_range(events.equal_range(place));
  };
  for (unsigned place = 0; place < order.size(); ++place) {
    for (auto [_, index] : at(written, place))
      clock = std::max(clock, writeEnd[index]);
    for (auto [_, index] : at(begun, place))
      free = readEnd[index] =
          std::max(clock, free) + costOf(planned.offloads[index]);
    for (auto [_, index] : at(next, place))
      clock = std::max(clock, readEnd[index]);
    clock += graph.steps[order[place]].cost;
    for (auto [_, index] : at(made, place))
      free = writeEnd[index] =
          std::max(clock, free) + costOf(planned.offloads[index]);
  }
  return clock;
}

OffloadTimeline TransferPlanner::plan(std::vector<ReadGap> gaps) {
  stable_sort(
      gaps, [](const ReadGap &x, const ReadGap &y) { return x.next < y.next; });
  OffloadTimeline planned;
  std::map<std::pair<unsigned, unsigned>, bool> seen; // value, made
  for (const ReadGap &gap : gaps) {
    bool isFirst = seen.emplace(std::pair(gap.value, gap.made), true).second;
    planned.offloads.push_back({gap, isFirst, gap.last + 1, gap.next});
    for (unsigned place = gap.last + 1; place < gap.next; ++place)
      bytes[place] -= graph.values[gap.value];
  }
  planned.peak = bytes.empty() ? 0 : *max_element(bytes);
  delayWrites(planned);
  advanceReads(planned);
  planned.cost = costOf(planned);
  return planned;
}

OffloadTimeline planTransfers(const MemoryGraph &graph,
                              ArrayRef<unsigned> order,
                              const MemoryTimeline &timeline,
                              std::vector<ReadGap> gaps,
                              const FileModel &model) {
  return TransferPlanner(graph, order, timeline, model).plan(std::move(gaps));
}

/// Plans of one order, each with more gaps than the one before.
static void addOffloaded(const MemoryGraph &graph, ArrayRef<unsigned> order,
                         const std::vector<bool> &mayLeave,
                         const FileModel &model,
                         std::vector<OffloadedOrder> &plans) {
  MemoryTimeline timeline;
  simulate(graph, order, timeline);
  plans.push_back({order.vec(), {}, timeline.peak, timeline.cost});
  // Small values are not worth a call of the system.
  constexpr int64_t leastBytes = 16 << 10;
  std::vector<ReadGap> gaps = gapsOf(graph, order, timeline, mayLeave), chosen;
  llvm::erase_if(gaps, [&](const ReadGap &gap) {
    return graph.values[gap.value] < std::max(leastBytes, timeline.peak / 2048);
  });
  std::vector<double> start(order.size() + 1);
  for (unsigned place = 0; place < order.size(); ++place)
    start[place + 1] = start[place] + graph.steps[order[place]].cost;
  auto timeOf = [&](const ReadGap &gap) {
    return start[gap.next] - start[gap.last + 1];
  };
  // The longest first; of equals those that come first.
  stable_sort(gaps, [&](const ReadGap &x, const ReadGap &y) {
    return timeOf(x) > timeOf(y);
  });
  std::vector<int64_t> bytes = timeline.bytes;
  int64_t step = timeline.peak / 200, reached = timeline.peak;
  while (true) {
    auto fullest = unsigned(max_element(bytes) - bytes.begin());
    if (!chosen.empty() && bytes[fullest] < reached - step) {
      OffloadTimeline planned =
          planTransfers(graph, order, timeline, chosen, model);
      plans.push_back({order.vec(), chosen, planned.peak, planned.cost});
      reached = planned.peak;
    }
    auto gap = find_if(gaps, [&](const ReadGap &gap) {
      return gap.last < fullest && fullest < gap.next;
    });
    if (gap == gaps.end())
      return;
    for (unsigned place = gap->last + 1; place < gap->next; ++place)
      bytes[place] -= graph.values[gap->value];
    chosen.push_back(*gap);
    gaps.erase(gap);
  }
}

std::vector<OffloadedOrder> bestOrders(std::vector<OffloadedOrder> plans) {
  stable_sort(plans, [](const OffloadedOrder &x, const OffloadedOrder &y) {
    return std::pair(-x.peak, x.cost) < std::pair(-y.peak, y.cost);
  });
  std::vector<OffloadedOrder> best;
  for (OffloadedOrder &plan : plans) {
    while (!best.empty() && best.back().cost >= plan.cost)
      best.pop_back();
    if (best.empty() || best.back().peak > plan.peak)
      best.push_back(std::move(plan));
  }
  return best;
}

std::vector<OffloadedOrder>
offloadedOrders(const MemoryGraph &graph,
                ArrayRef<std::vector<unsigned>> orders,
                const std::vector<bool> &mayLeave, const FileModel &model) {
  std::vector<OffloadedOrder> plans;
  for (const std::vector<unsigned> &order : orders)
    addOffloaded(graph, order, mayLeave, model, plans);
  return bestOrders(std::move(plans));
}

} // namespace zenith::remat
