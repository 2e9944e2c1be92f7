// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of kernel emission: the kernels of a fusion, the scratch memory
// they need, and which results may share the bytes of operands.

#ifndef ZENITH_LOWERING_KERNELS_EMITKERNELS_H
#define ZENITH_LOWERING_KERNELS_EMITKERNELS_H

#include "lowering/builder/KernelPlan.h"

namespace zenith::kernels {

/// Emits the kernels of `fusion` into `kernels`; names start with `name`.
/// Reports failure at the op.
mlir::FailureOr<KernelPlan> emitKernels(graph::FusionOp fusion,
                                        graph::DimAnalysis &dims,
                                        const TargetModel &target,
                                        mlir::ModuleOp kernels,
                                        llvm::StringRef name);

/// Bytes of the scratch buffers that emitKernels will use, so that buffers can
/// be planned first.
llvm::SmallVector<graph::DimExpr> scratchBytes(graph::FusionOp fusion,
                                               graph::DimAnalysis &dims,
                                               const TargetModel &target);

/// True where result `result` may share the bytes of operand `operand`: each
/// element is read before it is written, by the same task.
bool mayShareBytes(graph::FusionOp fusion, unsigned operand, unsigned result);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_EMITKERNELS_H
