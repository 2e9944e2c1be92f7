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

namespace {
/// What computes a fusion, and what that demands of its buffers.
struct Emitter {
  FailureOr<KernelPlan> (*emit)(const EmissionContext &context);
  /// Null: no scratch.
  SmallVector<graph::DimExpr> (*scratch)(graph::FusionOp fusion,
                                         graph::DimAnalysis &dims,
                                         const TargetModel &target) = nullptr;
  /// Null: no result may share the bytes of an operand.
  bool (*mayShareBytes)(graph::FusionOp fusion, unsigned operand,
                        unsigned result) = nullptr;
};
} // namespace

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

static bool pointwiseMayShareBytes(graph::FusionOp fusion, unsigned operand,
                                   unsigned result) {
  auto from = cast<RankedTensorType>(fusion.getInputs()[operand].getType());
  auto to = cast<RankedTensorType>(fusion.getResultTypes()[result]);
  // Results of another shape have their own kernel, which may read the operand
  // after this one has written.
  bool oneShape =
      llvm::all_equal(llvm::map_range(fusion.getResultTypes(), [](Type type) {
        return cast<RankedTensorType>(type).getShape();
      }));
  return from == to && oneShape &&
         keepsIndex(fusion.getBody().getArgument(operand));
}

static FailureOr<KernelPlan>
emitPrefetchingReduction(const EmissionContext &context) {
  FailureOr<KernelPlan> plan = emitReduction(context);
  if (succeeded(plan))
    prefetchInt8Operands(context, *plan);
  return plan;
}

static FailureOr<KernelPlan> emitGemm(const EmissionContext &context) {
  return emitContraction(context.fusion, context.dims, context.target,
                         context.kernels, context.name);
}

static SmallVector<graph::DimExpr> scratchOfRoutine(graph::FusionOp fusion,
                                                    graph::DimAnalysis &dims,
                                                    const TargetModel &) {
  return routineScratch(fusion, dims);
}

template <typename... Ops> static bool holds(graph::FusionOp fusion) {
  return llvm::any_of(fusion.getBody().front(),
                      [](Operation &op) { return isa<Ops...>(op); });
}

/// The kind of the fusion says what it is to greedy fusion; ops that need an
/// emitter of their own divide some kinds further.
static Emitter emitterOf(graph::FusionOp fusion) {
  if (holds<graph::ReduceWithOp, graph::ReduceWindowWithOp>(fusion))
    return {emitRegionReduce};
  switch (fusion.getKind()) {
  case graph::FusionKind::contraction:
    return {emitGemm, contractionScratchBytes, contractionMayShareBytes};
  case graph::FusionKind::attention:
    return {emitAttention, attentionScratch};
  case graph::FusionKind::routine:
    return {emitRoutine, scratchOfRoutine, routineMayShareBytes};
  case graph::FusionKind::scatter:
    if (holds<graph::ScatterOp, graph::ScatterWithOp>(fusion))
      return {emitScatter, nullptr, scatterMayShareBytes};
    return {emitUpdate, nullptr, updateMayShareBytes};
  case graph::FusionKind::pointwise:
  case graph::FusionKind::copy:
  case graph::FusionKind::reduction:
  case graph::FusionKind::window:
    break;
  }
  if (holds<graph::CumulativeOp>(fusion))
    return {emitScan};
  // Small reductions stay within the elements of a pointwise fusion; the
  // reduction emitter computes those, too.
  if (holds<graph::ReduceOp, graph::ArgReduceOp>(fusion))
    return {emitPrefetchingReduction, reductionScratch};
  if (fusion.getKind() == graph::FusionKind::window)
    return {emitWindow};
  return {emitPointwise, nullptr, pointwiseMayShareBytes};
}

FailureOr<KernelPlan> emitKernels(graph::FusionOp fusion,
                                  graph::DimAnalysis &dims,
                                  const TargetModel &target, ModuleOp kernels,
                                  StringRef name) {
  return emitterOf(fusion).emit({fusion, dims, target, kernels, name});
}

SmallVector<graph::DimExpr> scratchBytes(graph::FusionOp fusion,
                                         graph::DimAnalysis &dims,
                                         const TargetModel &target) {
  Emitter emitter = emitterOf(fusion);
  return emitter.scratch ? emitter.scratch(fusion, dims, target)
                         : SmallVector<graph::DimExpr>();
}

bool mayShareBytes(graph::FusionOp fusion, unsigned operand, unsigned result) {
  Emitter emitter = emitterOf(fusion);
  return emitter.mayShareBytes &&
         emitter.mayShareBytes(fusion, operand, result);
}

} // namespace zenith::kernels
