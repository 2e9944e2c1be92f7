// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over the steps of a function, and their JSON.

#include "lowering/memory/MemoryFacts.h"

#include "ir/LocationText.h"
#include "lowering/memory/FunctionPlans.h"
#include "lowering/memory/LoopStacks.h"
#include "llvm/Support/raw_ostream.h"

namespace json = llvm::json;

namespace zenith::memory {

/// Bytes without which a step cannot run, whatever the order.
static int64_t leastBytes(const remat::MemoryGraph &graph,
                          const remat::MemoryStep &step) {
  int64_t read = 0, written = 0;
  for (unsigned value : step.reads)
    read += graph.values[value];
  for (unsigned value : step.writes)
    written += graph.values[value];
  // What a loop calls may be planned otherwise, and any value that it carries
  // may stay where it comes from.
  if (step.kind == "loop" || step.kind == "branch")
    return std::max(read, written);
  int64_t bytes = read + written + step.scratch;
  llvm::DenseSet<unsigned> taken, given;
  for (const remat::SharedPair &pair : step.shares)
    if (!taken.contains(pair.read) && !given.contains(pair.written)) {
      taken.insert(pair.read);
      given.insert(pair.written);
      bytes -= std::min(graph.values[pair.read], graph.values[pair.written]);
    }
  return bytes;
}

MemoryFacts factsOf(const FunctionGraph &function) {
  MemoryFacts facts;
  const remat::MemoryGraph &graph = function.graph();
  facts.steps = graph.steps.size();
  for (unsigned step = 0; step < facts.steps; ++step) {
    facts.once.flops += function.costOf(step).flops;
    facts.once.microseconds += function.costOf(step).microseconds;
    int64_t bytes = leastBytes(graph, graph.steps[step]);
    if (bytes <= facts.lowerBound && step > 0)
      continue;
    facts.lowerBound = bytes;
    facts.boundStep = graph.steps[step].kind + " " + std::to_string(step);
    facts.boundLocation = graph::placeOf(function.opOf(step)->getLoc());
  }
  return facts;
}

void countAdded(MemoryFacts &facts, const FunctionGraph &function,
                llvm::ArrayRef<unsigned> order) {
  std::vector<bool> ran(facts.steps);
  for (unsigned step : order) {
    if (!ran[step]) {
      ran[step] = true;
      continue;
    }
    ++facts.recomputed;
    facts.added.flops += function.costOf(step).flops;
    facts.added.microseconds += function.costOf(step).microseconds;
  }
}

using VisitKernel =
    llvm::function_ref<void(graph::FusionOp, const StepCost &cost)>;

/// Visits the kernels of the functions that an op calls `times` times, with
/// what all their runs cost.
static void forEachCall(mlir::Operation *op, double times,
                        const mlir::SymbolTable &symbols,
                        const target::TargetModel &target, VisitKernel visit) {
  if (auto loop = mlir::dyn_cast<host::LoopOp>(op))
    if (std::optional<LoopTrips> trips = tripsOf(loop, symbols))
      times *= double(trips->count);
  forEachCallee(op, symbols, [&](mlir::func::FuncOp callee) {
    graph::DimAnalysis dims;
    for (mlir::Operation &inner : callee.getBody().front()) {
      forEachCall(&inner, times, symbols, target, visit);
      auto fusion = mlir::dyn_cast<graph::FusionOp>(inner);
      if (!fusion || !fusion.getScheduleAttr())
        continue;
      graph::ScheduleCost cost =
          fusion.getScheduleAttr().cost(fusion, dims, target);
      visit(fusion, {cost.flops * times, cost.microseconds * times});
    }
  });
}

void countCallees(MemoryFacts &facts, mlir::func::FuncOp function,
                  const mlir::SymbolTable &symbols,
                  const target::TargetModel &target) {
  auto count = [&](graph::FusionOp fusion, const StepCost &cost) {
    bool isAgain = fusion->hasAttr(recomputesAttrName);
    StepCost &sum = isAgain ? facts.added : facts.once;
    sum.flops += cost.flops;
    sum.microseconds += cost.microseconds;
    facts.recomputed += isAgain;
  };
  for (mlir::Operation &op : function.getBody().front())
    forEachCall(&op, 1, symbols, target, count);
}

/// Runs the steps and the transfers of one function on two clocks.
double waitsForRows(mlir::func::FuncOp function,
                    const mlir::SymbolTable &symbols,
                    const target::TargetModel &target,
                    const remat::FileModel &model) {
  double clock = 0, free = 0, waited = 0;
  llvm::DenseMap<mlir::Value, double> ends; // of the transfers of rows
  graph::DimAnalysis dims;
  auto move = [&](mlir::Value row) {
    int64_t bytes = bytesOf(row, dims).constant().value_or(0);
    free = ends[row] = std::max(clock, free) + model.costOf(bytes);
  };
  auto add = [&](graph::FusionOp, const StepCost &cost) {
    clock += cost.microseconds;
  };
  for (mlir::Operation &op : function.getBody().front()) {
    if (auto fusion = mlir::dyn_cast<graph::FusionOp>(op)) {
      if (fusion.getScheduleAttr())
        clock +=
            fusion.getScheduleAttr().cost(fusion, dims, target).microseconds;
    } else if (auto store = mlir::dyn_cast<host::StoreRowOp>(op)) {
      move(store.getRow());
    } else if (auto load = mlir::dyn_cast<host::LoadRowOp>(op)) {
      move(load.getRow());
    } else if (op.hasAttr(host::awaitsAttrName)) {
      double wait = std::max(0.0, ends.lookup(op.getOperand(0)) - clock);
      waited += wait;
      clock += wait;
    }
    double inside = 0, times = 1;
    if (auto loop = mlir::dyn_cast<host::LoopOp>(op))
      if (std::optional<LoopTrips> trips = tripsOf(loop, symbols))
        times = double(trips->count);
    forEachCallee(&op, symbols, [&](mlir::func::FuncOp callee) {
      inside += times * waitsForRows(callee, symbols, target, model);
    });
    forEachCall(&op, 1, symbols, target, add);
    waited += inside;
    clock += inside;
  }
  return waited;
}

void countCallees(FunctionGraph &function, const mlir::SymbolTable &symbols,
                  const target::TargetModel &target) {
  for (unsigned step = 0; step < function.graph().steps.size(); ++step)
    forEachCall(function.opOf(step), 1, symbols, target,
                [&](graph::FusionOp, const StepCost &cost) {
                  function.addCost(step, cost.microseconds);
                });
}

json::Object toJSON(const MemoryFacts &facts) {
  json::Array plans;
  for (auto [bytes, cost] : facts.plans)
    plans.push_back(json::Array{bytes, cost});
  return json::Object{
      {"lower_bound", json::Object{{"bytes", facts.lowerBound},
                                   {"step", facts.boundStep},
                                   {"location", facts.boundLocation}}},
      {"least_found", facts.leastFound},
      {"order", facts.order},
      {"remat", json::Object{{"mode", facts.mode},
                             {"steps", facts.steps},
                             {"recomputed", facts.recomputed},
                             {"flops", facts.once.flops},
                             {"added_flops", facts.added.flops},
                             {"cost", facts.once.microseconds},
                             {"added_cost", facts.added.microseconds},
                             {"plans", std::move(plans)}}}};
}

void setFacts(mlir::func::FuncOp function, const MemoryFacts &facts) {
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(toJSON(facts));
  function->setAttr(factsAttrName,
                    mlir::StringAttr::get(function.getContext(), text));
}

} // namespace zenith::memory
