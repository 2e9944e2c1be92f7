// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the buffer plan into the IR, so that the plan can be dumped, read and
// reloaded.

#include "lowering/LoweringPasses.h"
#include "lowering/host/HostDialect.h"
#include "lowering/memory/BufferNotes.h"
#include "lowering/memory/FunctionPlans.h"

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
  memory::setFunctionPlan(function, plan);
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
    for (func::FuncOp function :
         memory::calleesFirst(module, context.symbols)) {
      graph::DimAnalysis dims;
      FailureOr<memory::BufferPlan> plan =
          memory::planBuffers(function, dims, model, context);
      if (failed(plan))
        return signalPassFailure();
      writePlan(function, *plan);
      if (!function->hasAttr(host::nestedAttrName))
        function->setAttr(
            memory::buffersAttrName,
            StringAttr::get(&getContext(), memory::notesOf(function, *plan)));
    }
  }
};
} // namespace

} // namespace zenith
