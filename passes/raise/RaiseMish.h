// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shortens tanh of softplus.

#ifndef ZENITH_PASSES_RAISE_RAISEMISH_H
#define ZENITH_PASSES_RAISE_RAISEMISH_H

#include "mlir/IR/PatternMatch.h"

namespace zenith::raise {

void addMishPatterns(mlir::RewritePatternSet &patterns);

} // namespace zenith::raise

#endif // ZENITH_PASSES_RAISE_RAISEMISH_H
