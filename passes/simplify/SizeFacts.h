// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equalities of sizes that checks of the run state: what follows them may rely
// on them.

#ifndef ZENITH_PASSES_SIMPLIFY_SIZEFACTS_H
#define ZENITH_PASSES_SIMPLIFY_SIZEFACTS_H

#include "ir/DimAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <map>

namespace zenith::simplify {

/// Only of checks that arguments' sizes decide, which run before any kernel: so
/// ops before a check may rely on it as well.
class SizeFacts {
public:
  SizeFacts(mlir::func::FuncOp function, graph::DimAnalysis &dims);
  bool empty() const { return known.empty(); }
  /// The expression by which the program may say `expr`.
  graph::DimExpr apply(const graph::DimExpr &expr) const;

private:
  void add(const graph::DimExpr &lhs, const graph::DimExpr &rhs);

  /// What common sizes are, in expressions that have none of these.
  std::map<graph::DimAtom, graph::DimExpr> known;
};

/// Gives movement ops of the entry block the sizes that facts make of theirs.
/// Conditions of checks stay as they are.
void applySizeFacts(mlir::func::FuncOp function);

} // namespace zenith::simplify

#endif // ZENITH_PASSES_SIMPLIFY_SIZEFACTS_H
