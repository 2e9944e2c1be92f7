// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Narrow parameters that a sum of products reads widened.

#ifndef ZENITH_IR_ENCODINGS_WIDENEDFACTOR_H
#define ZENITH_IR_ENCODINGS_WIDENEDFACTOR_H

#include "ir/GraphOps.h"

namespace zenith::graph {

/// The ops by which `sum`, of products or of sums of two of them, widens narrow
/// parameters for their products with other values: the conversion and, where
/// the parameters are bytes of which each product takes a few bits, what cuts
/// these out and takes a zero point off. Empty for other sums.
llvm::SmallVector<mlir::Operation *> wideningOps(ReduceOp sum);

} // namespace zenith::graph

#endif // ZENITH_IR_ENCODINGS_WIDENEDFACTOR_H
