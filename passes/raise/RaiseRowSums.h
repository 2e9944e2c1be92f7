// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns matmuls with one-hot or embedded rows into sums of table rows.

#ifndef ZENITH_PASSES_RAISE_RAISEROWSUMS_H
#define ZENITH_PASSES_RAISE_RAISEROWSUMS_H

#include "mlir/IR/PatternMatch.h"

namespace zenith::raise {

void addRowSumPatterns(mlir::RewritePatternSet &patterns);

} // namespace zenith::raise

#endif // ZENITH_PASSES_RAISE_RAISEROWSUMS_H
