// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Picks the cheapest plan of the planner whose arena a budget has room for, and
// copies fusions as it says.

#include "lowering/LoweringPasses.h"
#include "lowering/host/HostDialect.h"
#include "lowering/memory/FileTransfers.h"
#include "lowering/memory/FunctionPlans.h"
#include "lowering/memory/MemoryFacts.h"
#include "lowering/schedule/ContractionSpace.h"

#include "ir/LocationText.h"
#include "ir/remarks/Remark.h"
#include "passes/remat/LoopRecomputation.h"
#include "passes/remat/PlanMemory.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace zenith {
#define GEN_PASS_DEF_REMATERIALIZEPASS
#include "lowering/LoweringPasses.h.inc"

namespace {

/// Plans of one entry under a budget.
class BudgetedEntry {
public:
  BudgetedEntry(func::FuncOp function, const target::TargetModel &model,
                const memory::ModuleContext &context, int64_t offloadRate,
                bool explains)
      : function(function), model(model), context(context),
        offloadRate(offloadRate), explains(explains),
        graph(function, dims, model, context.symbols) {
    facts = memory::factsOf(graph);
  }

  /// Makes the arena of the function at most `room` bytes where a plan is found
  /// that does.
  LogicalResult fit(const memory::BufferPlan &given, int64_t room);
  void explain() const;
  void apply() {
    if (!chosen.order.empty())
      graph.apply(chosen.order, chosen.gaps);
  }

  memory::MemoryFacts facts;

private:
  using Candidate = remat::OffloadedOrder;

  std::vector<Candidate> candidates(const remat::PlanList &list) const;
  FailureOr<int64_t> arenaOf(const Candidate &plan,
                             const memory::BufferPlan &given);
  memory::MemoryFacts counted(ArrayRef<unsigned> order) const;

  func::FuncOp function;
  const target::TargetModel &model;
  const memory::ModuleContext &context;
  int64_t offloadRate;
  bool explains;
  graph::DimAnalysis dims;
  memory::FunctionGraph graph;
  Candidate chosen;
};

} // namespace

/// Bytes of the arena that an order really takes: a layout may need more than
/// the planner counts. An order that gives up a donated buffer takes too much.
FailureOr<int64_t> BudgetedEntry::arenaOf(const Candidate &candidate,
                                          const memory::BufferPlan &given) {
  FailureOr<memory::BufferPlan> plan = memory::planOfCopy(
      function, model, context,
      [&](func::FuncOp copy, memory::FunctionGraph &graph) {
        graph.apply(candidate.order, candidate.gaps);
        if (!candidate.gaps.empty())
          memory::writeTransfers(copy, model, context.symbols,
                                 memory::fileModelOf(offloadRate), false);
      });
  if (failed(plan))
    return failure();
  return plan->donations.size() < given.donations.size()
             ? INT64_MAX
             : int64_t(kernels::estimate(plan->arenaBytes));
}

memory::MemoryFacts BudgetedEntry::counted(ArrayRef<unsigned> order) const {
  memory::MemoryFacts result = facts;
  result.recomputed = 0;
  memory::countAdded(result, graph, order);
  return result;
}

/// What a budget may pick: peaks fall, and arithmetic rises, since more memory
/// must never cost more of it; with a file, time rises.
std::vector<remat::OffloadedOrder>
BudgetedEntry::candidates(const remat::PlanList &list) const {
  std::vector<Candidate> plans;
  std::vector<double> flops;
  for (const remat::RematPlan &plan : list.plans) {
    double own = counted(plan.order).added.flops;
    while (!flops.empty() && flops.back() > own) {
      flops.pop_back();
      plans.pop_back();
    }
    flops.push_back(own);
    plans.push_back({plan.order, {}, plan.peak, plan.cost});
  }
  if (!offloadRate)
    return plans;
  // A file does most for orders that differ by much.
  constexpr size_t most = 16;
  std::vector<std::vector<unsigned>> orders;
  size_t count = std::min(most, plans.size());
  for (size_t i = 0; i < count; ++i)
    orders.push_back(
        plans[i * (plans.size() - 1) / std::max<size_t>(1, count - 1)].order);
  std::vector<Candidate> offloaded =
      remat::offloadedOrders(graph.graph(), orders, graph.mayLeave(),
                             memory::fileModelOf(offloadRate));
  llvm::append_range(plans, offloaded);
  return remat::bestOrders(std::move(plans));
}

LogicalResult BudgetedEntry::fit(const memory::BufferPlan &given,
                                 int64_t room) {
  auto arena = int64_t(kernels::estimate(given.arenaBytes));
  facts.leastFound = arena;
  facts.plans.push_back({arena, 0});
  if (arena <= room)
    return success();
  remat::PlanList list = remat::planMemory(graph.graph());
  facts.order = "search";
  bool hasCalls =
      llvm::any_of(graph.graph().steps, [](const remat::MemoryStep &step) {
        return step.kind == "loop" || step.kind == "branch";
      });
  // With a file, what a step does not touch need not be in memory.
  if (!hasCalls && !offloadRate && list.lowerBound > facts.lowerBound) {
    Operation *op = graph.opOf(list.lowerBoundStep);
    facts.lowerBound = list.lowerBound;
    facts.boundStep = graph.graph().steps[list.lowerBoundStep].kind + " " +
                      std::to_string(list.lowerBoundStep);
    facts.boundLocation = graph::placeOf(op->getLoc());
  }
  if (explains && list.limitReached)
    remarks::emit(function, remarks::Code::REM105);
  std::vector<Candidate> plans = candidates(list);
  double once = list.plans.front().cost;
  for (const Candidate &plan : plans)
    if (plan.peak < arena)
      facts.plans.push_back({plan.peak, plan.cost - once});
  for (const Candidate &plan : plans) {
    if (plan.peak > room && &plan != &plans.back())
      continue;
    FailureOr<int64_t> bytes = arenaOf(plan, given);
    if (failed(bytes))
      return failure();
    facts.leastFound = std::min(facts.leastFound, *bytes);
    if (*bytes > room)
      continue;
    if (explains && &plan == &plans.back() && plans.size() > 1)
      remarks::emit(function, remarks::Code::MEM002, {*bytes, room});
    facts = counted(plan.order);
    if (!plan.gaps.empty())
      facts.added.microseconds = plan.cost - once;
    chosen = plan;
    break;
  }
  return success();
}

void BudgetedEntry::explain() const {
  llvm::MapVector<unsigned, unsigned> times;
  for (unsigned step : chosen.order)
    ++times[step];
  for (auto [step, count] : times) {
    if (count == 1)
      continue;
    int64_t bytes = 0;
    for (unsigned value : graph.graph().steps[step].writes)
      bytes += graph.graph().values[value];
    remarks::emit(
        graph.opOf(step), remarks::Code::REM001,
        {count - 1,
         llvm::formatv("{0:F2}", graph.costOf(step).microseconds * (count - 1))
             .str(),
         bytes});
  }
}

namespace {

class RematerializePass
    : public impl::RematerializePassBase<RematerializePass> {
  using RematerializePassBase::RematerializePassBase;

  void runOnOperation() override {
    auto fit = [&](func::FuncOp function, const target::TargetModel &model,
                   const memory::ModuleContext &context)
        -> FailureOr<memory::BufferPlan> {
      graph::DimAnalysis dims;
      FailureOr<memory::BufferPlan> plan =
          memory::planBuffers(function, dims, model, context);
      bool isEntry = !function->hasAttr(graph::nestedAttrName) &&
                     function.getSymName() != graph::prepareFunctionName;
      if (failed(plan) ||
          (isEntry && failed(fitEntry(function, *plan, dims, model, context))))
        return failure();
      return plan;
    };
    if (failed(memory::planCalleesFirst(getOperation(), fit)))
      signalPassFailure();
  }

  LogicalResult fitEntry(func::FuncOp function, const memory::BufferPlan &plan,
                         graph::DimAnalysis &dims,
                         const target::TargetModel &model,
                         const memory::ModuleContext &context);
};

} // namespace

LogicalResult RematerializePass::fitEntry(
    func::FuncOp function, const memory::BufferPlan &plan,
    graph::DimAnalysis &dims, const target::TargetModel &model,
    const memory::ModuleContext &context) {
  SmallVector<unsigned> donated;
  for (const memory::Donation &donation : plan.donations)
    donated.push_back(donation.result);
  memory::ResultBuffers results =
      memory::resultBuffersOf(function, dims, donated);
  BudgetedEntry entry(function, model, context, offloadRate, explain);
  entry.facts.mode = mode;
  if (auto loops = function->getAttrOfType<DenseF64ArrayAttr>(
          remat::loopFlopsAttrName)) {
    entry.facts.once.flops += loops[0];
    entry.facts.added.flops += loops[1];
  }
  bool isBounded = budgetBytes > 0 && mode == "auto";
  int64_t room =
      isBounded ? budgetBytes -
                      int64_t(kernels::estimate(results.all - results.donated))
                : INT64_MAX;
  if (failed(entry.fit(plan, room)))
    return failure();
  if (explain)
    entry.explain();
  entry.apply();
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::json::Value(memory::toJSON(entry.facts));
  function->setAttr(memory::factsAttrName,
                    StringAttr::get(function.getContext(), text));
  return success();
}

} // namespace zenith
