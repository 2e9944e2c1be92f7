// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The least and the largest element that an integer tensor can hold, as
// expressions over dimensions.

#ifndef ZENITH_IR_PROGRAM_ELEMENTBOUNDS_H
#define ZENITH_IR_PROGRAM_ELEMENTBOUNDS_H

#include "ir/dims/DimExpr.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace zenith::graph {

/// What is known of all elements; absent: nothing.
struct ElementBounds {
  std::optional<DimExpr> low, high;

  /// True where every element is proved to lie in [least, end).
  bool provablyWithin(const DimExpr &least, const DimExpr &end) const;
};

/// Follows constants, positions (iota, arg_reduce, top_k and others), clamps
/// and movement. `dimOf` gives a dimension of a value. Looks at few ops, so
/// that chains of any length cost little.
ElementBounds boundsOf(mlir::Value value,
                       llvm::function_ref<DimExpr(mlir::Value, int64_t)> dimOf);

} // namespace zenith::graph

#endif // ZENITH_IR_PROGRAM_ELEMENTBOUNDS_H
