// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor attributes from the bytes of an artifact.

#ifndef ZENITH_FRONTENDS_STABLEHLO_BYTECODE_ELEMENTBYTES_H
#define ZENITH_FRONTENDS_STABLEHLO_BYTECODE_ELEMENTBYTES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace zenith::stablehlo {

/// Row-major little-endian elements; if `bytes` holds one element, it is the
/// value of all. Booleans are packed, lowest bit first, or take a byte each in
/// older artifacts; narrow floats are given as f64. Null if `bytes` has another
/// size.
mlir::DenseElementsAttr elementsFromBytes(mlir::RankedTensorType type,
                                          llvm::StringRef bytes);

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_BYTECODE_ELEMENTBYTES_H
