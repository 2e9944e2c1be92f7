// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks whether an op is an elementary function: exp, tanh, pow and the like.

#ifndef ZENITH_IR_ELEMENTARYFUNCTIONS_H
#define ZENITH_IR_ELEMENTARYFUNCTIONS_H

#include "ir/GraphOps.h"
#include <type_traits>

namespace zenith::graph {

/// Whether the op of this class is one of ElementaryFunctions.def.
template <typename Op> constexpr bool isElementaryFunctionClass() {
#define ZENITH_UNARY_FUNCTION(OP, NAME, MATH, BY)                              \
  if (std::is_same_v<Op, OP##Op>)                                              \
    return true;
#define ZENITH_BINARY_FUNCTION(OP, NAME, MATH, BY)                             \
  ZENITH_UNARY_FUNCTION(OP, NAME, MATH, BY)
#define ZENITH_FUNCTION_BY_FORMULA(OP) ZENITH_UNARY_FUNCTION(OP, , , )
#include "ir/ElementaryFunctions.def"
  return false;
}

/// Whether `op` is one of ElementaryFunctions.def: many instructions per
/// element, of which each waits for the one before.
bool isElementaryFunction(mlir::Operation *op);

} // namespace zenith::graph

#endif // ZENITH_IR_ELEMENTARYFUNCTIONS_H
