// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes matmuls with a tiny K as elementwise ops.

#ifndef ZENITH_PASSES_SIMPLIFY_SIMPLIFYOUTERPRODUCTS_H
#define ZENITH_PASSES_SIMPLIFY_SIMPLIFYOUTERPRODUCTS_H

#include "mlir/IR/PatternMatch.h"

namespace zenith::simplify {

void addOuterProductPatterns(mlir::RewritePatternSet &patterns);

} // namespace zenith::simplify

#endif // ZENITH_PASSES_SIMPLIFY_SIMPLIFYOUTERPRODUCTS_H
