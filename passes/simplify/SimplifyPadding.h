// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves zero padding into convolutions.

#ifndef ZENITH_PASSES_SIMPLIFY_SIMPLIFYPADDING_H
#define ZENITH_PASSES_SIMPLIFY_SIMPLIFYPADDING_H

#include "mlir/IR/PatternMatch.h"

namespace zenith::simplify {

void addPaddingPatterns(mlir::RewritePatternSet &patterns);

} // namespace zenith::simplify

#endif // ZENITH_PASSES_SIMPLIFY_SIMPLIFYPADDING_H
