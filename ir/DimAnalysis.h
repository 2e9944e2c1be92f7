// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives every dimension, and every scalar that dimensions are made of, as an
// expression over named dimensions.

#ifndef ZENITH_IR_DIMANALYSIS_H
#define ZENITH_IR_DIMANALYSIS_H

#include "ir/dims/DimExpr.h"
#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>

namespace mlir::func {
class FuncOp;
}

namespace zenith::graph {

using DimVector = llvm::SmallVector<DimExpr>;

/// Lazy, memoising; valid until the IR changes. Named dimensions come from the
/// arguments' `graph.dims`; a dynamic dimension without a name gets a symbol of
/// its own
/// ("arg0_d1"), one that depends on data a fresh one ("%0", "%1", numbered in
/// order of the first question). A dimension that a while carries keeps its
/// initial value where the body provably leaves it alone; if and case keep what
/// all branches agree on. A scalar that depends on data, and may be
/// negative, is "%i0", "%i1" and so on.
class DimAnalysis {
public:
  DimAnalysis() = default;
  /// Dimensions of `value`: static ones as constants.
  const DimVector &dimsOf(mlir::Value value);
  DimExpr dimOf(mlir::Value value, unsigned dim) { return dimsOf(value)[dim]; }
  /// The integer that a rank-0 integer tensor holds, as an expression; a fresh
  /// symbol where it depends on data.
  DimExpr scalar(mlir::Value value);
  /// Product of the dimensions.
  DimExpr elementCount(mlir::Value value);
  /// Element `index` of an integer tensor of rank 1, as an expression.
  DimExpr element(mlir::Value value, int64_t index);
  DimExpr freshSymbol();
  DimExpr freshScalar();

private:
  DimVector computeDims(mlir::Value value);
  DimVector argumentDims(mlir::BlockArgument argument);
  std::optional<DimExpr> computeScalar(mlir::Value value);
  std::optional<DimExpr> computeElement(mlir::Value value, int64_t index);
  std::optional<DimExpr> scalarArithmetic(mlir::Operation *op);
  void settleOperands(mlir::Value value);
  /// Gives arguments and results of a while their dimensions (LoopDims.cpp).
  void settleLoop(mlir::Operation *loop);
  /// Forgets what was found out inside `loop`, but for `known`.
  void forgetInside(mlir::Operation *loop,
                    const llvm::DenseSet<mlir::Value> &known);
  /// The dimension that all branches of an if or case give to a result.
  DimVector branchDims(mlir::OpResult result);
  bool settled(mlir::Value value) const;

  llvm::DenseMap<mlir::Value, std::unique_ptr<DimVector>> dims;
  llvm::DenseMap<mlir::Value, std::unique_ptr<DimExpr>> scalars;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, std::unique_ptr<DimExpr>>
      elements;
  /// Of each dimension that a while carries: -1 where it keeps its initial
  /// value, else a number that dimensions share which are always equal.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int>> carriedGroups;
  unsigned fresh = 0;
};

/// Dimensions of a result whose dynamic ones `operands` give in order; static
/// ones from `type`.
DimVector dimsFromOperands(mlir::Type type, mlir::ValueRange operands,
                           DimAnalysis &analysis);

} // namespace zenith::graph

#endif // ZENITH_IR_DIMANALYSIS_H
