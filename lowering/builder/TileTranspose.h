// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposes a square of vectors in registers.

#ifndef ZENITH_LOWERING_BUILDER_TILETRANSPOSE_H
#define ZENITH_LOWERING_BUILDER_TILETRANSPOSE_H

#include "lowering/builder/KernelBuilder.h"

namespace zenith::kernels {

/// Lane l of vector v becomes lane v of vector l; as many vectors as lanes, a
/// power of two.
void transposeSquare(mlir::OpBuilder &b, mlir::Location loc,
                     llvm::MutableArrayRef<mlir::Value> square);

/// Rows of a matrix in memory: offset of the first one and distance, in
/// elements.
struct RowsInMemory {
  mlir::Value memory, offset, stride;
};

/// The same from memory to other memory, in a function that all kernels share
/// where the target has calls: the instructions are many.
void transposeMemory(KernelBuilder &kernel, mlir::VectorType type,
                     const RowsInMemory &from, const RowsInMemory &to);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_BUILDER_TILETRANSPOSE_H
