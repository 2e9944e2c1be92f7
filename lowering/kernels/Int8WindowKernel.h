// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Int8 depthwise convolutions with lanes along the channels.

#ifndef ZENITH_LOWERING_KERNELS_INT8WINDOWKERNEL_H
#define ZENITH_LOWERING_KERNELS_INT8WINDOWKERNEL_H

#include "lowering/builder/EmissionContext.h"
#include "lowering/schedule/windows/Int8WindowSchedule.h"
#include "lowering/schedule/windows/WindowForms.h"

namespace zenith::kernels {

/// Multiplies four taps at a time by dot products of bytes. Reports failure at
/// the op.
mlir::FailureOr<KernelPlan> emitInt8Window(const EmissionContext &context,
                                           const WindowLoops &loops,
                                           const WindowKeys &keys);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_INT8WINDOWKERNEL_H
