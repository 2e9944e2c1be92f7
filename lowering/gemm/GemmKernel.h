// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of contraction fusions: a matmul or convolution, with movement of its
// operands and an epilogue.

#ifndef ZENITH_LOWERING_GEMM_GEMMKERNEL_H
#define ZENITH_LOWERING_GEMM_GEMMKERNEL_H

#include "lowering/builder/EmissionContext.h"
#include "lowering/schedule/gemm/ScheduledProduct.h"

namespace zenith::kernels {

/// Adds functions named after the context's name to its kernels. Reports
/// failure at the op.
mlir::FailureOr<KernelPlan> emitContraction(const EmissionContext &context,
                                            const ScheduledProduct &product);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_GEMM_GEMMKERNEL_H
