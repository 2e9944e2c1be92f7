// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers fit between steps without raising the peak, cost nothing where
// steps hide them, and plans with a file are monotone.

#include "passes/remat/OffloadPlan.h"
#include "passes/remat/PlanMemory.h"
#include "passes/remat/ReadMemoryGraph.h"
#include "tests/passes/remat/RandomGraphs.h"

#include <gtest/gtest.h>

using namespace zenith;
using namespace zenith::remat;
using namespace zenith::remat::tests;

namespace {

constexpr int64_t unit = 16 << 10;

/// x is read by step 1 and by the last step; between them are `between` steps
/// of cost 10 on another value.
MemoryGraph chain(unsigned between) {
  MemoryGraph graph;
  auto add = [&](std::vector<unsigned> reads) {
    MemoryStep step;
    step.cost = 10;
    step.reads = std::move(reads);
    step.writes = {unsigned(graph.values.size())};
    graph.values.push_back(unit);
    graph.steps.push_back(std::move(step));
  };
  add({});
  add({0});
  for (unsigned i = 0; i < between; ++i)
    add({i + 1});
  add({between + 1, 0});
  graph.keep = {between + 2};
  return graph;
}

std::vector<unsigned> inOrder(const MemoryGraph &graph) {
  std::vector<unsigned> order(graph.steps.size());
  for (unsigned step = 0; step < order.size(); ++step)
    order[step] = step;
  return order;
}

OffloadTimeline planChain(unsigned between, double cost) {
  MemoryGraph graph = chain(between);
  std::vector<unsigned> order = inOrder(graph);
  MemoryTimeline timeline;
  simulate(graph, order, timeline);
  std::vector<bool> mayLeave(graph.values.size());
  mayLeave[0] = true;
  std::vector<ReadGap> gaps = gapsOf(graph, order, timeline, mayLeave);
  EXPECT_EQ(gaps.size(), 1u);
  return planTransfers(graph, order, timeline, gaps, {0, cost});
}

/// Bytes at each place of an order with offloads.
int64_t peakOf(const MemoryGraph &graph, const std::vector<unsigned> &order,
               const OffloadTimeline &planned) {
  MemoryTimeline timeline;
  simulate(graph, order, timeline);
  for (const Offload &offload : planned.offloads)
    for (unsigned place = offload.written; place < offload.begun; ++place)
      timeline.bytes[place] -= graph.values[offload.gap.value];
  return *std::max_element(timeline.bytes.begin(), timeline.bytes.end());
}

} // namespace

TEST(OffloadPlan, HidesTransfersUnderSteps) {
  // Memory has room for two values at a time: the transfers wait.
  OffloadTimeline slow = planChain(4, 15);
  ASSERT_EQ(slow.offloads.size(), 1u);
  EXPECT_EQ(slow.offloads[0].gap.last, 1u);
  EXPECT_EQ(slow.offloads[0].gap.next, 6u);
  // Three values live where the last step reads both and writes: there is room
  // for x at every place before.
  EXPECT_EQ(slow.peak, 3 * unit);
  EXPECT_EQ(slow.cost, 70);
  EXPECT_EQ(slow.offloads[0].written, 3u);
  EXPECT_EQ(slow.offloads[0].begun, 4u);
  // Longer than all steps between: waited for, not hidden.
  EXPECT_GT(planChain(2, 100).cost, 50);
}

TEST(OffloadPlan, NeverRaisesThePeak) {
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    MemoryGraph graph = randomGraph(random, unsigned(pick(random, 4, 60)));
    PlanOptions options;
    options.recompute = false;
    options.maxWork = 50'000;
    std::vector<unsigned> order = planMemory(graph, options).least().order;
    MemoryTimeline timeline;
    simulate(graph, order, timeline);
    std::vector<bool> all(graph.values.size(), true);
    std::vector<ReadGap> gaps = gapsOf(graph, order, timeline, all);
    FileModel model{0.01 * double(pick(random, 0, 10)), 1};
    OffloadTimeline planned =
        planTransfers(graph, order, timeline, gaps, model);
    EXPECT_LE(planned.peak, timeline.peak);
    EXPECT_GE(planned.cost, timeline.cost);
    EXPECT_EQ(peakOf(graph, order, planned), planned.peak);
    for (const Offload &offload : planned.offloads) {
      EXPECT_LT(offload.gap.last, offload.written);
      EXPECT_LE(offload.written, offload.begun);
      EXPECT_LE(offload.begun, offload.gap.next);
    }
  }
}

TEST(OffloadPlan, IsMonotoneAndNeverWorseThanRecomputing) {
  Random random(4);
  for (int i = 0; i < 40; ++i) {
    MemoryGraph graph = randomGraph(random, unsigned(pick(random, 10, 50)));
    for (int64_t &bytes : graph.values)
      bytes *= 1024;
    PlanOptions options;
    options.maxWork = 100'000;
    PlanList list = planMemory(graph, options);
    std::vector<std::vector<unsigned>> orders;
    for (const RematPlan &plan : list.plans)
      orders.push_back(plan.order);
    std::vector<OffloadedOrder> plans = offloadedOrders(
        graph, orders, std::vector<bool>(graph.values.size(), true),
        {1e-5, 0.1});
    ASSERT_FALSE(plans.empty());
    for (size_t k = 1; k < plans.size(); ++k) {
      EXPECT_LT(plans[k].peak, plans[k - 1].peak);
      EXPECT_GT(plans[k].cost, plans[k - 1].cost);
    }
    for (const RematPlan &plan : list.plans)
      EXPECT_TRUE(std::any_of(
          plans.begin(), plans.end(), [&](const OffloadedOrder &other) {
            return other.peak <= plan.peak && other.cost <= plan.cost;
          }));
  }
}
