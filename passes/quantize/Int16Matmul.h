// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of integers that fit 16 or 8 bits.

#ifndef ZENITH_PASSES_QUANTIZE_INT16MATMUL_H
#define ZENITH_PASSES_QUANTIZE_INT16MATMUL_H

#include "mlir/IR/Operation.h"

namespace zenith::layout {

/// Lets an i32 product or convolution read its operands as i16 where their
/// values are known to fit; the sums stay i32.
void narrowProduct(mlir::Operation *contraction);

/// Builds an i32 product or convolution with parameters anew on bytes, the left
/// ones unsigned, both widened by converts; false where that can't be. Depths
/// are then multiples of 4.
bool byteProduct(mlir::Operation *contraction);

} // namespace zenith::layout

#endif // ZENITH_PASSES_QUANTIZE_INT16MATMUL_H
