// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dynamic_update_slice in place: writes only the updated part, so that a loop
// which fills a buffer row by row takes time for the rows alone.

#include "lowering/builder/EmissionContext.h"
#include "lowering/kernels/KernelEmitters.h"

using namespace mlir;

namespace zenith::kernels {

/// The dynamic_update_slice that a fusion of kind scatter consists of.
static graph::DynamicUpdateSliceOp updateOf(graph::FusionOp fusion) {
  Block &body = fusion.getBody().front();
  auto results = body.getTerminator()->getOperands();
  return results.size() == 1
             ? results[0].getDefiningOp<graph::DynamicUpdateSliceOp>()
             : graph::DynamicUpdateSliceOp();
}

FailureOr<KernelPlan> emitUpdate(const EmissionContext &context) {
  graph::FusionOp fusion = context.fusion;
  graph::DynamicUpdateSliceOp op = updateOf(fusion);
  if (!op)
    return fusion.emitError(
        "no kernel for an update fusion that gives anything but the update");
  KernelPlan plan;
  if (!addLaunch(plan,
                 emitValues(context, context.name, op.getOperand(), {0})) ||
      !addLaunch(plan, emitValues(context, (context.name + "_part").str(),
                                  op.getUpdate(), {0}, op)))
    return failure();
  return plan;
}

} // namespace zenith::kernels
