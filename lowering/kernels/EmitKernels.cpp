// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the emitter of a fusion by its kind and its ops.

#include "lowering/kernels/EmitKernels.h"
#include "lowering/gemm/GemmKernel.h"
#include "lowering/kernels/KernelEmitters.h"
#include "lowering/microkernels/Prefetch.h"
#include "lowering/routines/RoutineKernels.h"
#include "lowering/schedule/EpilogueForm.h"
#include "lowering/schedule/ReductionSchedule.h"

using namespace mlir;

namespace zenith::kernels {

template <typename Op> static bool holds(graph::FusionOp fusion) {
  return llvm::any_of(fusion.getBody().front(),
                      [](Operation &op) { return isa<Op>(op); });
}

static bool isReduction(graph::FusionOp fusion) {
  return holds<graph::ReduceOp>(fusion) || holds<graph::ArgReduceOp>(fusion);
}

static bool isScatter(graph::FusionOp fusion) {
  return holds<graph::ScatterOp>(fusion) || holds<graph::ScatterWithOp>(fusion);
}

FailureOr<KernelPlan> emitKernels(graph::FusionOp fusion,
                                  graph::DimAnalysis &dims,
                                  const TargetModel &target, ModuleOp kernels,
                                  StringRef name) {
  EmissionContext context{fusion, dims, target, kernels, name};
  if (holds<graph::ReduceWithOp>(fusion) ||
      holds<graph::ReduceWindowWithOp>(fusion))
    return emitRegionReduce(context);
  switch (fusion.getKind()) {
  case graph::FusionKind::pointwise:
  case graph::FusionKind::copy:
  case graph::FusionKind::reduction:
  case graph::FusionKind::window:
    if (holds<graph::CumulativeOp>(fusion))
      return emitScan(context);
    if (isReduction(fusion)) {
      FailureOr<KernelPlan> plan = emitReduction(context);
      if (succeeded(plan))
        prefetchInt8Operands(context, *plan);
      return plan;
    }
    if (fusion.getKind() == graph::FusionKind::window)
      return emitWindow(context);
    return emitPointwise(context);
  case graph::FusionKind::contraction:
    return emitContraction(fusion, dims, target, kernels, name);
  case graph::FusionKind::scatter:
    return isScatter(fusion) ? emitScatter(context) : emitUpdate(context);
  case graph::FusionKind::routine:
    return emitRoutine(context);
  case graph::FusionKind::attention:
    return emitAttention(context);
  }
  fusion.emitError() << "no kernel for a fusion of kind "
                     << graph::stringifyFusionKind(fusion.getKind());
  return failure();
}

SmallVector<graph::DimExpr> scratchBytes(graph::FusionOp fusion,
                                         graph::DimAnalysis &dims,
                                         const TargetModel &target) {
  if (fusion.getKind() == graph::FusionKind::contraction)
    return contractionScratchBytes(fusion, dims, target);
  if (fusion.getKind() == graph::FusionKind::attention)
    return attentionScratch(fusion, dims, target);
  if (fusion.getKind() == graph::FusionKind::routine)
    return routineScratch(fusion, dims);
  if (isReduction(fusion) && !holds<graph::CumulativeOp>(fusion))
    return reductionScratch(fusion, dims, target);
  return {};
}

// Every path from the argument to the result must keep the index: then a
// block's loads, which come before its stores, read only what the same block
// writes.
static bool keepsIndex(BlockArgument argument) {
  llvm::SetVector<Value> reached;
  reached.insert(argument);
  for (size_t next = 0; next < reached.size(); ++next)
    for (Operation *user : reached[next].getUsers()) {
      if (isa<graph::YieldOp>(user))
        continue;
      if (graph::familyOf(user) != graph::Family::Elementwise)
        return false;
      reached.insert(user->getResult(0));
    }
  return true;
}

bool mayShareBytes(graph::FusionOp fusion, unsigned operand, unsigned result) {
  if (fusion.getKind() == graph::FusionKind::contraction)
    return contractionMayShareBytes(fusion, operand, result);
  if (fusion.getKind() == graph::FusionKind::scatter)
    return isScatter(fusion) ? scatterMayShareBytes(fusion, operand, result)
                             : updateMayShareBytes(fusion, operand, result);
  if (fusion.getKind() == graph::FusionKind::routine)
    return routineMayShareBytes(fusion, operand, result);
  if (fusion.getKind() != graph::FusionKind::pointwise &&
      fusion.getKind() != graph::FusionKind::copy)
    return false;
  auto from = cast<RankedTensorType>(fusion.getInputs()[operand].getType());
  auto to = cast<RankedTensorType>(fusion.getResultTypes()[result]);
  // Results of another shape have their own kernel, which may read the operand
  // after this one has written.
  bool oneShape =
      llvm::all_equal(llvm::map_range(fusion.getResultTypes(), [](Type type) {
        return cast<RankedTensorType>(type).getShape();
      }));
  if (from != to || !oneShape || isReduction(fusion))
    return false;
  return keepsIndex(fusion.getBody().getArgument(operand));
}

} // namespace zenith::kernels
