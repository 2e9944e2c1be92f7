// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts the steps of each function into the order that needs the least memory of
// those that the planner finds.

#include "lowering/LoweringPasses.h"
#include "lowering/host/HostDialect.h"
#include "lowering/memory/FunctionGraph.h"
#include "lowering/memory/FunctionPlans.h"
#include "lowering/schedule/ContractionSpace.h"

#include "ir/remarks/Remark.h"
#include "passes/remat/MemoryTimeline.h"
#include "passes/remat/PlanMemory.h"

using namespace mlir;

namespace zenith {
#define GEN_PASS_DEF_ORDERSTEPSPASS
#include "lowering/LoweringPasses.h.inc"

namespace {

class OrderStepsPass : public impl::OrderStepsPassBase<OrderStepsPass> {
  using OrderStepsPassBase::OrderStepsPassBase;

  void runOnOperation() override {
    target::TargetModel model = target::modelOf(getOperation());
    memory::ModuleContext context(getOperation());
    if (failed(memory::planCalleesFirst(
            getOperation(), context, [&](func::FuncOp function) {
              return order(function, model, context);
            })))
      signalPassFailure();
  }

  FailureOr<memory::BufferPlan> order(func::FuncOp function,
                                      const target::TargetModel &model,
                                      const memory::ModuleContext &context);
};

} // namespace

FailureOr<memory::BufferPlan>
OrderStepsPass::order(func::FuncOp function, const target::TargetModel &model,
                      const memory::ModuleContext &context) {
  graph::DimAnalysis dims;
  FailureOr<memory::BufferPlan> given =
      memory::planBuffers(function, dims, model, context);
  if (failed(given))
    return failure();
  memory::FunctionGraph graph(function, dims, model, context.symbols);
  remat::PlanOptions options;
  options.recompute = false;
  remat::PlanList list = remat::planMemory(graph.graph(), options);
  // All cost the same, but for the rounding of sums.
  const remat::RematPlan &best = list.least();
  std::vector<unsigned> inPlace(graph.graph().steps.size());
  for (unsigned step = 0; step < inPlace.size(); ++step)
    inPlace[step] = step;
  Result<remat::MemoryTimeline> now = remat::timelineOf(graph.graph(), inPlace);
  if (best.order == inPlace || (now && best.peak >= now->peak))
    return given;
  FailureOr<memory::BufferPlan> other =
      memory::planOfOrder(function, best.order, model, context);
  if (failed(other) ||
      memory::allocatedBytes(function, *other) >=
          memory::allocatedBytes(function, *given) ||
      other->inPlace.size() < given->inPlace.size())
    return given;
  if (explain)
    remarks::emit(function, remarks::Code::REM004,
                  {int64_t(kernels::estimate(other->arenaBytes)),
                   int64_t(kernels::estimate(given->arenaBytes))});
  graph.apply(best.order);
  return other;
}

} // namespace zenith
