// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small questions about values and formulas that the rewrites of this room
// share.

#ifndef ZENITH_IR_MATCHERS_SPLATMATCH_H
#define ZENITH_IR_MATCHERS_SPLATMATCH_H

#include "ir/GraphOps.h"
#include "ir/matchers/SplatConstant.h"
#include "mlir/IR/PatternMatch.h"

namespace zenith::cleanup {

using graph::splatValue;

/// Equal within a relative 1e-5: what exporters write for 1/sqrt(2) and its
/// like differs in the last digits.
bool isNear(std::optional<double> value, double expected);

/// The unsigned integers that `value` holds in types that have all of them,
/// which it was converted to; null where it holds others.
mlir::Value unsignedNumbers(mlir::Value value);

/// True for parameters and constants, also moved ones.
bool isParameter(mlir::Value value);

inline mlir::RankedTensorType typeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

/// Scalars for the dynamic dimensions of `value`, in order.
llvm::SmallVector<mlir::Value>
dynamicDimsOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);

/// A product taken apart: constant times the powers of values. Divisions by
/// constants and integer powers count.
struct Product {
  double constant = 1;
  llvm::SmallVector<std::pair<mlir::Value, int>> factors;
  int powerOf(mlir::Value value) const;
};
Product productOf(mlir::Value value);

/// The operands of a commutative op with the one for which `test` holds second;
/// nullopt where it holds for neither.
template <typename Op, typename Test>
std::optional<std::pair<mlir::Value, mlir::Value>> splitBy(Op op, Test test) {
  if (test(op.getRhs()))
    return std::make_pair(mlir::Value(op.getLhs()), mlir::Value(op.getRhs()));
  if (test(op.getLhs()))
    return std::make_pair(mlir::Value(op.getRhs()), mlir::Value(op.getLhs()));
  return std::nullopt;
}

void addAlgebraPatterns(mlir::RewritePatternSet &patterns);
void addMovementPatterns(mlir::RewritePatternSet &patterns);
void addOuterProductPatterns(mlir::RewritePatternSet &patterns);
void addPaddingPatterns(mlir::RewritePatternSet &patterns);
void addQuantizationPatterns(mlir::RewritePatternSet &patterns);

/// Writes every size once, in terms of the signature's dimensions, and drops
/// reshapes and broadcasts that change nothing.
void simplifySizes(mlir::func::FuncOp function);

} // namespace zenith::cleanup

#endif // ZENITH_IR_MATCHERS_SPLATMATCH_H
