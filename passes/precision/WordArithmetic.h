// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of 64-bit integers on pairs of 32-bit words: element by element,
// on tensors of any shape.

#ifndef ZENITH_PASSES_PRECISION_WORDARITHMETIC_H
#define ZENITH_PASSES_PRECISION_WORDARITHMETIC_H

#include "ir/GraphOps.h"

namespace zenith::precision {

/// high * 2^32 + low modulo 2^64, both ui32. Signed numbers are two's
/// complement.
struct Words {
  mlir::Value low, high;
};

/// Emits ops at the builder's place. Booleans are i1 tensors. All operands of
/// a call have one shape. What wraps or divides by zero does as the ops of
/// GraphIR on i64 and ui64 say.
class WordArithmetic {
public:
  WordArithmetic(mlir::OpBuilder &builder, mlir::Location loc)
      : b(builder), loc(loc) {}

  //===-- integers ------------------------------------------------------===//
  Words add(Words x, Words y);
  Words sub(Words x, Words y);
  Words neg(Words x);
  Words mul(Words x, Words y);
  /// Quotient truncated towards zero.
  Words div(Words x, Words y, bool isSigned);
  Words rem(Words x, Words y, bool isSigned);
  /// Remainder with the sign of y.
  Words floorMod(Words x, Words y, bool isSigned);
  Words abs(Words x);
  /// -1, 0 or 1.
  Words sign(Words x, bool isSigned);
  Words select(mlir::Value predicate, Words x, Words y);
  mlir::Value compare(graph::CompareDirection direction, Words x, Words y,
                      bool isSigned);

  //===-- bits ----------------------------------------------------------===//
  template <typename Op> Words bitwise(Words x, Words y) {
    return {binary<Op>(x.low, y.low), binary<Op>(x.high, y.high)};
  }
  Words invert(Words x);
  /// 0 where the distance y is not below 64.
  Words shiftLeft(Words x, Words y);
  /// Zeros, or copies of the sign, come in from above.
  Words shiftRight(Words x, Words y, bool isArithmetic);
  Words popcount(Words x);
  Words leadingZeros(Words x);

  //===-- conversions ---------------------------------------------------===//
  /// From integers, booleans and floats. Floats truncate; NaN gives 0, and what
  /// is out of range the nearest integer.
  Words from(mlir::Value value, bool isSigned);
  /// To such types, rounding once.
  mlir::Value to(Words x, mlir::Type element, bool isSigned);
  /// The nearest i32.
  mlir::Value saturated(Words x, bool isSigned);
  /// A whole 64-bit integer as its words, and back.
  Words split(mlir::Value whole);
  mlir::Value join(Words x, mlir::Type element);

private:
  template <typename Op> mlir::Value binary(mlir::Value x, mlir::Value y) {
    return b.create<Op>(loc, x.getType(), x, y);
  }
  template <typename Op> mlir::Value unary(mlir::Value x) {
    return b.create<Op>(loc, x.getType(), x);
  }
  /// A tensor like `like` that holds `value`.
  mlir::Value constant(mlir::Value like, uint64_t value);
  mlir::Value convert(mlir::Value value, mlir::Type element);
  mlir::Value bits(mlir::Value value, mlir::Type element);
  mlir::Value ordered(graph::CompareDirection direction, mlir::Value x,
                      mlir::Value y);
  mlir::Value choose(mlir::Value predicate, mlir::Value x, mlir::Value y);
  mlir::Value isZero(mlir::Value x);
  mlir::Value isNegative(Words x);
  Words zeros(mlir::Value like);
  mlir::Value highOfProduct(mlir::Value x, mlir::Value y);
  mlir::Value divideByNormal(mlir::Value high, mlir::Value low,
                             mlir::Value divisor);
  Words divideUnsigned(Words x, Words y);
  Words fromFloat(mlir::Value value, bool isSigned);
  Words fromDouble(mlir::Value value, bool isSigned);
  Words bounded(Words magnitude, mlir::Value isNegativeNumber,
                mlir::Value isLarge, mlir::Value isNaN, bool isSigned);
  mlir::Value toFloat(Words x, mlir::FloatType element, bool isSigned);

  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace zenith::precision

#endif // ZENITH_PASSES_PRECISION_WORDARITHMETIC_H
