// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NCHW depthwise convolutions and pooling: lanes along a row of the feature
// map.

#ifndef ZENITH_LOWERING_KERNELS_NCHWWINDOWKERNEL_H
#define ZENITH_LOWERING_KERNELS_NCHWWINDOWKERNEL_H

#include "lowering/schedule/windows/WindowSchedule.h"

namespace zenith::kernels {

/// Whether emitNCHWWindow supports the fusion and pays off: its planes, whose
/// rows are contiguous, fit a cache that is fast enough for the taps.
bool suitsNCHWWindow(const EmissionContext &context,
                     const IterationSpace &space, const WindowShape &shape);

/// Of sizes that only a run knows: 1 where the rows of planes are read where
/// they lie instead, as they are with static sizes, if they suit that; else 0.
graph::DimExpr readsRowsInPlace(const EmissionContext &context,
                                const IterationSpace &space,
                                const WindowShape &shape);

/// Copies each plane into a buffer with its padding, and the columns that a
/// stride visits together side by side: all positions are then alike, with
/// lanes along a row. Pooling is reduced along the rows first. Reports failure
/// at the op.
mlir::FailureOr<KernelPlan> emitNCHWWindow(const EmissionContext &context,
                                           IterationSpace &space,
                                           const WindowShape &shape);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_NCHWWINDOWKERNEL_H
