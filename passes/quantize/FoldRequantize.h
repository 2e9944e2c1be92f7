// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requantization folding.

#ifndef ZENITH_PASSES_QUANTIZE_FOLDREQUANTIZE_H
#define ZENITH_PASSES_QUANTIZE_FOLDREQUANTIZE_H

#include "mlir/IR/Builders.h"

namespace zenith::quantize {

/// Where `scaled`, sums times their scale, is divided by a positive constant,
/// with only additions and bounds that depend on no argument in between:
/// divides the scale and those operands instead.
void foldRequantize(mlir::Value scaled);

} // namespace zenith::quantize

#endif // ZENITH_PASSES_QUANTIZE_FOLDREQUANTIZE_H
