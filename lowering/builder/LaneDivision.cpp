// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quotients of small integers by float division; remainders of floats by exact
// multiplication.

#include "lowering/builder/LaneDivision.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include <limits>

using namespace mlir;

namespace zenith::kernels {

static constexpr double infinity = std::numeric_limits<double>::infinity();

LaneValue unlessAny(Flag rare, LaneValue usual,
                    function_ref<LaneValue(LaneValue)> always) {
  KernelBuilder &kernel = *usual.k;
  Value any = kernel.b.create<vector::ReductionOp>(
      kernel.loc, vector::CombiningKind::OR, rare.v);
  Value times = kernel.b.create<arith::SelectOp>(
      kernel.loc, any, kernel.index(1), kernel.index(0));
  return {&kernel, kernel.loop(kernel.index(0), times, kernel.index(1), usual.v,
                               [&](Value, ValueRange carried) {
                                 return SmallVector<Value>{
                                     always({&kernel, carried[0]}).v};
                               })[0]};
}

/// The constant that all lanes of y are, if both it and its reciprocal are well
/// inside the range of normal numbers; 0: not known.
static float knownDivisor(LaneValue y) {
  constexpr float smallest = 0x1p-60f, largest = 0x1p60f;
  Value value = y.v;
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    value = broadcast.getSource();
  APFloat number(0.0f);
  if (!isa<VectorType>(y.v.getType()) ||
      !getElementTypeOrSelf(y.v.getType()).isF32() ||
      !matchPattern(value, m_ConstantFloat(&number)))
    return 0;
  float divisor = number.convertToFloat(), size = std::abs(divisor);
  return size >= smallest && size <= largest ? divisor : 0;
}

// A multiplication by the reciprocal takes a fraction of the time of a division
// of 512 bits. Adding the remainder times the reciprocal gives the rounded
// quotient (Markstein 1990), except for the sign of a zero and for infinity;
// where remainders underflow the result may be one unit off.
static LaneValue quotient(LaneValue x, LaneValue y, bool isFinite) {
  const TargetModel &target = x.k->target;
  float divisor = knownDivisor(y);
  if (divisor == 0 || !target.avx512 || !target.fma)
    return x / y;
  LaneValue reciprocal = y.like(1.0f / divisor), first = x * reciprocal;
  LaneValue better = fma(fma(-first, y, x), reciprocal, first);
  if (isFinite)
    return better;
  Value differs = x.k->b.create<arith::CmpFOp>(
      x.k->loc, arith::CmpFPredicate::ONE, better.v, first.v);
  return select({x.k, differs}, better, first);
}

LaneValue quotient(LaneValue x, LaneValue y) {
  return quotient(x, y, /*isFinite=*/false);
}

LaneValue quotientOfFinite(LaneValue x, LaneValue y) {
  return quotient(x, y, /*isFinite=*/true);
}

// A rounded quotient that is an integer leaves a remainder that is a small
// multiple of the last places of both, hence exactly representable. Each step
// makes the quotient 2^53 times smaller, and quotients of f32 are below 2^278.
static LaneValue reduceHuge(LaneValue a, LaneValue b) {
  KernelBuilder &kernel = *a.k;
  OpBuilder &builder = kernel.b;
  Type type = a.v.getType();
  if (getElementTypeOrSelf(type).isF64())
    return {&kernel, builder.create<arith::RemFOp>(kernel.loc, a.v, b.v)};
  constexpr int64_t steps = 6;
  Type wide = typeLike(builder.getF64Type(), type);
  LaneValue divisor{&kernel,
                    builder.create<arith::ExtFOp>(kernel.loc, wide, b.v)};
  Value rest = builder.create<arith::ExtFOp>(kernel.loc, wide, a.v);
  rest =
      kernel.loop(kernel.index(0), kernel.index(steps), kernel.index(1), rest,
                  [&](Value, ValueRange carried) {
                    LaneValue x{&kernel, carried[0]};
                    LaneValue whole{&kernel, builder.create<math::RoundEvenOp>(
                                                 kernel.loc, (x / divisor).v)};
                    return SmallVector<Value>{fma(-whole, divisor, x).v};
                  })[0];
  return {&kernel, builder.create<arith::TruncFOp>(kernel.loc, type, rest)};
}

// While the quotient has no more bits than a mantissa, its rounded value is at
// most one too large. If any lane has a larger quotient, all lanes are reduced
// before.
LaneValue exactRemainder(LaneValue x, LaneValue y) {
  KernelBuilder &kernel = *x.k;
  OpBuilder &builder = kernel.b;
  if (!isa<VectorType>(x.v.getType()) || !kernel.target.laneBranches)
    return {&kernel, builder.create<arith::RemFOp>(kernel.loc, x.v, y.v)};
  bool isDouble = getElementTypeOrSelf(x.v.getType()).isF64();
  LaneValue a = abs(x), b = abs(y);
  Flag huge = a / b > (isDouble ? 0x1p53 : 0x1p24);
  LaneValue small =
      unlessAny(huge, a, [&](LaneValue all) { return reduceHuge(all, b); });
  LaneValue rest = fma(-floor(small / b), b, small);
  rest = select(rest < 0, rest + b, rest);
  rest = select((b == infinity) && (a < infinity), a, rest);
  return copySign(rest, x);
}

static bool isConstant(Value value) {
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    value = broadcast.getSource();
  return matchPattern(value, m_Constant());
}

bool dividesAsFloats(LaneValue x, LaneValue y) {
  return isa<VectorType>(x.v.getType()) && x.k->target.laneBranches &&
         getElementTypeOrSelf(x.v.getType()).getIntOrFloatBitWidth() <= 32 &&
         !isConstant(y.v);
}

// A quotient that is not an integer is at least 1 / y away from the next
// integer and at most 2^bits / y: a mantissa of more than twice the bits never
// rounds it there.
LaneValue truncatedQuotient(LaneValue x, LaneValue y, bool isUnsigned) {
  KernelBuilder &kernel = *x.k;
  OpBuilder &b = kernel.b;
  Type type = x.v.getType();
  bool narrow = getElementTypeOrSelf(type).getIntOrFloatBitWidth() <= 16;
  Type real = typeLike(narrow ? Type(b.getF32Type()) : b.getF64Type(), type),
       whole = typeLike(b.getI32Type(), type);
  auto toFloat = [&](LaneValue n) -> LaneValue {
    return {&kernel,
            isUnsigned
                ? b.create<arith::UIToFPOp>(kernel.loc, real, n.v).getResult()
                : b.create<arith::SIToFPOp>(kernel.loc, real, n.v).getResult()};
  };
  Value quotient = (toFloat(x) / toFloat(y)).v;
  quotient =
      isUnsigned && !narrow
          ? b.create<arith::FPToUIOp>(kernel.loc, whole, quotient).getResult()
          : b.create<arith::FPToSIOp>(kernel.loc, whole, quotient).getResult();
  if (narrow)
    quotient = b.create<arith::TruncIOp>(kernel.loc, type, quotient);
  return {&kernel, quotient};
}

} // namespace zenith::kernels
