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
#define GEN_PASS_DEF_ASSIGNBUFFERSPASS
#include "lowering/LoweringPasses.h.inc"

static host::BufferAttr toAttr(MLIRContext *context,
                               const memory::BufferLocation &location) {
  return host::BufferAttr::get(
      context, static_cast<host::BufferKind>(location.kind), location.index,
      graph::DimAttr::get(context, location.offset));
}

static void writePlan(func::FuncOp function, const memory::BufferPlan &plan) {
  Builder builder(function.getContext());
  function->setAttr(host::arenaAttrName,
                    graph::DimAttr::get(builder.getContext(), plan.arenaBytes));
  function->setAttr(
      host::activationsAttrName,
      graph::DimAttr::get(builder.getContext(), plan.activationBytes));
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
    SmallVector<Attribute> buffers, scratch;
    for (Value result : op.getResults())
      if (auto found = plan.locations.find(result);
          found != plan.locations.end())
        buffers.push_back(toAttr(builder.getContext(), found->second));
      else
        buffers.push_back(builder.getUnitAttr());
    if (auto found = plan.nestedArenas.find(&op);
        found != plan.nestedArenas.end())
      op.setAttr(host::nestedArenaAttrName,
                 toAttr(builder.getContext(), found->second));
    if (auto found = plan.deallocs.find(&op); found != plan.deallocs.end())
      op.setAttr(host::deallocsAttrName,
                 builder.getDenseI64ArrayAttr(SmallVector<int64_t>(
                     found->second.begin(), found->second.end())));
    if (auto found = plan.scratch.find(&op); found != plan.scratch.end())
      for (const memory::BufferLocation &location : found->second)
        scratch.push_back(toAttr(builder.getContext(), location));
    if (!llvm::all_of(buffers, llvm::IsaPred<UnitAttr>))
      op.setAttr(host::buffersAttrName, builder.getArrayAttr(buffers));
    if (!scratch.empty())
      op.setAttr(host::scratchAttrName, builder.getArrayAttr(scratch));
  }
}

/// Adds `function` after the functions that its control ops name: what a loop
/// needs follows from the plan of its body.
static void addCalleesFirst(func::FuncOp function, const SymbolTable &symbols,
                            llvm::SetVector<func::FuncOp> &order) {
  if (order.contains(function))
    return;
  function.walk([&](Operation *op) {
    if (isa<host::BranchOp, host::LoopOp>(op))
      op->getAttrDictionary().walk([&](FlatSymbolRefAttr name) {
        if (auto callee = symbols.lookup<func::FuncOp>(name.getValue()))
          addCalleesFirst(callee, symbols, order);
      });
  });
  order.insert(function);
}

/// Less memory, and as many values that are updated in place.
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
            const memory::ModuleContext &context) {
  graph::DimAnalysis dims;
  FailureOr<memory::BufferPlan> plan =
      memory::planBuffers(function, dims, target, context);
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
      memory::planBuffers(function, again, target, context);
  if (succeeded(other) && isBetter(*other, *plan))
    return other;
  memory::applyOrder(given);
  return plan;
}

namespace {
class AssignBuffersPass
    : public impl::AssignBuffersPassBase<AssignBuffersPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    target::TargetModel model = target::modelOf(module);
    memory::ModuleContext context(module);
    module->setAttr(
        host::derivedBytesAttrName,
        Builder(&getContext()).getI64IntegerAttr(context.derived.bytes));
    llvm::SetVector<func::FuncOp> order;
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      addCalleesFirst(function, context.symbols, order);
    for (func::FuncOp function : order) {
      FailureOr<memory::BufferPlan> plan =
          planInOrder(function, model, context);
      if (failed(plan))
        return signalPassFailure();
      writePlan(function, *plan);
    }
  }
};
} // namespace

} // namespace zenith
