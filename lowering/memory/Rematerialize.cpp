// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Picks the cheapest plan of the planner whose arena a budget has room for, and
// copies fusions as it says.

#include "lowering/LoweringPasses.h"
#include "lowering/host/HostDialect.h"
#include "lowering/memory/FileTransfers.h"
#include "lowering/memory/FunctionPlans.h"
#include "lowering/memory/MemoryFacts.h"
#include "lowering/memory/OffloadStacks.h"
#include "lowering/memory/RecomputeLoops.h"
#include "lowering/schedule/ContractionSpace.h"

#include "ir/LocationText.h"
#include "ir/remarks/Remark.h"
#include "passes/remat/MemoryTimeline.h"
#include "passes/remat/PlanMemory.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <numeric>
#include <tuple>

using namespace mlir;

namespace zenith {
#define GEN_PASS_DEF_REMATERIALIZEPASS
#include "lowering/LoweringPasses.h.inc"

namespace {

/// Plans of one function under a budget.
class BudgetedFunction {
public:
  BudgetedFunction(func::FuncOp function, const target::TargetModel &model,
                   const memory::ModuleContext &context, int64_t offloadRate,
                   bool explains)
      : function(function), model(model), context(context),
        offloadRate(offloadRate), explains(explains),
        graph(function, dims, model, context.symbols) {
    facts = memory::factsOf(graph);
    if (offloadRate)
      memory::countCallees(graph, context.symbols, model);
  }

  /// Makes the arena of the function at most `room` bytes where a plan is found
  /// that does; else, with `takesLeast`, as small as plans are found.
  LogicalResult fit(const memory::BufferPlan &given, int64_t room,
                    bool takesLeast = false, uint64_t maxWork = 0);
  /// Leaves the function as it is, for sizes for which there is room, and
  /// returns copies of it for sizes for which there is less: the plan that
  /// fit() chose, or one in the middle, and the one of least memory.
  FailureOr<SmallVector<func::FuncOp>>
  copiesForSizes(const memory::BufferPlan &given);
  void explain() const;
  void apply() {
    if (!chosen.order.empty())
      graph.apply(chosen.order, chosen.gaps);
  }

  memory::MemoryFacts facts;

private:
  using Candidate = remat::OffloadedOrder;

  void makePlans(int64_t arena, uint64_t maxWork = 0);
  std::vector<Candidate> candidates(const remat::PlanList &list) const;
  memory::MemoryFacts factsOf(const Candidate &plan) const;
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
  std::vector<Candidate> plans; ///< peaks fall
  double once = 0;              ///< microseconds without recomputation
  Candidate chosen;
};

} // namespace

/// Bytes of the arena that an order really takes: a layout may need more than
/// the planner counts. An order that gives up a buffer of an
/// argument takes too much.
FailureOr<int64_t> BudgetedFunction::arenaOf(const Candidate &candidate,
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
  return plan->donations.size() < given.donations.size() ||
                 plan->inPlace.size() < given.inPlace.size()
             ? INT64_MAX
             : int64_t(kernels::estimate(plan->arenaBytes));
}

memory::MemoryFacts BudgetedFunction::counted(ArrayRef<unsigned> order) const {
  memory::MemoryFacts result = facts;
  result.recomputed = 0;
  result.added = {};
  memory::countAdded(result, graph, order);
  return result;
}

/// What a budget may pick: peaks fall, and arithmetic rises, since more memory
/// must never cost more of it; with a file, time rises.
std::vector<remat::OffloadedOrder>
BudgetedFunction::candidates(const remat::PlanList &list) const {
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

memory::MemoryFacts BudgetedFunction::factsOf(const Candidate &plan) const {
  memory::MemoryFacts result = counted(plan.order);
  if (!plan.gaps.empty())
    result.added.microseconds = plan.cost - once;
  return result;
}

/// Plans the function, of which the arena as it is has `arena` bytes.
void BudgetedFunction::makePlans(int64_t arena, uint64_t maxWork) {
  remat::PlanOptions options;
  options.maxWork = maxWork;
  remat::PlanList list = remat::planMemory(graph.graph(), options);
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
  plans = candidates(list);
  once = list.plans.front().cost;
  for (const Candidate &plan : plans)
    if (plan.peak < arena)
      facts.plans.push_back({plan.peak, plan.cost - once});
}

LogicalResult BudgetedFunction::fit(const memory::BufferPlan &given,
                                    int64_t room, bool takesLeast,
                                    uint64_t maxWork) {
  auto arena = int64_t(kernels::estimate(given.arenaBytes));
  facts.leastFound = arena;
  facts.plans.push_back({arena, 0});
  if (arena <= room)
    return success();
  makePlans(arena, maxWork);
  for (const Candidate &plan : plans) {
    if (plan.peak > room && &plan != &plans.back())
      continue;
    FailureOr<int64_t> bytes = arenaOf(plan, given);
    if (failed(bytes))
      return failure();
    bool isLeast = takesLeast && *bytes < facts.leastFound;
    facts.leastFound = std::min(facts.leastFound, *bytes);
    if (*bytes > room && !isLeast)
      continue;
    if (explains && &plan == &plans.back() && plans.size() > 1)
      remarks::emit(function, remarks::Code::MEM002, {*bytes, room});
    facts = factsOf(plan);
    chosen = plan;
    if (*bytes <= room)
      break;
  }
  return success();
}

FailureOr<SmallVector<func::FuncOp>>
BudgetedFunction::copiesForSizes(const memory::BufferPlan &given) {
  auto arena = int64_t(kernels::estimate(given.arenaBytes));
  if (plans.empty())
    makePlans(arena);
  SmallVector<const Candidate *> taken;
  int64_t least = arena;
  for (const Candidate &plan : llvm::reverse(plans)) {
    FailureOr<int64_t> bytes = arenaOf(plan, given);
    if (failed(bytes))
      return failure();
    if (*bytes >= arena)
      continue;
    taken.push_back(&plan);
    least = *bytes;
    break;
  }
  facts.leastFound = std::min(facts.leastFound, least);
  // Steps between sizes are factors.
  double middle = std::sqrt(double(arena) * double(least));
  const Candidate *between = &chosen;
  if (!taken.empty() &&
      (chosen.order.empty() || chosen.peak == taken.front()->peak))
    between = &*llvm::min_element(plans, [&](auto &a, auto &b) {
      return std::abs(double(a.peak) - middle) <
             std::abs(double(b.peak) - middle);
    });
  if (!taken.empty() && between->peak > taken.front()->peak &&
      between->peak < arena)
    taken.insert(taken.begin(), between);
  SmallVector<func::FuncOp> copies;
  for (const Candidate *plan : taken) {
    func::FuncOp copy = copies.emplace_back(function.clone());
    graph::DimAnalysis again;
    memory::FunctionGraph(copy, again, model, context.symbols)
        .apply(plan->order, plan->gaps);
    memory::setFacts(copy, factsOf(*plan));
    copy->setAttr(memory::planOfAttrName,
                  FlatSymbolRefAttr::get(function.getSymNameAttr()));
  }
  chosen = Candidate();
  facts.recomputed = 0;
  facts.added = {};
  return copies;
}

void BudgetedFunction::explain() const {
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

/// What a budget does to the entries of a module.
struct Outcome {
  int64_t excess = 0; ///< bytes that are missing, of all entries
  double cost = 0;    ///< flops that are added; with a file microseconds

  bool isBetter(const Outcome &other) const {
    return std::tie(excess, cost) < std::tie(other.excess, other.cost);
  }
};

/// Plans all functions of a module.
class ModulePlanner {
public:
  ModulePlanner(ModuleOp module, StringRef mode, int64_t budgetBytes,
                int64_t offloadRate, bool explains)
      : module(module), model(target::modelOf(module)), context(module),
        mode(mode), budgetBytes(mode == "auto" ? budgetBytes : 0),
        offloadRate(offloadRate), explains(explains) {}

  FailureOr<Outcome> run();

private:
  FailureOr<memory::BufferPlan> planOf(func::FuncOp function);
  LogicalResult fitEntry(func::FuncOp function, memory::BufferPlan plan);
  LogicalResult fitCallees(func::FuncOp function, int64_t room);
  LogicalResult fitNested(func::FuncOp function, int64_t room);
  int64_t roomOf(func::FuncOp function, const memory::BufferPlan &plan) const;
  bool hasSizesOfArguments(func::FuncOp function,
                           const memory::BufferPlan &plan) const;

  ModuleOp module;
  target::TargetModel model;
  memory::ModuleContext context;
  StringRef mode;
  int64_t budgetBytes, offloadRate;
  bool explains;
  Outcome outcome;
};

} // namespace

FailureOr<memory::BufferPlan> ModulePlanner::planOf(func::FuncOp function) {
  graph::DimAnalysis dims;
  return memory::planBuffers(function, dims, model, context);
}

/// Bytes that the budget leaves to the arena of an entry.
int64_t ModulePlanner::roomOf(func::FuncOp function,
                              const memory::BufferPlan &plan) const {
  if (budgetBytes <= 0)
    return INT64_MAX;
  SmallVector<unsigned> donated;
  for (const memory::Donation &donation : plan.donations)
    donated.push_back(donation.result);
  graph::DimAnalysis dims;
  memory::ResultBuffers results =
      memory::resultBuffersOf(function, dims, donated);
  return budgetBytes -
         int64_t(kernels::estimate(results.all - results.donated));
}

/// Brings the bodies of loops down by what their step takes too much.
LogicalResult ModulePlanner::fitCallees(func::FuncOp function, int64_t room) {
  graph::DimAnalysis dims;
  memory::FunctionGraph graph(function, dims, model, context.symbols);
  std::vector<unsigned> order(graph.graph().steps.size());
  std::iota(order.begin(), order.end(), 0);
  remat::MemoryTimeline timeline;
  remat::simulate(graph.graph(), order, timeline);
  for (unsigned step : order) {
    auto loop = dyn_cast<host::LoopOp>(graph.opOf(step));
    int64_t excess = timeline.bytes[step] - room;
    if (!loop || excess <= 0)
      continue;
    auto body = context.symbols.lookup<func::FuncOp>(loop.getBody());
    auto arena = body->getAttrOfType<graph::DimAttr>(host::arenaAttrName);
    if (!arena)
      continue;
    int64_t bytes = int64_t(kernels::estimate(arena.getExpr()));
    if (failed(fitNested(body, bytes - excess)))
      return failure();
  }
  return success();
}

LogicalResult ModulePlanner::fitNested(func::FuncOp function, int64_t room) {
  FailureOr<memory::BufferPlan> plan = planOf(function);
  if (failed(plan))
    return failure();
  BudgetedFunction nested(function, model, context, /*offloadRate=*/0,
                          explains);
  constexpr uint64_t maxWork = 200 * remat::workPerMillisecond;
  if (failed(nested.fit(*plan, room, /*takesLeast=*/true, maxWork)))
    return failure();
  if (explains)
    nested.explain();
  nested.apply();
  plan = planOf(function);
  if (failed(plan))
    return failure();
  memory::setFunctionPlan(function, *plan);
  return success();
}

/// Whether what an entry takes depends on sizes of its arguments, and on
/// nothing else.
bool ModulePlanner::hasSizesOfArguments(func::FuncOp function,
                                        const memory::BufferPlan &plan) const {
  graph::DimAnalysis dims;
  llvm::StringSet<> known;
  for (BlockArgument argument : function.getArguments())
    for (const graph::DimExpr &size : dims.dimsOf(argument))
      if (std::optional<std::string> name = size.asSymbol())
        known.insert(*name);
  graph::DimExpr all =
      plan.arenaBytes + memory::resultBuffersOf(function, dims, {}).all;
  bool areKnown = true;
  all.forEachSymbol(
      [&](const std::string &name) { areKnown &= known.contains(name); });
  return !all.constant() && areKnown;
}

LogicalResult ModulePlanner::fitEntry(func::FuncOp function,
                                      memory::BufferPlan plan) {
  int64_t room = roomOf(function, plan);
  auto fit = [&]() -> FailureOr<std::unique_ptr<BudgetedFunction>> {
    auto entry = std::make_unique<BudgetedFunction>(function, model, context,
                                                    offloadRate, explains);
    entry->facts.mode = mode.str();
    if (failed(entry->fit(plan, room)))
      return failure();
    return entry;
  };
  FailureOr<std::unique_ptr<BudgetedFunction>> entry = fit();
  if (failed(entry))
    return failure();
  bool hasLoops = !function.getOps<host::LoopOp>().empty();
  if ((*entry)->facts.leastFound > room && hasLoops) {
    if (failed(fitCallees(function, room)))
      return failure();
    FailureOr<memory::BufferPlan> again = planOf(function);
    if (failed(again))
      return failure();
    plan = std::move(*again);
    entry = fit();
    if (failed(entry))
      return failure();
  }
  memory::MemoryFacts &facts = (*entry)->facts;
  outcome.excess += std::max<int64_t>(0, facts.leastFound - room);
  memory::countCallees(facts, function, context.symbols, model);
  if (offloadRate)
    facts.added.microseconds += memory::waitsForRows(
        function, context.symbols, model, memory::fileModelOf(offloadRate));
  outcome.cost += offloadRate ? facts.added.microseconds : facts.added.flops;
  if (explains)
    (*entry)->explain();
  if (budgetBytes > 0 && hasSizesOfArguments(function, plan)) {
    FailureOr<SmallVector<func::FuncOp>> copies =
        (*entry)->copiesForSizes(plan);
    if (failed(copies))
      return failure();
    Block::iterator next = std::next(function->getIterator());
    for (func::FuncOp copy : *copies)
      context.symbols.insert(copy, next);
  }
  (*entry)->apply();
  memory::setFacts(function, facts);
  return success();
}

FailureOr<Outcome> ModulePlanner::run() {
  auto fit = [&](func::FuncOp function) -> FailureOr<memory::BufferPlan> {
    FailureOr<memory::BufferPlan> plan = planOf(function);
    bool isEntry = !function->hasAttr(graph::nestedAttrName) &&
                   function.getSymName() != graph::prepareFunctionName;
    if (failed(plan) || (isEntry && failed(fitEntry(function, *plan))))
      return failure();
    return plan;
  };
  if (failed(memory::planCalleesFirst(module, context, fit)))
    return failure();
  return outcome;
}

namespace {

/// What becomes of the stacks of loops.
struct Form {
  enum { keeps, recomputes, recomputesInSegments } rows = keeps;
  unsigned inFile = 0; ///< of those that are left, the largest
};

/// Chooses among forms of a module.
class FormChoice {
public:
  using Plan = llvm::function_ref<FailureOr<Outcome>(ModuleOp)>;

  FormChoice(ModuleOp module, bool hasFile, Plan plan)
      : module(module), hasFile(hasFile), plan(plan) {}

  /// Lets loops keep stacks in a file, or compute what they stack again, where
  /// the budget needs it and that costs least.
  LogicalResult run();

private:
  FailureOr<Outcome> tryForm(const Form &form);
  LogicalResult tryFiles();

  ModuleOp module;
  bool hasFile;
  Plan plan;
  OwningOpRef<ModuleOp> given; ///< the module before a plan
  OwningOpRef<ModuleOp> best;  ///< null: the module with each stack in memory
  Outcome outcome;             ///< of the best
};

} // namespace

/// Plans a form of the module, which becomes the best one if it is: fewer bytes
/// are missing then, or it costs less.
FailureOr<Outcome> FormChoice::tryForm(const Form &form) {
  OwningOpRef<ModuleOp> copy = given->clone();
  target::TargetModel model = target::modelOf(*copy);
  if ((form.rows != Form::keeps &&
       failed(memory::recomputeLoops(
           *copy, model, form.rows == Form::recomputesInSegments))) ||
      (form.inFile && failed(memory::offloadStacks(*copy, model, form.inFile))))
    return failure();
  FailureOr<Outcome> found = plan(*copy);
  if (succeeded(found) && found->isBetter(outcome)) {
    best = std::move(copy);
    outcome = *found;
  }
  return found;
}

/// Lets as few stacks lie in the file as the budget needs.
LogicalResult FormChoice::tryFiles() {
  unsigned most = memory::stacksToOffload(*given);
  if (!most)
    return success();
  FailureOr<Outcome> all = tryForm({Form::keeps, most});
  if (failed(all))
    return failure();
  if (all->excess > 0 || all->cost == 0)
    return success();
  for (unsigned few = 0, enough = most; enough - few > 1;) {
    unsigned middle = (few + enough) / 2;
    FailureOr<Outcome> some = tryForm({Form::keeps, middle});
    if (failed(some))
      return failure();
    (some->excess > 0 ? few : enough) = middle;
  }
  return success();
}

LogicalResult FormChoice::run() {
  given = module.clone();
  FailureOr<Outcome> plain = plan(module);
  if (failed(plain))
    return failure();
  outcome = *plain;
  if (hasFile && (outcome.excess > 0 || outcome.cost > 0) && failed(tryFiles()))
    return failure();
  // Segments compute the most again.
  for (auto rows : {Form::recomputes, Form::recomputesInSegments}) {
    bool isLast = rows == Form::recomputesInSegments;
    if (outcome.excess == 0 && (outcome.cost == 0 || isLast))
      break;
    if (failed(tryForm({rows, 0})) ||
        (hasFile && failed(tryForm({rows, UINT_MAX}))))
      return failure();
  }
  if (best)
    module.getBodyRegion().takeBody(best->getBodyRegion());
  return success();
}

namespace {

class RematerializePass
    : public impl::RematerializePassBase<RematerializePass> {
  using RematerializePassBase::RematerializePassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto plan = [&](ModuleOp form) {
      return ModulePlanner(form, mode, budgetBytes, offloadRate, explain).run();
    };
    bool hasForms = budgetBytes > 0 && mode == "auto" &&
                    (memory::hasLoopsToRecompute(module) ||
                     (offloadRate > 0 && memory::stacksToOffload(module) > 0));
    LogicalResult done = hasForms
                             ? FormChoice(module, offloadRate > 0, plan).run()
                             : LogicalResult(plan(module));
    if (failed(done))
      signalPassFailure();
  }
};

} // namespace

} // namespace zenith
