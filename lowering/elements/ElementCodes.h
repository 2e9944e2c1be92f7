// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types of the IR as the runtime numbers them.

#ifndef ZENITH_LOWERING_ELEMENTS_ELEMENTCODES_H
#define ZENITH_LOWERING_ELEMENTS_ELEMENTCODES_H

#include "mlir/IR/Types.h"
#include <cstdint>

namespace mlir {
class MLIRContext;
}

namespace zenith::kernels {

/// zenith_dtype of an element type; 0 where the runtime has none.
int32_t elementCode(mlir::Type type);
/// The element type of a zenith_dtype; null for unknown numbers.
mlir::Type elementType(mlir::MLIRContext *context, int32_t code);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_ELEMENTS_ELEMENTCODES_H
