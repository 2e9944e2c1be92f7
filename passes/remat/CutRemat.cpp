// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The network: source -> run, of the capacity of its cost; run -> what it made,
// of lambda x bytes; value -> each run that reads it, and -> sink where it is
// needed behind the place, of no limit. Runs on the side of the sink are made
// again; values whose edge is cut are saved.

#include "passes/remat/CutRemat.h"

#include "passes/remat/ChainBoundaries.h"
#include "passes/remat/MaximumFlow.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <optional>
#include <set>

using namespace llvm;

namespace zenith::remat {

namespace {

/// A cut as a point of the hull.
struct CutPoint {
  double cost = 0, bytes = 0;
  std::vector<bool> runs; ///< by place; empty: none
};

class CutNetwork {
public:
  CutNetwork(PlanContext &context, const TimedOrder &from);
  /// Values that cross one of `boundaries` are saved for nothing.
  void saveAcross(ArrayRef<unsigned> boundaries);
  /// Places where less crosses than at the places around, to be read later
  /// before the fullest place.
  std::vector<ChainPlace> narrowPlaces() const;
  /// The corners of the hull, those of most difference first.
  void addHull(unsigned mostCuts, std::set<std::vector<bool>> &sets);

private:
  struct ValueNode {
    unsigned instance, edge = 0;
    bool isFree = false;
  };
  struct RunNode {
    unsigned place, edge = 0;
  };
  static constexpr unsigned source = 0, sink = 1, firstNode = 2;
  unsigned runNode(size_t index) const { return unsigned(firstNode + index); }
  unsigned valueNode(size_t index) const {
    return unsigned(firstNode + runs.size() + index);
  }
  double bytesOf(unsigned instance) const {
    return double(
        context.graph.values[from.timeline.instances[instance].value]);
  }
  void findClosure();
  void buildFlow();
  bool isNeededLater(unsigned instance) const;
  CutPoint cut(double lambda);

  PlanContext &context;
  const TimedOrder &from;
  unsigned full;
  /// By instance: read at the fullest place; its last read before.
  std::vector<bool> isReadAtFull;
  std::vector<unsigned> lastRead;
  std::vector<int> valueIndex, runIndex; ///< by instance; by place; -1: none
  std::vector<ValueNode> values;
  std::vector<RunNode> runs;
  std::optional<MaximumFlow> flow;
  double totalCost = 0;
};

} // namespace

CutNetwork::CutNetwork(PlanContext &context, const TimedOrder &from)
    : context(context), from(from), full(from.timeline.fullest),
      isReadAtFull(from.timeline.instances.size()),
      lastRead(from.timeline.instances.size()),
      valueIndex(from.timeline.instances.size(), -1),
      runIndex(from.order.size(), -1) {
  for (unsigned place = 0; place < full; ++place)
    for (int read : from.timeline.reads(place))
      if (read >= 0)
        lastRead[unsigned(read)] = place;
  for (int read : from.timeline.reads(full))
    if (read >= 0)
      isReadAtFull[unsigned(read)] = true;
  findClosure();
  buildFlow();
}

/// Lives across the fullest place, without being read there.
bool CutNetwork::isNeededLater(unsigned index) const {
  const ValueInstance &instance = from.timeline.instances[index];
  return instance.begin < full && instance.end > full && !isReadAtFull[index];
}

/// What is needed later, and what making it again would read.
void CutNetwork::findClosure() {
  std::vector<unsigned> pending;
  auto add = [&](unsigned instance) {
    if (valueIndex[instance] >= 0)
      return;
    valueIndex[instance] = int(values.size());
    values.push_back({instance});
    unsigned place = from.timeline.instances[instance].begin;
    if (runIndex[place] >= 0)
      return;
    runIndex[place] = int(runs.size());
    runs.push_back({place});
    totalCost += context.graph.steps[from.order[place]].cost;
    pending.push_back(place);
  };
  for (unsigned index = 0; index < from.timeline.instances.size(); ++index)
    if (isNeededLater(index))
      add(index);
  while (!pending.empty()) {
    unsigned place = pending.back();
    pending.pop_back();
    for (int read : from.timeline.reads(place))
      if (read >= 0 && !isReadAtFull[unsigned(read)])
        add(unsigned(read));
  }
}

void CutNetwork::buildFlow() {
  flow.emplace(unsigned(firstNode + runs.size() + values.size()));
  for (auto [index, run] : enumerate(runs))
    run.edge = flow->addEdge(source, runNode(index));
  for (auto [index, value] : enumerate(values)) {
    unsigned maker = from.timeline.instances[value.instance].begin;
    value.edge =
        flow->addEdge(runNode(size_t(runIndex[maker])), valueNode(index));
    if (isNeededLater(value.instance))
      flow->addEdge(valueNode(index), sink);
  }
  for (auto [index, run] : enumerate(runs))
    for (int read : from.timeline.reads(run.place))
      if (read >= 0 && valueIndex[unsigned(read)] >= 0)
        flow->addEdge(valueNode(size_t(valueIndex[unsigned(read)])),
                      runNode(index));
}

std::vector<ChainPlace> CutNetwork::narrowPlaces() const {
  constexpr unsigned around = 2;
  std::vector<int64_t> crossing(full + 1), made(full + 1);
  for (const ValueNode &value : values)
    if (isNeededLater(value.instance)) {
      const ValueInstance &instance = from.timeline.instances[value.instance];
      made[instance.begin] += context.graph.values[instance.value];
    }
  for (auto [index, instance] : enumerate(from.timeline.instances))
    if (instance.begin < full && lastRead[index] > instance.begin) {
      int64_t bytes = context.graph.values[instance.value];
      crossing[instance.begin] += bytes;
      crossing[lastRead[index]] -= bytes;
    }
  for (unsigned place = 1; place <= full; ++place)
    crossing[place] += crossing[place - 1];
  std::vector<ChainPlace> narrow;
  int64_t interior = full > 0 ? made[0] + made[1] : 0;
  for (unsigned place = around; place + around < full; ++place) {
    interior += made[place];
    bool isLeast = true, isBelow = false;
    for (unsigned other = place - around; other <= place + around; ++other) {
      isLeast &= crossing[place] < crossing[other] ||
                 (crossing[place] == crossing[other] && place <= other);
      isBelow |= crossing[place] < crossing[other];
    }
    if (!isLeast || !isBelow)
      continue;
    narrow.push_back({place, crossing[place], interior});
    interior = 0;
  }
  return narrow;
}

void CutNetwork::saveAcross(ArrayRef<unsigned> boundaries) {
  for (ValueNode &value : values) {
    unsigned begin = from.timeline.instances[value.instance].begin;
    const unsigned *found = llvm::lower_bound(boundaries, begin);
    value.isFree =
        found != boundaries.end() && *found < lastRead[value.instance];
  }
}

CutPoint CutNetwork::cut(double lambda) {
  // The sum of all costs is 2^30 units of flow.
  constexpr double allCosts = double(1 << 30), most = double(int64_t(1) << 55);
  double scale = totalCost > 0 ? allCosts / totalCost : 1;
  for (const RunNode &run : runs) {
    unsigned step = from.order[run.place];
    flow->setCapacity(run.edge,
                      context.mayRepeat[step]
                          ? int64_t(context.graph.steps[step].cost * scale) + 1
                          : MaximumFlow::infinite);
  }
  for (const ValueNode &value : values)
    flow->setCapacity(
        value.edge, value.isFree
                        ? 0
                        : int64_t(std::min(
                              bytesOf(value.instance) * lambda * scale, most)));
  flow->cut(source, sink, context.work);
  CutPoint point;
  for (auto [index, run] : enumerate(runs)) {
    if (flow->isOnSourceSide(runNode(index)))
      continue;
    point.runs.resize(from.order.size());
    point.runs[run.place] = true;
    point.cost += context.graph.steps[from.order[run.place]].cost;
  }
  for (auto [index, value] : enumerate(values)) {
    unsigned maker = from.timeline.instances[value.instance].begin;
    if (!value.isFree && !flow->isOnSourceSide(valueNode(index)) &&
        flow->isOnSourceSide(runNode(size_t(runIndex[maker]))))
      point.bytes += bytesOf(value.instance);
  }
  return point;
}

void CutNetwork::addHull(unsigned mostCuts, std::set<std::vector<bool>> &sets) {
  if (runs.empty() || !context.hasWork())
    return;
  CutPoint none;
  for (const ValueNode &value : values)
    if (!value.isFree && isNeededLater(value.instance))
      none.bytes += bytesOf(value.instance);
  // A cache line costs as much as everything.
  constexpr double line = 64;
  std::vector<std::pair<CutPoint, CutPoint>> gaps = {
      {none, cut(std::max(totalCost, 1.0) / line)}};
  auto take = [&](const CutPoint &point) {
    if (!point.runs.empty())
      sets.insert(point.runs);
  };
  take(gaps[0].second);
  for (unsigned cuts = 1, at = 0;
       at < gaps.size() && cuts < mostCuts && context.hasWork(); ++at) {
    auto [left, right] = gaps[at];
    double bytes = left.bytes - right.bytes, cost = right.cost - left.cost;
    if (bytes <= 0 || cost <= 0)
      continue;
    double lambda = cost / bytes;
    CutPoint middle = cut(lambda);
    ++cuts;
    constexpr double tolerance = 1e-6;
    double gain =
        left.cost + lambda * left.bytes - (middle.cost + lambda * middle.bytes);
    if (gain <= tolerance * totalCost)
      continue;
    take(middle);
    gaps.push_back({left, middle});
    gaps.push_back({middle, right});
  }
}

std::vector<std::vector<bool>>
cutSets(PlanContext &context, const TimedOrder &from, unsigned mostCuts) {
  CutNetwork network(context, from);
  std::set<std::vector<bool>> sets;
  network.addHull(mostCuts, sets);
  for (const std::vector<unsigned> &boundaries :
       chainBoundaries(network.narrowPlaces())) {
    network.saveAcross(boundaries);
    network.addHull(mostCuts, sets);
  }
  return {sets.begin(), sets.end()};
}

} // namespace zenith::remat
