// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that copy an operand into the form that the GEMM reads: panels,
// row-major copies, padded feature maps.

#ifndef ZENITH_LOWERING_PACKING_PACKPANELS_H
#define ZENITH_LOWERING_PACKING_PACKPANELS_H

#include "lowering/builder/KernelBuilder.h"
#include "lowering/schedule/ContractionSpace.h"

namespace zenith::kernels {

/// The kernel that makes the copy; reports failure at the op.
mlir::FailureOr<Launch>
emitPreparation(const Preparation &preparation, const ContractionSpace &space,
                graph::FusionOp fusion, graph::DimAnalysis &dims,
                const TargetModel &target, mlir::ModuleOp kernels,
                llvm::StringRef name);

/// Offset in the source of the matrix that the first of `digits` say, one for
/// each outer axis of the preparation.
mlir::Value matrixOffset(KernelBuilder &kernel, const Preparation &preparation,
                         llvm::ArrayRef<mlir::Value> digits);

/// Ends the function of `kernel`, which makes the copy that `pad` describes.
mlir::FailureOr<Launch> emitPaddedInput(KernelBuilder &kernel,
                                        const Preparation &pad);

/// Ends the function of `kernel`, which makes the copy that `transpose`
/// describes, of elements of 16 bits.
Launch emitTransposedRows(KernelBuilder &kernel, const Preparation &transpose);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_PACKING_PACKPANELS_H
