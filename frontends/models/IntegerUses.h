// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which integers a program can take for an argument, as its uses tell.

#ifndef ZENITH_FRONTENDS_MODELS_INTEGERUSES_H
#define ZENITH_FRONTENDS_MODELS_INTEGERUSES_H

#include "ir/DimAnalysis.h"
#include <vector>

namespace zenith::models {

struct IntegerUses {
  /// Dimensions that the value indexes: it must be below each. Indices of
  /// gathers, scatters and slices, and class labels, which are compared with
  /// the positions along a dimension.
  std::vector<graph::DimExpr> limits;
  bool isDivisor = false; ///< must not be 0
};

/// Follows integers through ops that move, convert or choose them.
IntegerUses integerUses(mlir::Value value, graph::DimAnalysis &dims);

} // namespace zenith::models

#endif // ZENITH_FRONTENDS_MODELS_INTEGERUSES_H
