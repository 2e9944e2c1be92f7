// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the buffer plan into the IR, so that the plan can be dumped, read and
// reloaded.

#include "lowering/LoweringPasses.h"
#include "lowering/host/HostDialect.h"
#include "lowering/memory/PlanBuffers.h"
#include "lowering/memory/ReleaseOrder.h"
#include "lowering/schedule/ContractionSpace.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace zenith {
#define GEN_PASS_DEF_PLANPLACESPASS
#include "lowering/LoweringPasses.h.inc"

static host::PlaceAttr toAttr(MLIRContext *context,
                              const memory::Place &place) {
  return host::PlaceAttr::get(context, static_cast<host::PlaceKind>(place.kind),
                              place.index, place.offset.str());
}

static void writePlan(func::FuncOp function, const memory::BufferPlan &plan) {
  Builder builder(function.getContext());
  function->setAttr(host::arenaAttrName,
                    builder.getStringAttr(plan.arenaBytes.str()));
  function->setAttr(host::activationsAttrName,
                    builder.getStringAttr(plan.activationBytes.str()));
  if (!plan.donations.empty()) {
    SmallVector<int64_t> pairs;
    for (const memory::Donation &donation : plan.donations)
      pairs.append({donation.result, donation.argument});
    function->setAttr(host::donationsAttrName,
                      builder.getDenseI64ArrayAttr(pairs));
  }
  if (!plan.inPlace.empty())
    function->setAttr(host::inPlaceAttrName,
                      builder.getDenseI64ArrayAttr(SmallVector<int64_t>(
                          plan.inPlace.begin(), plan.inPlace.end())));
  for (Operation &op : function.getBody().front()) {
    SmallVector<Attribute> places, scratch;
    for (Value result : op.getResults())
      if (auto found = plan.places.find(result); found != plan.places.end())
        places.push_back(toAttr(builder.getContext(), found->second));
      else
        places.push_back(builder.getUnitAttr());
    if (auto found = plan.nestedArenas.find(&op);
        found != plan.nestedArenas.end())
      op.setAttr(host::nestedArenaAttrName,
                 toAttr(builder.getContext(), found->second));
    if (auto found = plan.drops.find(&op); found != plan.drops.end())
      op.setAttr(host::dropsAttrName,
                 builder.getDenseI64ArrayAttr(SmallVector<int64_t>(
                     found->second.begin(), found->second.end())));
    if (auto found = plan.scratch.find(&op); found != plan.scratch.end())
      for (const memory::Place &place : found->second)
        scratch.push_back(toAttr(builder.getContext(), place));
    if (llvm::any_of(places,
                     [](Attribute place) { return !isa<UnitAttr>(place); }))
      op.setAttr(host::placesAttrName, builder.getArrayAttr(places));
    if (!scratch.empty())
      op.setAttr(host::scratchAttrName, builder.getArrayAttr(scratch));
  }
}

/// Adds `function` behind the functions that its control ops name: what a loop
/// needs follows from the plan of its body.
static void addCalleesFirst(func::FuncOp function, ModuleOp module,
                            llvm::SetVector<func::FuncOp> &order) {
  if (order.contains(function))
    return;
  function.walk([&](Operation *op) {
    if (isa<host::BranchOp, host::LoopOp>(op))
      op->getAttrDictionary().walk([&](FlatSymbolRefAttr name) {
        if (auto callee = module.lookupSymbol<func::FuncOp>(name.getAttr()))
          addCalleesFirst(callee, module, order);
      });
  });
  order.insert(function);
}

/// Less memory, and no value fewer that is updated where it lies.
static bool isBetter(const memory::BufferPlan &plan,
                     const memory::BufferPlan &other) {
  return kernels::estimate(plan.arenaBytes) <
             kernels::estimate(other.arenaBytes) &&
         plan.inPlace.size() >= other.inPlace.size() &&
         plan.donations.size() >= other.donations.size();
}

/// Plans the function in the order that needs less memory.
static FailureOr<memory::BufferPlan>
planInOrder(func::FuncOp function, const target::TargetModel &target,
            const memory::DerivedLayout &derived) {
  graph::DimAnalysis dims;
  FailureOr<memory::BufferPlan> plan =
      memory::planBuffers(function, dims, target, derived);
  if (failed(plan))
    return failure();
  std::vector<Operation *> given, order = memory::releaseOrder(function, dims);
  if (order.empty())
    return plan;
  for (Operation &op : function.getBody().front())
    given.push_back(&op);
  memory::applyOrder(order);
  graph::DimAnalysis again;
  FailureOr<memory::BufferPlan> other =
      memory::planBuffers(function, again, target, derived);
  if (succeeded(other) && isBetter(*other, *plan))
    return other;
  memory::applyOrder(given);
  return plan;
}

namespace {
class PlanPlacesPass : public impl::PlanPlacesPassBase<PlanPlacesPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    target::TargetModel model = target::modelOf(module);
    memory::DerivedLayout derived = memory::layOutDerived(module);
    module->setAttr(host::derivedBytesAttrName,
                    Builder(&getContext()).getI64IntegerAttr(derived.bytes));
    llvm::SetVector<func::FuncOp> order;
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      addCalleesFirst(function, module, order);
    for (func::FuncOp function : order) {
      FailureOr<memory::BufferPlan> plan =
          planInOrder(function, model, derived);
      if (failed(plan))
        return signalPassFailure();
      writePlan(function, *plan);
    }
  }
};
} // namespace

} // namespace zenith
