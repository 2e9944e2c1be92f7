// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives every dimension, and every scalar that dimensions are made of, as an expression over named dimensions.

#ifndef ZENITH_IR_DIMANALYSIS_H
#define ZENITH_IR_DIMANALYSIS_H

#include "ir/DimExpr.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::func {
class FuncOp;
}

namespace zenith::graph {

using DimVector = llvm::SmallVector<DimExpr>;

/// Lazy, memoising; valid until the IR changes. Named dimensions come from the
/// arguments' `graph.dims`; a dynamic dimension without a name gets a symbol of its own
/// ("arg0_d1"), one that depends on data a fresh one ("%n" with a number, in program order of first question).
class DimAnalysis {
public:
  DimAnalysis() = default;
  /// Dimensions of `value`: static ones as constants.
  const DimVector &dimsOf(mlir::Value value);
  DimExpr dimOf(mlir::Value value, unsigned dim) { return dimsOf(value)[dim]; }
  /// The integer that a rank-0 integer tensor holds, as an expression; a fresh symbol where it depends on data.
  DimExpr scalar(mlir::Value value);
  /// Product of the dimensions.
  DimExpr elementCount(mlir::Value value);
  DimExpr freshSymbol();

private:
  llvm::DenseMap<mlir::Value, std::unique_ptr<DimVector>> dims;
  llvm::DenseMap<mlir::Value, std::unique_ptr<DimExpr>> scalars;
  unsigned fresh = 0;
};

/// Dimensions of a result whose dynamic ones `operands` give in order; static ones from `type`.
DimVector dimsFromOperands(mlir::Type type, mlir::ValueRange operands, DimAnalysis &analysis);

} // namespace zenith::graph

#endif // ZENITH_IR_DIMANALYSIS_H
