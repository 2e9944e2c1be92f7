// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operands of a commutative op, told apart by a test.

#ifndef ZENITH_IR_MATCHERS_SPLITOPERANDS_H
#define ZENITH_IR_MATCHERS_SPLITOPERANDS_H

#include "mlir/IR/Value.h"
#include <optional>
#include <utility>

namespace zenith::graph {

/// Both operands of a commutative op, the one for which `test` holds second;
/// nullopt where it holds for neither.
template <typename Op, typename Test>
std::optional<std::pair<mlir::Value, mlir::Value>> splitOperands(Op op,
                                                                 Test test) {
  if (test(op.getRhs()))
    return std::make_pair(mlir::Value(op.getLhs()), mlir::Value(op.getRhs()));
  if (test(op.getLhs()))
    return std::make_pair(mlir::Value(op.getRhs()), mlir::Value(op.getLhs()));
  return std::nullopt;
}

} // namespace zenith::graph

#endif // ZENITH_IR_MATCHERS_SPLITOPERANDS_H
