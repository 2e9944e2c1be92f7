// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans are orders that do what they say, monotone over budgets, and the best
// ones where all orders can be tried.

#include "passes/remat/PlanMemory.h"
#include "passes/remat/LowerBound.h"
#include "passes/remat/MemoryTimeline.h"
#include "passes/remat/ReadMemoryGraph.h"
#include "tests/passes/remat/RandomGraphs.h"

#include <functional>
#include <gtest/gtest.h>

using namespace zenith;
using namespace zenith::remat;
using namespace zenith::remat::tests;

namespace {

/// Little work is enough to see whether plans are right.
PlanOptions quick() {
  PlanOptions options;
  options.maxWork = 300'000;
  return options;
}

void expectSound(const MemoryGraph &graph, const PlanList &list) {
  ASSERT_FALSE(list.plans.empty());
  for (size_t i = 0; i < list.plans.size(); ++i) {
    const RematPlan &plan = list.plans[i];
    Result<MemoryTimeline> timeline = timelineOf(graph, plan.order);
    ASSERT_TRUE(bool(timeline)) << timeline.error().message();
    EXPECT_EQ(timeline->peak, plan.peak);
    EXPECT_EQ(timeline->cost, plan.cost);
    EXPECT_GE(plan.peak, list.lowerBound);
    if (i > 0) {
      EXPECT_LT(plan.peak, list.plans[i - 1].peak);
      EXPECT_GT(plan.cost, list.plans[i - 1].cost);
    }
  }
}

} // namespace

TEST(PlanMemory, IsMonotoneOverBudgets) {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    MemoryGraph graph = randomGraph(random, unsigned(pick(random, 4, 60)));
    Status ok = checkGraph(graph);
    ASSERT_TRUE(bool(ok)) << ok.error().message();
    PlanList list = planMemory(graph, quick());
    expectSound(graph, list);
    int64_t most = list.plans.front().peak, least = list.least().peak;
    EXPECT_EQ(list.within(least - 1), nullptr);
    const RematPlan *before = nullptr;
    for (int k = 0; k < 10; ++k) {
      int64_t budget = least + (most - least) * k / 9;
      const RematPlan *plan = list.within(budget);
      ASSERT_NE(plan, nullptr);
      EXPECT_LE(plan->peak, budget);
      if (before) {
        EXPECT_LE(before->peak, plan->peak);
        EXPECT_GE(before->cost, plan->cost);
      }
      before = plan;
    }
  }
}

TEST(PlanMemory, NoOrderBeatsPlansOfSmallGraphs) {
  constexpr size_t mostRuns = 7;
  Random random(2);
  for (int i = 0; i < 40; ++i) {
    MemoryGraph graph = randomGraph(random, 5);
    PlanList list = planMemory(graph, quick());
    ASSERT_TRUE(list.isExact);
    expectSound(graph, list);
    EXPECT_LE(lowerBound(graph).bytes, list.lowerBound);
    std::vector<unsigned> order;
    std::function<void()> tryAll = [&] {
      if (Result<MemoryTimeline> timeline = timelineOf(graph, order)) {
        const RematPlan *plan = list.within(timeline->peak);
        ASSERT_NE(plan, nullptr);
        EXPECT_LE(plan->cost, timeline->cost);
      }
      if (order.size() == mostRuns)
        return;
      for (unsigned step = 0; step < graph.steps.size(); ++step) {
        if (order.empty() && !graph.steps[step].reads.empty())
          continue;
        order.push_back(step);
        tryAll();
        order.pop_back();
      }
    };
    tryAll();
  }
}

TEST(PlanMemory, HeuristicsAreNearTheOptimum) {
  // More steps than the exact search takes: the same graph twice, apart.
  Random random(3);
  for (int i = 0; i < 20; ++i) {
    MemoryGraph graph = randomGraph(random, 12);
    PlanList exact = planMemory(graph);
    ASSERT_TRUE(exact.isExact);
    MemoryGraph twice = graph;
    unsigned values = unsigned(graph.values.size());
    twice.values.insert(twice.values.end(), graph.values.begin(),
                        graph.values.end());
    for (MemoryStep step : graph.steps) {
      for (auto *list : {&step.reads, &step.writes})
        for (unsigned &value : *list)
          value += values;
      for (SharedPair &pair : step.shares)
        pair = {pair.read + values, pair.written + values};
      for (unsigned &before : step.after)
        before += unsigned(graph.steps.size());
      twice.steps.push_back(std::move(step));
    }
    PlanList list = planMemory(twice, quick());
    EXPECT_FALSE(list.isExact);
    expectSound(twice, list);
    // One after the other, both as cheap as can be.
    EXPECT_LE(double(list.plans.front().peak),
              1.25 * double(exact.plans.front().peak));
  }
}

TEST(PlanMemory, WithoutRecomputationEachStepRunsOnce) {
  Random random(4);
  for (unsigned steps : {5u, 12u, 40u}) {
    MemoryGraph graph = randomGraph(random, steps);
    PlanOptions options = quick();
    options.recompute = false;
    PlanList list = planMemory(graph, options);
    ASSERT_EQ(list.plans.size(), 1u);
    EXPECT_EQ(list.plans[0].order.size(), graph.steps.size());
    expectSound(graph, list);
  }
}

TEST(PlanMemory, IsTheSameEachTime) {
  Random random(5);
  MemoryGraph graph = randomGraph(random, 60);
  PlanList x = planMemory(graph, quick()), y = planMemory(graph, quick());
  ASSERT_EQ(x.plans.size(), y.plans.size());
  for (size_t i = 0; i < x.plans.size(); ++i)
    EXPECT_EQ(x.plans[i].order, y.plans[i].order);
  EXPECT_EQ(x.work, y.work);
}

TEST(PlanMemory, PlansGraphsWithoutStepsOrBytes) {
  MemoryGraph none;
  EXPECT_EQ(planMemory(none).least().peak, 0);
  MemoryGraph empty;
  empty.values = {0, 0};
  empty.steps.resize(2);
  empty.steps[0].writes = {0};
  empty.steps[1].reads = {0};
  empty.steps[1].writes = {1};
  EXPECT_EQ(planMemory(empty).least().peak, 0);
  EXPECT_EQ(planMemory(empty).least().order, (std::vector<unsigned>{0, 1}));
}

/// A chain of `layers` and its gradients, all values of one size.
static MemoryGraph trainingChain(unsigned layers) {
  MemoryGraph graph;
  for (unsigned k = 0; k < 2 * layers; ++k) {
    MemoryStep step;
    step.cost = 1;
    if (k > 0)
      step.reads.push_back(k - 1);
    if (k >= layers && 2 * layers - 1 - k != k - 1)
      step.reads.push_back(2 * layers - 1 - k);
    step.writes = {k};
    graph.values.push_back(64);
    graph.steps.push_back(step);
  }
  graph.keep = {2 * layers - 1};
  return graph;
}

TEST(PlanMemory, ResultsMayWaitForTheEnd) {
  // A result that is made early and takes most of the memory until the end.
  constexpr unsigned layers = 16;
  MemoryGraph graph = trainingChain(layers);
  graph.values.push_back(1 << 20);
  MemoryStep early;
  early.cost = 1;
  early.reads = {0};
  early.writes = {2 * layers};
  graph.steps.insert(graph.steps.begin() + 1, early);
  graph.keep.push_back(2 * layers);
  PlanList list = planMemory(graph);
  EXPECT_LE(list.least().peak, (1 << 20) + 3 * 64);
}

TEST(PlanMemory, ChainsTakeTheSquareRootForOneMoreForwardPass) {
  constexpr unsigned layers = 64;
  PlanList list = planMemory(trainingChain(layers));
  // 2 sqrt(layers) values and a few, each layer run again at most once.
  const RematPlan *plan = list.within((2 * 8 + 3) * 64);
  ASSERT_NE(plan, nullptr);
  EXPECT_LE(plan->cost, 3.0 * layers);
}

/// Blocks of `inner` steps that hand on little and make much inside, and their
/// derivatives, which read all of it.
static MemoryGraph trainingBlocks(unsigned blocks, unsigned inner) {
  MemoryGraph graph;
  graph.values = {0};
  auto add = [&](double cost, std::vector<unsigned> reads, int64_t bytes) {
    unsigned made = unsigned(graph.values.size());
    graph.values.push_back(bytes);
    MemoryStep step;
    step.cost = cost;
    step.reads = std::move(reads);
    step.writes = {made};
    graph.steps.push_back(std::move(step));
    return made;
  };
  constexpr int64_t handedOn = 64, inside[] = {256, 128};
  std::vector<std::vector<unsigned>> made; // of each block, operands first
  unsigned value = 0;
  for (unsigned block = 0; block < blocks; ++block) {
    std::vector<unsigned> &values = made.emplace_back();
    values.push_back(value);
    for (unsigned i = 0; i < inner; ++i)
      values.push_back(add(i % 2 ? 10 : 3, {values.back()}, inside[i % 2]));
    value = add(10, {value, values.back()}, handedOn);
  }
  unsigned gradient = add(1, {value}, handedOn);
  for (unsigned block = blocks; block-- > 0;) {
    const std::vector<unsigned> &values = made[block];
    unsigned last = gradient;
    for (unsigned i = inner; i > 0; --i)
      last = add(i % 2 ? 10 : 20, {last, values[i], values[i - 1]},
                 inside[1 - i % 2]);
    gradient = add(5, {gradient, last}, handedOn);
  }
  graph.keep = {gradient};
  return graph;
}

TEST(PlanMemory, HasPlansForAllPartsOfTheList) {
  PlanList list = planMemory(trainingBlocks(/*blocks=*/16, /*inner=*/8));
  const RematPlan &plain = list.plans.front();
  for (auto [share, added] : {std::pair(0.5, 0.052), std::pair(0.3, 0.120),
                              std::pair(0.15, 0.220), std::pair(0.12, 0.240)}) {
    const RematPlan *plan = list.within(int64_t(share * double(plain.peak)));
    ASSERT_NE(plan, nullptr);
    EXPECT_LE(plan->cost, (1 + added) * plain.cost) << share;
  }
}
