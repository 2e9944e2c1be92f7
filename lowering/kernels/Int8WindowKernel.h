// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Int8 depthwise convolutions with lanes along the channels.

#ifndef ZENITH_LOWERING_KERNELS_INT8WINDOWKERNEL_H
#define ZENITH_LOWERING_KERNELS_INT8WINDOWKERNEL_H

#include "lowering/schedule/windows/WindowSchedule.h"

namespace zenith::kernels {

/// Whether emitInt8Window supports the fusion: an int8 depthwise convolution
/// whose channels are contiguous, with lanes along loop `lane`.
bool suitsInt8Window(const EmissionContext &context,
                     const IterationSpace &space, const WindowShape &shape,
                     unsigned lane);

/// Multiplies four taps at a time by dot products of bytes. Reports failure at
/// the op.
mlir::FailureOr<KernelPlan> emitInt8Window(const EmissionContext &context,
                                           IterationSpace &space,
                                           const WindowShape &shape,
                                           unsigned lane);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_INT8WINDOWKERNEL_H
