// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short names for building GraphIR, in which import rules are written.

#ifndef ZENITH_FRONTENDS_STABLEHLO_BUILDER_HLOBUILDER_H
#define ZENITH_FRONTENDS_STABLEHLO_BUILDER_HLOBUILDER_H

#include "ir/GraphOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

namespace zenith::stablehlo {

using mlir::RankedTensorType;
using mlir::Type;
using mlir::Value;
using mlir::ValueRange;

inline RankedTensorType tensorTypeOf(Value value) {
  return llvm::cast<RankedTensorType>(value.getType());
}
inline Type elementOf(Value value) {
  return tensorTypeOf(value).getElementType();
}
inline int64_t rankOf(Value value) { return tensorTypeOf(value).getRank(); }
/// The same shape with another element type.
inline RankedTensorType typeWith(Value value, Type element) {
  return RankedTensorType::get(tensorTypeOf(value).getShape(), element);
}

class HLOBuilder {
public:
  HLOBuilder(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}
  mlir::OpBuilder &b;
  mlir::Location loc;

  template <typename Op, typename... Args> Op create(Args &&...args) {
    return b.create<Op>(loc, std::forward<Args>(args)...);
  }
  template <typename Op, typename... Args>
  Value make(Type type, Args &&...args) {
    return b.create<Op>(loc, type, std::forward<Args>(args)...)->getResult(0);
  }

  //===-- constants -------------------------------------------------------===//
  Value constant(mlir::ElementsAttr value);
  /// Rank 0; complex types get it as real part.
  Value scalar(Type element, double value);
  Value integer(Type element, const llvm::APInt &value);
  Value index(int64_t value) { return scalar(b.getI64Type(), double(value)); }
  Value indexVector(llvm::ArrayRef<int64_t> values);
  /// A constant of the shape and element type of `like`.
  Value filled(Value like, double value) {
    return spread(scalar(elementOf(like), value), like);
  }
  Value filled(Value like, Type element, double value) {
    return spread(scalar(element, value), like);
  }

  //===-- movement --------------------------------------------------------===//
  Value broadcast(Value value, llvm::ArrayRef<int64_t> mapping,
                  RankedTensorType type, ValueRange dims = {});
  /// A scalar broadcast to the shape of `like`.
  Value spread(Value scalar, Value like);
  Value spread(Value scalar, RankedTensorType type, ValueRange dims);
  Value reshape(Value value, llvm::ArrayRef<int64_t> shape);
  Value transpose(Value value, llvm::ArrayRef<int64_t> permutation);
  /// Static part.
  Value slice(Value value, llvm::ArrayRef<int64_t> starts,
              llvm::ArrayRef<int64_t> sizes);
  Value iota(llvm::ArrayRef<int64_t> shape, int64_t dim, Type element);
  Value concat(int64_t dim, ValueRange values);
  /// Size of a dimension as tensor<i64>.
  Value dim(Value value, int64_t index);
  /// One scalar per dynamic dimension.
  llvm::SmallVector<Value> dynamicDims(Value value);

  //===-- elementwise -----------------------------------------------------===//
  template <typename Op> Value unary(Value value) {
    return make<Op>(value.getType(), value);
  }
  template <typename Op> Value binary(Value lhs, Value rhs) {
    agree({&lhs, &rhs});
    return make<Op>(lhs.getType(), lhs, rhs);
  }
  Value compare(graph::CompareDirection direction, Value lhs, Value rhs);
  Value select(Value pred, Value onTrue, Value onFalse);
  /// Also between real and complex numbers.
  Value convert(Value value, Type element);
  Value bitcast(Value value, Type element);
  Value complexOf(Value real, Value imag);
  Value realPart(Value value);
  Value imagPart(Value value);

  //===-- folds -----------------------------------------------------------===//
  Value reduce(graph::ReduceKind kind, Value value,
               llvm::ArrayRef<int64_t> dims);

  //===-- static shapes ---------------------------------------------------===//
  /// Values of one shape, some of which have more static sizes than others: all
  /// get the sizes that any of them has.
  void agree(llvm::ArrayRef<Value *> list);
  /// The same value, whose type also has the static sizes of `shape`.
  Value refine(Value value, llvm::ArrayRef<int64_t> shape);
};

/// A value in formulas: `(x * x + 1.0) / y`. C++ constants take the other
/// operand's element type.
struct Expr {
  HLOBuilder *builder;
  Value value;
  Expr(HLOBuilder &builder, Value value) : builder(&builder), value(value) {}
  Expr with(Value other) const { return Expr(*builder, other); }
  Expr constant(double element) const {
    return with(builder->filled(value, element));
  }
  template <typename Op> Expr apply() const {
    return with(builder->unary<Op>(value));
  }
  template <typename Op> Expr apply(Expr rhs) const {
    return with(builder->binary<Op>(value, rhs.value));
  }
  Type element() const { return elementOf(value); }
};

#define ZENITH_EXPR_OPERATOR(symbol, Op)                                       \
  inline Expr operator symbol(Expr lhs, Expr rhs) {                            \
    return lhs.apply<graph::Op>(rhs);                                          \
  }                                                                            \
  inline Expr operator symbol(Expr lhs, double rhs) {                          \
    return lhs.apply<graph::Op>(lhs.constant(rhs));                            \
  }                                                                            \
  inline Expr operator symbol(double lhs, Expr rhs) {                          \
    return rhs.constant(lhs).apply<graph::Op>(rhs);                            \
  }
ZENITH_EXPR_OPERATOR(+, AddOp)
ZENITH_EXPR_OPERATOR(-, SubOp)
ZENITH_EXPR_OPERATOR(*, MulOp)
ZENITH_EXPR_OPERATOR(/, DivOp)
ZENITH_EXPR_OPERATOR(&, AndOp)
ZENITH_EXPR_OPERATOR(|, OrOp)
ZENITH_EXPR_OPERATOR(^, XorOp)
#undef ZENITH_EXPR_OPERATOR

#define ZENITH_EXPR_COMPARISON(symbol, direction)                              \
  inline Expr operator symbol(Expr lhs, Expr rhs) {                            \
    return lhs.with(lhs.builder->compare(graph::CompareDirection::direction,   \
                                         lhs.value, rhs.value));               \
  }                                                                            \
  inline Expr operator symbol(Expr lhs, double rhs) {                          \
    return lhs symbol lhs.constant(rhs);                                       \
  }
ZENITH_EXPR_COMPARISON(<, lt)
ZENITH_EXPR_COMPARISON(<=, le)
ZENITH_EXPR_COMPARISON(>, gt)
ZENITH_EXPR_COMPARISON(>=, ge)
ZENITH_EXPR_COMPARISON(==, eq)
ZENITH_EXPR_COMPARISON(!=, ne)
#undef ZENITH_EXPR_COMPARISON

inline Expr operator-(Expr value) { return value.apply<graph::NegOp>(); }
inline Expr select(Expr pred, Expr onTrue, Expr onFalse) {
  return pred.with(
      pred.builder->select(pred.value, onTrue.value, onFalse.value));
}
inline Expr select(Expr pred, double onTrue, Expr onFalse) {
  return select(pred, onFalse.constant(onTrue), onFalse);
}
inline Expr select(Expr pred, Expr onTrue, double onFalse) {
  return select(pred, onTrue, onTrue.constant(onFalse));
}

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_BUILDER_HLOBUILDER_H
