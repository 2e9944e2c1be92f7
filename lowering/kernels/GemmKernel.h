// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of contraction fusions: a product or convolution, operands behind
// movement, pointwise ops behind it.

#ifndef ZENITH_LOWERING_KERNELS_GEMMKERNEL_H
#define ZENITH_LOWERING_KERNELS_GEMMKERNEL_H

#include "lowering/builder/KernelPlan.h"

namespace zenith::kernels {

/// Failure has been reported at the op.
mlir::FailureOr<KernelPlan> emitContraction(graph::FusionOp fusion,
                                            graph::DimAnalysis &dims,
                                            const TargetModel &target,
                                            mlir::ModuleOp kernels,
                                            llvm::StringRef name);

/// Scratch that emitContraction asks for; empty where it will fail (it reports
/// why).
llvm::SmallVector<graph::DimExpr>
contractionScratchBytes(graph::FusionOp fusion, graph::DimAnalysis &dims,
                        const TargetModel &target);

/// True where the operand is read only behind the product, element by element
/// as the result is written.
bool contractionMayShareBytes(graph::FusionOp fusion, unsigned operand,
                              unsigned result);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_GEMMKERNEL_H
