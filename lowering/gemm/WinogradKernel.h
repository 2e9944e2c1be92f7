// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of one variant of a Winograd convolution.

#ifndef ZENITH_LOWERING_GEMM_WINOGRADKERNEL_H
#define ZENITH_LOWERING_GEMM_WINOGRADKERNEL_H

#include "lowering/builder/EmissionContext.h"
#include "lowering/schedule/gemm/ScheduledProduct.h"

namespace zenith::kernels {

/// Adds the launches of the variant to `plan`: copies, the input transform
/// where it is a launch of its own, and the GEMMs with the output transform.
/// Reports failure at the op.
mlir::LogicalResult emitWinogradConvolution(KernelPlan &plan,
                                            const ScheduledWinograd &variant,
                                            const EmissionContext &context,
                                            llvm::StringRef name);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_GEMM_WINOGRADKERNEL_H
