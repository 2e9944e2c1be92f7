// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds scalars, lists and tensors of rows for searches.

#ifndef ZENITH_IR_MATCHERS_ROWBUILDER_H
#define ZENITH_IR_MATCHERS_ROWBUILDER_H

#include "ir/GraphOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace zenith::graph {

/// The size of a dimension that a run decides.
constexpr int64_t anySize = mlir::ShapedType::kDynamic;

/// Builds ops on rows: tensors of rank 1 or 2 whose dimension 0 may be dynamic.
/// A number is a scalar tensor<i64>, a condition a tensor<i1>, a list a
/// tensor<?xi64>.
class RowBuilder {
public:
  using Value = mlir::Value;

  RowBuilder(mlir::OpBuilder &builder, mlir::Location location)
      : builder(builder), location(location) {}

  mlir::RankedTensorType type(llvm::ArrayRef<int64_t> shape,
                              mlir::Type element) const {
    return mlir::RankedTensorType::get(shape, element);
  }
  mlir::RankedTensorType listType() const;
  mlir::Type i64() const { return builder.getI64Type(); }

  Value number(int64_t value);
  Value condition(bool value);
  /// Elements of any shape, all of one integer type, row by row.
  Value constant(llvm::ArrayRef<int64_t> elements,
                 llvm::ArrayRef<int64_t> shape, mlir::Type element);
  /// Number of rows.
  Value count(Value rows);
  /// The scalar as a list of one.
  Value asList(Value number);

  // Arithmetic on two values of one type.
  Value add(Value a, Value b) { return make<AddOp>(a, b); }
  Value sub(Value a, Value b) { return make<SubOp>(a, b); }
  Value mul(Value a, Value b) { return make<MulOp>(a, b); }
  Value div(Value a, Value b) { return make<DivOp>(a, b); }
  Value rem(Value a, Value b) { return make<RemOp>(a, b); }
  Value min(Value a, Value b) { return make<MinOp>(a, b); }
  Value max(Value a, Value b) { return make<MaxOp>(a, b); }
  Value both(Value a, Value b) { return make<AndOp>(a, b); }
  Value either(Value a, Value b) { return make<OrOp>(a, b); }
  Value negate(Value a) { return make<NotOp>(a); }
  Value select(Value condition, Value yes, Value no) {
    return make<SelectOp>(condition, yes, no);
  }
  Value compare(CompareDirection direction, Value a, Value b) {
    return make<CompareOp>(direction, a, b);
  }
  Value convert(Value a, mlir::Type element);

  /// The operand repeated along new dimensions: its dimension i becomes
  /// `mapping[i]` of `result`, whose dynamic sizes are `sizes`.
  Value broadcast(Value a, mlir::RankedTensorType result,
                  llvm::ArrayRef<int64_t> mapping, mlir::ValueRange sizes);
  Value reshape(Value a, mlir::RankedTensorType result, mlir::ValueRange sizes);
  Value transpose(Value a);
  Value concat(Value first, Value second);
  /// 0, 1, ..., n - 1.
  Value positions(Value n);
  /// Rows start, ..., start + size - 1.
  Value part(Value rows, Value start, Value size);
  /// One row per index; indices are of rank 1. There must be a row, even where
  /// there is no index.
  Value pick(Value rows, Value indices);
  /// An element of a list as a scalar.
  Value at(Value list, Value index);
  Value fold(ReduceKind kind, Value a, llvm::ArrayRef<int64_t> dims);
  /// Which rows equal `row`, a tensor of rank 1.
  Value equalRows(Value rows, Value row);
  /// Whether two values of one static shape have equal elements.
  Value areEqual(Value a, Value b);
  /// The first row whose condition holds; there must be one.
  Value firstWhere(Value mask);

  /// Distinct rows in order of first occurrence, and the index of that
  /// occurrence.
  std::pair<Value, Value> distinctAt(Value rows);
  /// Rows of each operand for which `mask` holds.
  llvm::SmallVector<Value> keep(Value mask, mlir::ValueRange rows);

  using Body =
      llvm::function_ref<llvm::SmallVector<Value>(mlir::ValueRange carried)>;
  /// Runs `body` on carried values of these types as long as `shouldContinue`
  /// gives a true condition.
  mlir::ValueRange
  loop(mlir::TypeRange types, mlir::ValueRange inits,
       llvm::function_ref<Value(mlir::ValueRange)> shouldContinue, Body body);
  /// The results of an if with these two branches.
  mlir::ValueRange branch(Value condition, mlir::TypeRange types,
                          llvm::function_ref<llvm::SmallVector<Value>()> yes,
                          llvm::function_ref<llvm::SmallVector<Value>()> no);

protected:
  template <typename Op, typename... Arguments>
  Value make(Arguments &&...arguments) {
    return builder.create<Op>(location, std::forward<Arguments>(arguments)...)
        .getResult();
  }

  mlir::OpBuilder &builder;
  mlir::Location location;
};

} // namespace zenith::graph

#endif // ZENITH_IR_MATCHERS_ROWBUILDER_H
