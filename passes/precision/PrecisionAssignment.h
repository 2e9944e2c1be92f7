// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of one function under a policy: decisions in program order, and
// the converts between them.

#ifndef ZENITH_PASSES_PRECISION_PRECISIONASSIGNMENT_H
#define ZENITH_PASSES_PRECISION_PRECISIONASSIGNMENT_H

#include "ir/remarks/Remark.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/precision/PrecisionChoices.h"

namespace zenith::precision {

/// On ops, where a reader of the module asks for it: {index, rule, operands,
/// result}, the op's record and its position among all.
inline constexpr llvm::StringLiteral decisionAttrName = "graph.decision";

/// On an argument of an entry: a parameter that is state. A policy takes it for
/// a parameter, but ops with graph.highest_precision, which compute its next
/// value, read all its digits. Arguments and results with
/// graph.highest_precision are f32 whatever the policy says.
inline constexpr llvm::StringLiteral masterAttrName = "graph.master";

/// What was decided about an op.
struct PrecisionRecord {
  mlir::Operation *op;
  remarks::Code code;
  std::string name;  ///< of the source
  std::string rule;  ///< allow, follow, deny, keep, type, bound or range
  std::string types; ///< of float operands
  std::string result;
  std::vector<remarks::Value> reason; ///< values of the sentence beside these
};

/// Everything that decides.
struct PrecisionRequest {
  Policy policy;
  std::vector<std::string> keepF32;
  PrecisionChoices choices;
  std::map<mlir::Operation *, std::string> products; ///< namedProducts()
};

/// Rewrites `function` and returns a record for each op that has a f32 operand
/// or result and depends on arguments. Parameters that are rounded to f16 get
/// an assertion that their values fit.
std::vector<PrecisionRecord> assignPrecision(mlir::func::FuncOp function,
                                             const PrecisionRequest &request);

} // namespace zenith::precision

#endif // ZENITH_PASSES_PRECISION_PRECISIONASSIGNMENT_H
