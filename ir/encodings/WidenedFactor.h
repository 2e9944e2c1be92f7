// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Narrow parameters that a sum of products reads widened.

#ifndef ZENITH_IR_ENCODINGS_WIDENEDFACTOR_H
#define ZENITH_IR_ENCODINGS_WIDENEDFACTOR_H

#include "ir/GraphOps.h"

namespace zenith::graph {

/// The widening of narrow parameters whose products with other values `sum`
/// adds up; null for other sums.
ConvertOp widenedFactor(ReduceOp sum);

} // namespace zenith::graph

#endif // ZENITH_IR_ENCODINGS_WIDENEDFACTOR_H
