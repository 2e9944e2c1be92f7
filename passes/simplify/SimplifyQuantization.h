// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drops a quantization that undoes the dequantization before it.

#ifndef ZENITH_PASSES_SIMPLIFY_SIMPLIFYQUANTIZATION_H
#define ZENITH_PASSES_SIMPLIFY_SIMPLIFYQUANTIZATION_H

#include "mlir/IR/PatternMatch.h"

namespace zenith::simplify {

void addQuantizationPatterns(mlir::RewritePatternSet &patterns);

} // namespace zenith::simplify

#endif // ZENITH_PASSES_SIMPLIFY_SIMPLIFYQUANTIZATION_H
