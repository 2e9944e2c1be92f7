// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of reductions: folds in place.

#include "lowering/kernels/FusionKernels.h"
namespace zenith::kernels {
mlir::FailureOr<KernelPlan> emitReduction(const EmissionContext &context) {
  return emitPointwise(context);
}
mlir::FailureOr<KernelPlan> emitWindow(const EmissionContext &context) {
  return emitPointwise(context);
}
llvm::SmallVector<graph::DimExpr> reductionScratch(graph::FusionOp fusion,
                                                   graph::DimAnalysis &dims,
                                                   const KernelTarget &target) {
  return {};
}
} // namespace zenith::kernels
