// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assertions that say in words what sizes of a run must be.

#ifndef ZENITH_IR_PROGRAM_SIZECHECKS_H
#define ZENITH_IR_PROGRAM_SIZECHECKS_H

#include "ir/GraphOps.h"
#include "ir/program/SizeConditions.h"

namespace zenith::graph {

/// Unit attribute of assertions that only state what a later op requires
/// anyway: formats whose ops require the same need not say it again.
inline constexpr llvm::StringLiteral sizeCheckAttrName = "graph.size_check";

/// Who requires the condition: words for messages.
struct SizeCheckSubject {
  std::string name;                      ///< of the operator: "MatMul"
  llvm::SmallVector<DimVector> operands; ///< shapes that messages show
};

/// "sizes 768 ('hidden') and 512 differ: operand 0 is [batch=4, seq=17, 768],
/// operand 1 is [512, 3072]", where {0}, {1} and so on stand for the values of
/// `details`.
struct SizeCheckMessage {
  std::string text;
  llvm::SmallVector<DimExpr> details;
};
SizeCheckMessage messageOf(const SizeCondition &condition,
                           const SizeCheckSubject &subject);

/// Makes the assertion at the insertion point; `scalarOf` gives a tensor<i64>
/// for an expression. Null where it gives none.
AssertOp
createSizeCheck(mlir::OpBuilder &builder, mlir::Location loc,
                const SizeCondition &condition, const SizeCheckSubject &subject,
                llvm::function_ref<mlir::Value(const DimExpr &)> scalarOf);

/// What an assertion of createSizeCheck states, in the words of `dims`.
std::optional<SizeCondition> statedBy(AssertOp check, DimAnalysis &dims);

} // namespace zenith::graph

#endif // ZENITH_IR_PROGRAM_SIZECHECKS_H
