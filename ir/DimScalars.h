// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes dimension expressions as scalar ops over the dimensions of a
// function's arguments.

#ifndef ZENITH_IR_DIMSCALARS_H
#define ZENITH_IR_DIMSCALARS_H

#include "ir/DimAnalysis.h"
#include "mlir/IR/Builders.h"
#include <map>
#include <string>

namespace zenith::graph {

/// Emits at the start of the entry block, or before an op, and reuses what it
/// emitted; new ops stay in dependence order.
class DimScalars {
public:
  DimScalars(mlir::func::FuncOp function, DimAnalysis &analysis);
  /// Where symbols can be read: dimensions of values, and integer scalars.
  struct Sources {
    std::map<std::string, std::pair<mlir::Value, unsigned>> dims;
    std::map<std::string, mlir::Value> scalars;
  };
  /// Emits before `anchor`, from what `sources` has.
  DimScalars(mlir::Operation *anchor, const Sources &sources);
  /// A tensor<i64> scalar with the value of `expr`; null where it has a symbol
  /// that no argument's dimension gives.
  mlir::Value materialize(const DimExpr &expr);
  /// Operands for the dynamic dimensions of a value of these dimensions, in
  /// order; nullopt as above.
  std::optional<llvm::SmallVector<mlir::Value>>
  dynamicDims(const DimVector &dims, mlir::RankedTensorType type);

private:
  mlir::Value emit(const DimExpr &expr);
  mlir::Value emitAtom(const DimAtom &atom);
  mlir::Value constant(int64_t value);
  template <typename Op, typename... Args> mlir::Value create(Args &&...args);
  template <typename Op> mlir::Value binary(mlir::Value lhs, mlir::Value rhs);

  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::Operation *last = nullptr;
  std::map<DimExpr, mlir::Value> known;
  std::map<std::string, std::pair<mlir::Value, unsigned>> sources;
};

} // namespace zenith::graph

#endif // ZENITH_IR_DIMSCALARS_H
