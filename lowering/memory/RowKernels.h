// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fusions, with schedules, that write and read single rows of stacks.

#ifndef ZENITH_LOWERING_MEMORY_ROWKERNELS_H
#define ZENITH_LOWERING_MEMORY_ROWKERNELS_H

#include "ir/GraphOps.h"
#include "ir/target/TargetModel.h"
#include "mlir/IR/IRMapping.h"

namespace zenith::memory {

/// [T...] as [rows, T...].
mlir::RankedTensorType stackType(mlir::RankedTensorType type, int64_t rows);

/// An integer scalar of `type`.
mlir::Value integerScalar(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Type type, int64_t number);

/// All fail, reported, where there is no kernel.
class RowKernels {
public:
  using Value = mlir::Value;
  using Location = mlir::Location;
  using OpBuilder = mlir::OpBuilder;
  using Made = mlir::FailureOr<Value>;

  explicit RowKernels(const target::TargetModel &target) : target(target) {}

  /// Zeros of a static type.
  Made zeros(OpBuilder &builder, Location loc, mlir::RankedTensorType type);
  /// The stack with its row `index` replaced by `value`, which has a dimension
  /// less.
  Made write(OpBuilder &builder, Location loc, Value stack, Value value,
             Value index);
  /// Row `index` of the stack, with a dimension less.
  Made read(OpBuilder &builder, Location loc, Value stack, Value index);
  /// The row that `update` would write into a stack, of its operands as `again`
  /// maps them.
  Made rowOf(OpBuilder &builder, graph::FusionOp update,
             const mlir::IRMapping &again);

private:
  Made make(OpBuilder &builder, Location loc, graph::FusionKind kind,
            mlir::ValueRange inputs,
            llvm::function_ref<Value(OpBuilder &, mlir::Block &)> build);

  const target::TargetModel &target;
};

} // namespace zenith::memory

#endif // ZENITH_LOWERING_MEMORY_ROWKERNELS_H
