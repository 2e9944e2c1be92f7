// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of integers that fit 16 bits.

#ifndef ZENITH_PASSES_LAYOUT_NARROWPRODUCTS_H
#define ZENITH_PASSES_LAYOUT_NARROWPRODUCTS_H

#include "mlir/IR/Operation.h"

namespace zenith::layout {

/// Lets an i32 product or convolution read its operands as i16 where their
/// values are known to fit; the sums stay i32.
void narrowProduct(mlir::Operation *contraction);

} // namespace zenith::layout

#endif // ZENITH_PASSES_LAYOUT_NARROWPRODUCTS_H
