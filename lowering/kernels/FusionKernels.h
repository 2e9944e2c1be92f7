// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One emitter per kind of fusion, except contractions.

#ifndef ZENITH_LOWERING_KERNELS_FUSIONKERNELS_H
#define ZENITH_LOWERING_KERNELS_FUSIONKERNELS_H

#include "lowering/kernels/Kernel.h"

namespace zenith::kernels {

/// What every emitter needs.
struct EmissionContext {
  graph::FusionOp fusion;
  graph::DimAnalysis &dims;
  const KernelTarget &target;
  mlir::ModuleOp kernels;
  llvm::StringRef name;
};

/// Elements of the results one by one; also folds in place (small windows),
/// whatever the region holds.
mlir::FailureOr<KernelPlan> emitPointwise(const EmissionContext &context);
mlir::FailureOr<KernelPlan> emitReduction(const EmissionContext &context);
/// Running folds along one dimension.
mlir::FailureOr<KernelPlan> emitCumulative(const EmissionContext &context);
/// reduce_window and grouped convolutions.
mlir::FailureOr<KernelPlan> emitWindow(const EmissionContext &context);

/// Scratch that emitReduction asks for.
llvm::SmallVector<graph::DimExpr> reductionScratch(graph::FusionOp fusion,
                                                   graph::DimAnalysis &dims,
                                                   const KernelTarget &target);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_FUSIONKERNELS_H
