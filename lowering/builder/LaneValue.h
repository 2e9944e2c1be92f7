// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar or vector values of floats or integers with operators that build
// their arithmetic, so that formulas in the code read as formulas.

#ifndef ZENITH_LOWERING_BUILDER_LANEVALUE_H
#define ZENITH_LOWERING_BUILDER_LANEVALUE_H

#include "lowering/builder/KernelBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace zenith::kernels {

struct LaneValue;

/// A boolean or vector of booleans.
struct Flag {
  KernelBuilder *k;
  mlir::Value v;
  Flag operator&&(Flag y) const {
    return {k, k->b.create<mlir::arith::AndIOp>(k->loc, v, y.v)};
  }
  Flag operator||(Flag y) const {
    return {k, k->b.create<mlir::arith::OrIOp>(k->loc, v, y.v)};
  }
  Flag operator==(Flag y) const {
    return {k, k->b.create<mlir::arith::CmpIOp>(
                   k->loc, mlir::arith::CmpIPredicate::eq, v, y.v)};
  }
  Flag operator!() const {
    return {k, k->b.create<mlir::arith::XOrIOp>(k->loc, v,
                                                k->integer(v.getType(), 1))};
  }
};

/// Comparisons of floats are ordered (false with a NaN), but `!=`, which is
/// true with one. Integers are signed.
struct LaneValue {
  KernelBuilder *k;
  mlir::Value v;

  bool isFloat() const {
    return mlir::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(v.getType()));
  }
  LaneValue like(double c) const {
    return {k, isFloat() ? k->constant(v.getType(), c)
                         : k->integer(v.getType(), int64_t(c))};
  }
  template <typename FloatOp, typename IntOp>
  LaneValue make(LaneValue y) const {
    if (isFloat())
      return {k, k->b.create<FloatOp>(k->loc, v, y.v)};
    return {k, k->b.create<IntOp>(k->loc, v, y.v)};
  }
  Flag compare(LaneValue y, mlir::arith::CmpFPredicate real,
               mlir::arith::CmpIPredicate integer) const {
    if (isFloat())
      return {k, k->b.create<mlir::arith::CmpFOp>(k->loc, real, v, y.v)};
    return {k, k->b.create<mlir::arith::CmpIOp>(k->loc, integer, v, y.v)};
  }

  LaneValue operator+(LaneValue y) const {
    return make<mlir::arith::AddFOp, mlir::arith::AddIOp>(y);
  }
  LaneValue operator-(LaneValue y) const {
    return make<mlir::arith::SubFOp, mlir::arith::SubIOp>(y);
  }
  LaneValue operator*(LaneValue y) const {
    return make<mlir::arith::MulFOp, mlir::arith::MulIOp>(y);
  }
  LaneValue operator/(LaneValue y) const {
    return {k, k->b.create<mlir::arith::DivFOp>(k->loc, v, y.v)};
  }
  LaneValue operator-() const {
    return {k, k->b.create<mlir::arith::NegFOp>(k->loc, v)};
  }
  LaneValue operator&(LaneValue y) const {
    return {k, k->b.create<mlir::arith::AndIOp>(k->loc, v, y.v)};
  }
  LaneValue operator|(LaneValue y) const {
    return {k, k->b.create<mlir::arith::OrIOp>(k->loc, v, y.v)};
  }
  LaneValue operator^(LaneValue y) const {
    return {k, k->b.create<mlir::arith::XOrIOp>(k->loc, v, y.v)};
  }
  LaneValue operator<<(LaneValue y) const {
    return {k, k->b.create<mlir::arith::ShLIOp>(k->loc, v, y.v)};
  }
  LaneValue operator>>(LaneValue y) const {
    return {k, k->b.create<mlir::arith::ShRSIOp>(k->loc, v, y.v)};
  }
  LaneValue logicalShiftRight(LaneValue y) const {
    return {k, k->b.create<mlir::arith::ShRUIOp>(k->loc, v, y.v)};
  }
  Flag operator<(LaneValue y) const {
    return compare(y, mlir::arith::CmpFPredicate::OLT,
                   mlir::arith::CmpIPredicate::slt);
  }
  Flag operator>(LaneValue y) const {
    return compare(y, mlir::arith::CmpFPredicate::OGT,
                   mlir::arith::CmpIPredicate::sgt);
  }
  Flag operator==(LaneValue y) const {
    return compare(y, mlir::arith::CmpFPredicate::OEQ,
                   mlir::arith::CmpIPredicate::eq);
  }
  Flag operator!=(LaneValue y) const {
    return compare(y, mlir::arith::CmpFPredicate::UNE,
                   mlir::arith::CmpIPredicate::ne);
  }

  LaneValue operator+(double c) const { return *this + like(c); }
  LaneValue operator-(double c) const { return *this - like(c); }
  LaneValue operator*(double c) const { return *this * like(c); }
  LaneValue operator/(double c) const { return *this / like(c); }
  LaneValue operator&(double c) const { return *this & like(c); }
  LaneValue operator<<(int c) const { return *this << like(c); }
  LaneValue operator>>(int c) const { return *this >> like(c); }
  Flag operator<(double c) const { return *this < like(c); }
  Flag operator>(double c) const { return *this > like(c); }
  Flag operator==(double c) const { return *this == like(c); }
  Flag operator!=(double c) const { return *this != like(c); }
  Flag isNaN() const { return *this != *this; }
};
inline LaneValue operator+(double c, LaneValue x) { return x.like(c) + x; }
inline LaneValue operator-(double c, LaneValue x) { return x.like(c) - x; }
inline LaneValue operator*(double c, LaneValue x) { return x.like(c) * x; }
inline LaneValue operator/(double c, LaneValue x) { return x.like(c) / x; }

inline LaneValue select(Flag condition, LaneValue x, LaneValue y) {
  return {x.k, x.k->b.create<mlir::arith::SelectOp>(x.k->loc, condition.v, x.v,
                                                    y.v)};
}
inline LaneValue select(Flag condition, LaneValue x, double y) {
  return select(condition, x, x.like(y));
}
inline LaneValue select(Flag condition, double x, LaneValue y) {
  return select(condition, y.like(x), y);
}
inline LaneValue fma(LaneValue x, LaneValue y, LaneValue z) {
  return {x.k, x.k->b.create<mlir::math::FmaOp>(x.k->loc, x.v, y.v, z.v)};
}
inline LaneValue fma(LaneValue x, double y, LaneValue z) {
  return fma(x, x.like(y), z);
}
inline LaneValue fma(LaneValue x, double y, double z) {
  return fma(x, x.like(y), x.like(z));
}
inline LaneValue fma(LaneValue x, LaneValue y, double z) {
  return fma(x, y, x.like(z));
}
inline LaneValue abs(LaneValue x) {
  return {x.k, x.k->b.create<mlir::math::AbsFOp>(x.k->loc, x.v)};
}
inline LaneValue sqrt(LaneValue x) {
  return {x.k, x.k->b.create<mlir::math::SqrtOp>(x.k->loc, x.v)};
}
inline LaneValue floor(LaneValue x) {
  return {x.k, x.k->b.create<mlir::math::FloorOp>(x.k->loc, x.v)};
}
inline LaneValue copySign(LaneValue x, LaneValue sign) {
  return {x.k, x.k->b.create<mlir::math::CopySignOp>(x.k->loc, x.v, sign.v)};
}
/// Bits of floats as integers of the same width, and back.
inline LaneValue bits(LaneValue x) {
  mlir::Type type = mlir::getElementTypeOrSelf(x.v.getType());
  type = typeLike(
      mlir::IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth()),
      x.v.getType());
  return {x.k, x.k->b.create<mlir::arith::BitcastOp>(x.k->loc, type, x.v)};
}
inline LaneValue floatOf(LaneValue bits) {
  mlir::Type type =
      typeLike(mlir::Float32Type::get(bits.v.getContext()), bits.v.getType());
  return {bits.k,
          bits.k->b.create<mlir::arith::BitcastOp>(bits.k->loc, type, bits.v)};
}
inline LaneValue convertToFloat(LaneValue x) {
  mlir::Type type =
      typeLike(mlir::Float32Type::get(x.v.getContext()), x.v.getType());
  return {x.k, x.k->b.create<mlir::arith::SIToFPOp>(x.k->loc, type, x.v)};
}
/// x, which is >= 0 or NaN, with the sign of `sign`: cheaper than copySign.
inline LaneValue withSignOf(LaneValue x, LaneValue sign) {
  LaneValue one = bits(sign);
  LaneValue mask = {one.k, one.k->integer(one.v.getType(), int64_t(1) << 31)};
  return floatOf(bits(x) | (one & mask));
}
/// Polynomial by Horner's rule, lowest coefficient first.
template <size_t N>
LaneValue polynomial(LaneValue x, const double (&coefficients)[N]) {
  LaneValue sum = x.like(coefficients[N - 1]);
  for (size_t i = N - 1; i-- > 0;)
    sum = fma(sum, x, coefficients[i]);
  return sum;
}

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_BUILDER_LANEVALUE_H
