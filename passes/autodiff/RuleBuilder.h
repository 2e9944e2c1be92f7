// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What rules of differentiation build with: ops of one location on tensors of
// floats or complex numbers.

#ifndef ZENITH_PASSES_AUTODIFF_RULEBUILDER_H
#define ZENITH_PASSES_AUTODIFF_RULEBUILDER_H

#include "ir/GraphOps.h"
#include "mlir/IR/Builders.h"

namespace zenith::autodiff {

/// Values are whole tensors; those of one op have one shape unless it says
/// otherwise. `shape` stands for a value whose dimensions a result takes.
class RuleBuilder {
public:
  using Value = mlir::Value;
  using Dims = llvm::ArrayRef<int64_t>;

  RuleBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::OpBuilder &builder;
  mlir::Location loc;

  template <typename Op> Value unary(Value x) {
    return builder.create<Op>(loc, x.getType(), x);
  }
  template <typename Op> Value binary(Value x, Value y) {
    return builder.create<Op>(loc, x.getType(), x, y);
  }
  Value add(Value x, Value y) { return binary<graph::AddOp>(x, y); }
  Value sub(Value x, Value y) { return binary<graph::SubOp>(x, y); }
  Value mul(Value x, Value y) { return binary<graph::MulOp>(x, y); }
  Value div(Value x, Value y) { return binary<graph::DivOp>(x, y); }
  Value neg(Value x) { return unary<graph::NegOp>(x); }
  Value square(Value x) { return mul(x, x); }
  Value scale(Value x, double factor) { return mul(x, splat(x, factor)); }
  Value compare(graph::CompareDirection direction, Value x, Value y);
  Value select(Value condition, Value yes, Value no);
  /// x where the condition holds, else zero.
  Value where(Value condition, Value x) {
    return select(condition, x, zeros(x));
  }
  /// Zero where the condition holds, else x.
  Value unless(Value condition, Value x) {
    return select(condition, zeros(x), x);
  }
  Value convert(Value x, mlir::Type element);
  /// f16, bf16 and f8 as f32, in which composites compute.
  Value widened(Value x);
  static mlir::RankedTensorType widenedType(mlir::RankedTensorType type);

  /// Says of a product or quotient with a tangent that its factor may be
  /// infinite, for whoever transposes it.
  void markSingular(Value product);
  static bool isSingular(mlir::Operation *op);
  /// The attribute that says so.
  static constexpr llvm::StringLiteral singularAttrName = "autodiff.singular";

  /// Says of a broadcast that no place beyond the size of its dimension 0 is
  /// read, so that vmap may make it larger.
  void markRoom(graph::BroadcastOp broadcast);

  /// Sum of two values either of which may be null: null for zero.
  Value plus(Value x, Value y);
  /// x * y, null where x is.
  Value times(Value x, Value y) { return x ? mul(x, y) : x; }

  Value splat(Value shape, double number);
  /// Of a static type.
  Value splat(mlir::RankedTensorType type, double number);
  /// Of any element type.
  Value zeros(Value shape) { return splat(shape, 0); }
  Value scalar(mlir::Type element, double number);
  Value index(int64_t number);

  Value dim(Value x, int64_t d);
  llvm::SmallVector<Value> dynamicDims(Value x);
  /// Product of the sizes of `dims`, as a scalar of `element`.
  Value count(Value x, Dims dims, mlir::Type element);

  Value sum(Value x, Dims dims) {
    return reduce(graph::ReduceKind::sum, x, dims);
  }
  Value reduce(graph::ReduceKind kind, Value x, Dims dims);
  /// A value without the dimensions `dims` repeated along them again.
  Value repeat(Value reduced, Dims dims, Value shape);
  Value broadcast(Value x, Dims mapping, Value shape);
  Value reshape(Value x, Value shape);
  Value reshape(Value x, Dims sizes, mlir::ValueRange dynamic = {});
  Value transpose(Value x, Dims permutation);
  Value dot(Value lhs, Value rhs, graph::DotDimsAttr dims,
            mlir::Type element = {});
  Value reverse(Value x, Dims dims);
  /// Positions along dimension d, as elements of `element`.
  Value iota(Value shape, int64_t d, mlir::Type element);

  /// Elements of x at `indices` along a dimension; other dimensions agree.
  Value takeAlong(Value x, Value indices, int64_t dim);

  /// Dimensions of x that are not in `dims`.
  static llvm::SmallVector<int64_t> others(Value x, Dims dims);
};

} // namespace zenith::autodiff

#endif // ZENITH_PASSES_AUTODIFF_RULEBUILDER_H
