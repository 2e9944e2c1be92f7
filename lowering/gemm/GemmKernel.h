// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of contraction fusions: a matmul or convolution, with movement of its
// operands and an epilogue.

#ifndef ZENITH_LOWERING_GEMM_GEMMKERNEL_H
#define ZENITH_LOWERING_GEMM_GEMMKERNEL_H

#include "lowering/builder/KernelPlan.h"

namespace zenith::kernels {

/// Adds functions named after `name` to `kernels`. Reports failure at the op.
mlir::FailureOr<KernelPlan> emitContraction(graph::FusionOp fusion,
                                            graph::DimAnalysis &dims,
                                            const TargetModel &target,
                                            mlir::ModuleOp kernels,
                                            llvm::StringRef name);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_GEMM_GEMMKERNEL_H
