// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One emitter per kind of fusion, except contractions (GemmKernel.h) and calls
// of routines.

#ifndef ZENITH_LOWERING_KERNELS_KERNELEMITTERS_H
#define ZENITH_LOWERING_KERNELS_KERNELEMITTERS_H

#include "lowering/builder/EmissionContext.h"
#include "lowering/schedule/AttentionSchedule.h"

namespace zenith::kernels {

/// Computes elements of the results one by one; reductions in the region (small
/// windows) are computed per element.
mlir::FailureOr<KernelPlan> emitPointwise(const EmissionContext &context);
/// The kernel that writes `values` of the body, which have one shape, to
/// results number `numbers`; at the offsets of `into`, if the values are its
/// update.
mlir::FailureOr<Launch> emitValues(const EmissionContext &context,
                                   llvm::StringRef name,
                                   llvm::ArrayRef<mlir::Value> values,
                                   llvm::ArrayRef<unsigned> numbers,
                                   graph::DynamicUpdateSliceOp into = {});
mlir::FailureOr<KernelPlan> emitReduction(const EmissionContext &context);
/// Scans along one dimension.
mlir::FailureOr<KernelPlan> emitScan(const EmissionContext &context);
/// reduce_window and grouped convolutions.
mlir::FailureOr<KernelPlan> emitWindow(const EmissionContext &context);

/// graph.attention with its epilogue: the variants of its schedule.
mlir::FailureOr<KernelPlan>
emitAttention(const EmissionContext &context,
              llvm::ArrayRef<ScheduledAttention> variants);

/// scatter and scatter_with.
mlir::FailureOr<KernelPlan> emitScatter(const EmissionContext &context);
/// dynamic_update_slice alone: copies the operand to the result, unless they
/// are the same bytes, then the update into its part.
mlir::FailureOr<KernelPlan> emitUpdate(const EmissionContext &context);
/// reduce_with and reduce_window_with.
mlir::FailureOr<KernelPlan> emitRegionReduce(const EmissionContext &context);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_KERNELEMITTERS_H
