// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What training steps are built with: arithmetic on tensors of static shape, in
// which scalars stand for tensors of equal elements.

#ifndef ZENITH_FRONTENDS_TRAINING_STEPBUILDER_H
#define ZENITH_FRONTENDS_TRAINING_STEPBUILDER_H

#include "ir/GraphOps.h"
#include "mlir/IR/Builders.h"

namespace zenith::training {

/// Operands of two-operand functions have one element type, and one shape
/// unless one of them is a scalar.
class StepBuilder {
public:
  using Value = mlir::Value;
  using Dims = llvm::ArrayRef<int64_t>;

  StepBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::OpBuilder &builder;
  mlir::Location loc;

  static mlir::RankedTensorType typeOf(Value x) {
    return mlir::cast<mlir::RankedTensorType>(x.getType());
  }
  static mlir::Type elementOf(Value x) { return typeOf(x).getElementType(); }

  Value scalar(mlir::Type element, double number);
  /// A scalar of x's element type.
  Value scalarLike(Value x, double number) {
    return scalar(elementOf(x), number);
  }
  Value filled(mlir::RankedTensorType type, double number);

  Value add(Value x, Value y) { return binary<graph::AddOp>(x, y); }
  Value sub(Value x, Value y) { return binary<graph::SubOp>(x, y); }
  Value mul(Value x, Value y) { return binary<graph::MulOp>(x, y); }
  Value div(Value x, Value y) { return binary<graph::DivOp>(x, y); }
  Value max(Value x, Value y) { return binary<graph::MaxOp>(x, y); }
  Value min(Value x, Value y) { return binary<graph::MinOp>(x, y); }
  Value pow(Value x, Value y) { return binary<graph::PowOp>(x, y); }
  Value both(Value x, Value y) { return binary<graph::AndOp>(x, y); }
  Value either(Value x, Value y) { return binary<graph::OrOp>(x, y); }
  Value add(Value x, double y) { return add(x, scalarLike(x, y)); }
  Value sub(Value x, double y) { return sub(x, scalarLike(x, y)); }
  Value mul(Value x, double y) { return mul(x, scalarLike(x, y)); }
  Value div(Value x, double y) { return div(x, scalarLike(x, y)); }
  Value max(Value x, double y) { return max(x, scalarLike(x, y)); }
  Value min(Value x, double y) { return min(x, scalarLike(x, y)); }
  Value square(Value x) { return mul(x, x); }
  Value neg(Value x) { return unary<graph::NegOp>(x); }
  Value abs(Value x) { return unary<graph::AbsOp>(x); }
  Value sign(Value x) { return unary<graph::SignOp>(x); }
  Value sqrt(Value x) { return unary<graph::SqrtOp>(x); }
  Value rsqrt(Value x) { return unary<graph::RsqrtOp>(x); }
  Value exp(Value x) { return unary<graph::ExpOp>(x); }
  Value log(Value x) { return unary<graph::LogOp>(x); }
  Value log1p(Value x) { return unary<graph::Log1pOp>(x); }
  Value tanh(Value x) { return unary<graph::TanhOp>(x); }
  Value cos(Value x) { return unary<graph::CosOp>(x); }
  Value floor(Value x) { return unary<graph::FloorOp>(x); }
  Value negated(Value condition) { return unary<graph::NotOp>(condition); }
  Value compare(graph::CompareDirection direction, Value x, Value y);
  Value compare(graph::CompareDirection direction, Value x, double y) {
    return compare(direction, x, scalarLike(x, y));
  }
  Value isFinite(Value x);
  Value select(Value condition, Value yes, Value no);
  Value convert(Value x, mlir::Type element);

  /// x in `type`, its dimension i becoming mapping[i].
  Value broadcast(Value x, mlir::RankedTensorType type, Dims mapping);
  /// A scalar as a tensor of y's shape; anything else as it is.
  Value like(Value x, Value y);
  Value reshape(Value x, Dims shape);

  Value reduce(graph::ReduceKind kind, Value x, Dims dims);
  /// Over all dimensions.
  Value reduceAll(graph::ReduceKind kind, Value x);
  Value sumAll(Value x) { return reduceAll(graph::ReduceKind::sum, x); }
  Value meanAll(Value x);
  Value mean(Value x, Dims dims);
  /// x without `dims` along them again, in y's shape.
  Value repeat(Value reduced, Dims dims, Value y);
  /// The root of the sum of squares, a scalar.
  Value norm(Value x) { return sqrt(sumAll(square(x))); }

private:
  template <typename Op> Value unary(Value x) {
    return builder.create<Op>(loc, x.getType(), x);
  }
  template <typename Op> Value binary(Value x, Value y) {
    x = like(x, y);
    y = like(y, x);
    return builder.create<Op>(loc, x.getType(), x, y);
  }
};

} // namespace zenith::training

#endif // ZENITH_FRONTENDS_TRAINING_STEPBUILDER_H
