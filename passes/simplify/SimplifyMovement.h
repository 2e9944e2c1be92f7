// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simplifies reshapes, transposes and broadcasts.

#ifndef ZENITH_PASSES_SIMPLIFY_SIMPLIFYMOVEMENT_H
#define ZENITH_PASSES_SIMPLIFY_SIMPLIFYMOVEMENT_H

#include "mlir/IR/PatternMatch.h"

namespace zenith::simplify {

void addMovementPatterns(mlir::RewritePatternSet &patterns);

} // namespace zenith::simplify

#endif // ZENITH_PASSES_SIMPLIFY_SIMPLIFYMOVEMENT_H
