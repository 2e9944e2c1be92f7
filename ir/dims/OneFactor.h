// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes that products don't multiply out.

#ifndef ZENITH_IR_DIMS_ONEFACTOR_H
#define ZENITH_IR_DIMS_ONEFACTOR_H

#include "ir/dims/DimExpr.h"

namespace zenith::graph {

/// The same size, below 2^40, as one atom: its products with others stay short,
/// and code that evaluates several of them computes it once.
inline DimExpr oneFactor(const DimExpr &size) {
  return size.constant() || size.asAtom()
             ? size
             : DimExpr::min(size, int64_t(1) << 40);
}

} // namespace zenith::graph

#endif // ZENITH_IR_DIMS_ONEFACTOR_H
