// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor attributes from the bytes of an artifact.

#ifndef ZENITH_FRONTENDS_STABLEHLO_BYTECODE_ELEMENTBYTES_H
#define ZENITH_FRONTENDS_STABLEHLO_BYTECODE_ELEMENTBYTES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace zenith::stablehlo {

/// Row-major little-endian elements; one element for all where `bytes` holds
/// one. Booleans are packed, lowest bit first, or take a byte each as older
/// artifacts have them. Null where `bytes` have another size.
mlir::DenseElementsAttr elementsFromBytes(mlir::RankedTensorType type,
                                          llvm::StringRef bytes);

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_BYTECODE_ELEMENTBYTES_H
