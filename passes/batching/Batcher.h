// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites ops of a function into ops on a batch of rows. A value that differs
// between rows *varies*: its batched form has the row as dimension 0.

#ifndef ZENITH_PASSES_BATCHING_BATCHER_H
#define ZENITH_PASSES_BATCHING_BATCHER_H

#include "ir/GraphOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/batching/RowFunctions.h"
#include "passes/batching/VaryingValues.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace zenith::batching {

/// The number of rows: a number, or a scalar tensor<i64> where only the run
/// knows it.
struct BatchSize {
  int64_t number = mlir::ShapedType::kDynamic;
  mlir::Value scalar;

  bool isDynamic() const { return mlir::ShapedType::isDynamic(number); }
};

class Batcher {
public:
  using Value = mlir::Value;
  using Operation = mlir::Operation;
  using Values = llvm::SmallVector<Value>;

  /// `varying` says of the function that is read which of its values vary.
  Batcher(mlir::OpBuilder builder, VaryingValues &varying, BatchSize size,
          RowFunctions &functions)
      : b(builder), varying(varying), size(size), functions(functions),
        loc(b.getUnknownLoc()) {}

  //===-- values of the function that is read -----------------------------===//
  bool varies(Value original) const { return varying.contains(original); }
  /// What stands for a value: with rows if it varies, else without.
  Value mapped(Value original) const { return mapping.lookup(original); }
  Values mapped(mlir::ValueRange originals) const;
  /// With rows, in any case: a value that does not vary is repeated.
  Value batched(Value original);
  Values batched(mlir::ValueRange originals);
  /// Fails with a message where `original`, a size or the like, varies.
  llvm::FailureOr<Value> uniform(Operation *op, Value original,
                                 llvm::StringRef what);
  llvm::FailureOr<Values> uniform(Operation *op, mlir::ValueRange originals,
                                  llvm::StringRef what);
  /// Says what stands for `original`, in the batched type if it varies.
  void bind(Value original, Value value);
  void bind(mlir::ValueRange originals, mlir::ValueRange values);

  //===-- ops of the function that is read --------------------------------===//
  /// Emits the ops of a block but its terminator.
  llvm::LogicalResult run(mlir::Block &block);
  llvm::LogicalResult run(Operation *op);
  /// Writes `op` out by `formula`, which gets a builder that stands before it
  /// and gives a value per result, and emits these ops. The function that is
  /// read changes.
  llvm::LogicalResult
  runFormula(Operation *op,
             llvm::function_ref<Values(mlir::OpBuilder &)> formula);
  /// The op on `operands` with rows in all results; attributes are `op`'s own.
  /// Regions, which must not read varying values, are cloned.
  Operation *rebuild(Operation *op, mlir::ValueRange operands);
  llvm::LogicalResult runCall(mlir::func::CallOp op);
  llvm::LogicalResult refuse(Operation *op, const llvm::Twine &why);

  //===-- building --------------------------------------------------------===//
  /// The type with a dimension of rows in front.
  mlir::RankedTensorType batchedType(mlir::Type type) const;
  llvm::SmallVector<mlir::Type> batchedTypes(mlir::TypeRange types) const;
  /// Sizes of the dynamic dimensions of a batched type from those of the type.
  Values withRows(mlir::ValueRange sizes) const;
  /// The number of rows as a scalar.
  Value rows();
  /// `value` in each row.
  Value repeated(Value value);
  /// The value with dimension `place` moved to the front.
  Value rowsInFront(Value value, int64_t place);
  /// `vector`, an element per row, along all dimensions of `like`, which has
  /// rows.
  Value alongRows(Value vector, Value like);
  template <typename Op> Value binary(Value lhs, Value rhs) {
    return b.create<Op>(loc, lhs.getType(), lhs, rhs);
  }
  /// `yes` in the rows where the vector `condition` is true, else `no`.
  Value selectRows(Value condition, Value yes, Value no);
  Value anyRow(Value condition);
  /// The largest of `sizes`, an i64 per row, of the rows that count; 0 of none.
  Value largest(Value sizes);

  mlir::OpBuilder b;
  VaryingValues &varying;
  BatchSize size;
  RowFunctions &functions;
  /// Of the op that is emitted.
  mlir::Location loc;
  /// A boolean per row, or null where all count: the rows that branches and
  /// loops around have not left.
  Value active;
  mlir::IRMapping mapping;
};

/// The sharding of a value that gets rows in front: how they are dealt is open.
graph::ShardingAttr withOpenRows(graph::ShardingAttr sharding);

} // namespace zenith::batching

#endif // ZENITH_PASSES_BATCHING_BATCHER_H
