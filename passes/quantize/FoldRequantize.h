// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divisions of scaled sums.

#ifndef ZENITH_PASSES_QUANTIZE_FOLDREQUANTIZE_H
#define ZENITH_PASSES_QUANTIZE_FOLDREQUANTIZE_H

#include "mlir/IR/Builders.h"

namespace zenith::quantize {

/// Where the sums times their scale, `scaled`, are divided by a positive
/// constant, with additions and bounds known before any argument in between:
/// divides the scale and those instead.
void foldRequantize(mlir::Value scaled);

} // namespace zenith::quantize

#endif // ZENITH_PASSES_QUANTIZE_FOLDREQUANTIZE_H
