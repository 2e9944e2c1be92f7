// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Depthwise convolutions of bytes and of bf16 with lanes along the channels.

#ifndef ZENITH_LOWERING_KERNELS_DOTWINDOWKERNEL_H
#define ZENITH_LOWERING_KERNELS_DOTWINDOWKERNEL_H

#include "lowering/builder/EmissionContext.h"
#include "lowering/schedule/windows/DotWindowSchedule.h"
#include "lowering/schedule/windows/WindowForms.h"

namespace zenith::kernels {

/// Multiplies several taps at a time by dot products. Reports failure at
/// the op.
mlir::FailureOr<KernelPlan> emitDotWindow(const EmissionContext &context,
                                          const WindowLoops &loops,
                                          const WindowKeys &keys);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_DOTWINDOWKERNEL_H
