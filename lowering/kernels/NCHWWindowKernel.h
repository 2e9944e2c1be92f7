// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NCHW depthwise convolutions and pooling: lanes along a row of the feature
// map.

#ifndef ZENITH_LOWERING_KERNELS_NCHWWINDOWKERNEL_H
#define ZENITH_LOWERING_KERNELS_NCHWWINDOWKERNEL_H

#include "lowering/builder/EmissionContext.h"
#include "lowering/schedule/windows/WindowForms.h"

namespace zenith::kernels {

/// Copies each plane into a buffer with its padding, and the columns that a
/// stride visits together side by side: all positions are then alike, with
/// lanes along a row. Pooling is reduced along the rows first. Reports failure
/// at the op.
mlir::FailureOr<KernelPlan> emitNCHWWindow(const EmissionContext &context,
                                           const WindowLoops &loops,
                                           const WindowKeys &keys);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_NCHWWINDOWKERNEL_H
