// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows over small planes of channels-first data: lanes along neighbouring
// planes.

#ifndef ZENITH_LOWERING_KERNELS_INTERLEAVEDWINDOW_H
#define ZENITH_LOWERING_KERNELS_INTERLEAVEDWINDOW_H

#include "lowering/builder/EmissionContext.h"
#include "lowering/schedule/windows/InterleavedPlanes.h"
#include "lowering/schedule/windows/WindowForms.h"

namespace zenith::kernels {

/// Transposes a band of as many planes as there are lanes into a copy with
/// padding, reduces windows position by position, and transposes the results
/// back. Reports failure at the op.
mlir::FailureOr<KernelPlan>
emitInterleavedWindow(const EmissionContext &context, const WindowLoops &loops,
                      const WindowKeys &keys, const InterleavedPlanes &planes);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_INTERLEAVEDWINDOW_H
