// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One emitter per kind of fusion, except contractions (GemmKernel.h) and calls
// of routines.

#ifndef ZENITH_LOWERING_KERNELS_KERNELEMITTERS_H
#define ZENITH_LOWERING_KERNELS_KERNELEMITTERS_H

#include "lowering/builder/EmissionContext.h"

namespace zenith::kernels {

/// Elements of the results one by one; also folds in place (small windows),
/// whatever the region holds.
mlir::FailureOr<KernelPlan> emitPointwise(const EmissionContext &context);
/// The kernel that writes `values` of the body, which have one shape, as the
/// results `numbers`; where `into` says, if the values are its update.
mlir::FailureOr<Launch> emitValues(const EmissionContext &context,
                                   llvm::StringRef name,
                                   llvm::ArrayRef<mlir::Value> values,
                                   llvm::ArrayRef<unsigned> numbers,
                                   graph::DynamicUpdateSliceOp into = {});
mlir::FailureOr<KernelPlan> emitReduction(const EmissionContext &context);
/// Running folds along one dimension.
mlir::FailureOr<KernelPlan> emitCumulative(const EmissionContext &context);
/// reduce_window and grouped convolutions.
mlir::FailureOr<KernelPlan> emitWindow(const EmissionContext &context);

/// graph.attention with what follows it.
mlir::FailureOr<KernelPlan> emitAttention(const EmissionContext &context);
/// Scratch that emitAttention asks for.
llvm::SmallVector<graph::DimExpr> attentionScratch(graph::FusionOp fusion,
                                                   graph::DimAnalysis &dims,
                                                   const TargetModel &target);

/// scatter and scatter_with.
mlir::FailureOr<KernelPlan> emitScatter(const EmissionContext &context);
/// True where the operand's bytes may become the result's.
bool scatterMayShareBytes(graph::FusionOp fusion, unsigned operand,
                          unsigned result);
/// dynamic_update_slice alone: the operand goes to the result, unless they are
/// the same bytes, and then the update to its part.
mlir::FailureOr<KernelPlan> emitUpdate(const EmissionContext &context);
bool updateMayShareBytes(graph::FusionOp fusion, unsigned operand,
                         unsigned result);
/// reduce_with and reduce_window_with.
mlir::FailureOr<KernelPlan> emitRegionReduce(const EmissionContext &context);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_KERNELEMITTERS_H
