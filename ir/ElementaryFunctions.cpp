// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks whether an op is an elementary function.

#include "ir/ElementaryFunctions.h"

namespace zenith::graph {

bool isElementaryFunction(mlir::Operation *op) {
#define ZENITH_UNARY_FUNCTION(OP, NAME, MATH, BY)                              \
  if (mlir::isa<OP##Op>(op))                                                   \
    return true;
#define ZENITH_BINARY_FUNCTION(OP, NAME, MATH, BY)                             \
  ZENITH_UNARY_FUNCTION(OP, NAME, MATH, BY)
#define ZENITH_FUNCTION_BY_FORMULA(OP) ZENITH_UNARY_FUNCTION(OP, , , )
#include "ir/ElementaryFunctions.def"
  return false;
}

} // namespace zenith::graph
