// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exponential, logarithm and functions made of them, for f32.

#include "lowering/elements/VectorMath.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace zenith::kernels {

static constexpr double smallestNormal = 0x1p-126;
// Adding it rounds to an integer, which is then in the low bits. If the bias of
// an exponent is added too, a shift makes the power of two.
static constexpr double roundingMagic = 12582912.0;
static constexpr int exponentBias = 127, mantissaBits = 23;

// (exp(r) - 1 - r) / r^2 on |r| <= ln(2) / 2.
static const double expCoefficients[] = {0.5,           0.166666672,
                                         0.0416665226,  0.00833320059,
                                         0.00139294483, 0.000199509261};
// (log(1 + z) - z + z^2 / 2) / z^3 on [sqrt(1/2) - 1, sqrt(2) - 1].
static const double logCoefficients[] = {
    0.333333105, -0.249999866, 0.200022236,  -0.166692495, 0.142187163,
    -0.12384402, 0.118726194,  -0.117893703, 0.0691561252};
// The same with one power less, to 3e-9 of exp.
static const double shortExpCoefficients[] = {
    0.49999994, 0.166665211, 0.0416682884, 0.00836870354, 0.00138189388};
// (sinh(x) - x) / x^3 in x^2 below 1.
static const double sinhCoefficients[] = {
    0.166666672, 0.00833328534, 0.000198556911, 2.58478485e-06, 9.5109371e-08};
static constexpr double ln2High = 0.693145752, ln2Low = 1.42860677e-6,
                        log2e = 1.44269504;

static constexpr int64_t scaledLanes = 16;

bool VectorMath::scalesAtOnce(LaneValue x) const {
  auto type = dyn_cast<VectorType>(x.v.getType());
  return kernel.target.avx512 && type &&
         type.getNumElements() % scaledLanes == 0;
}

LaneValue VectorMath::scaled(LaneValue x, LaneValue n) {
  auto type = cast<VectorType>(x.v.getType());
  OpBuilder &b = kernel.b;
  Location loc = kernel.loc;
  auto part = VectorType::get({scaledLanes}, type.getElementType());
  const int64_t count[] = {scaledLanes}, step[] = {1};
  Value allLanes = kernel.integer(b.getI16Type(), -1),
        ownRounding = kernel.integer(b.getI32Type(), 4), result = x.v;
  for (int64_t first = 0; first < type.getNumElements(); first += scaledLanes) {
    const int64_t start[] = {first};
    auto partOf = [&](LaneValue v) -> Value {
      return b.create<vector::ExtractStridedSliceOp>(loc, v.v, start, count,
                                                     step);
    };
    Value piece = partOf(x);
    Value operands[] = {piece, partOf(n), piece, allLanes, ownRounding};
    piece =
        b.create<LLVM::CallIntrinsicOp>(
             loc, part, b.getStringAttr("llvm.x86.avx512.mask.scalef.ps.512"),
             operands)
            .getResult(0);
    result =
        b.create<vector::InsertStridedSliceOp>(loc, piece, result, start, step);
  }
  return {&kernel, result};
}

// Cody-Waite reduction; 2^n at once or by two factors, so that denormal results
// and results beyond 2^127 are right.
LaneValue VectorMath::expScaled(LaneValue x, std::optional<LaneValue> low,
                                int extra) {
  LaneValue c = select(x > 110, 110, x);
  // Far from denormal results, which are slow even where they become 0.
  double least = scalesAtOnce(x) ? -1000 : -125;
  c = select(c < least, least, c);
  constexpr double magic = roundingMagic + 2 * exponentBias;
  LaneValue t = fma(c, log2e, magic);
  LaneValue whole = t - magic;
  LaneValue r = fma(whole, -ln2High, c);
  r = fma(whole, -ln2Low, r);
  if (low)
    r = r + *low;
  LaneValue p = fma(polynomial(r, expCoefficients), r * r, r) + 1.0;
  if (scalesAtOnce(x))
    return scaled(p, extra ? whole + double(extra) : whole);
  LaneValue n = extra ? bits(t) + double(extra) : bits(t);
  LaneValue half = n >> 1;
  return p * floatOf(half << mantissaBits) *
         floatOf((n - half) << mantissaBits);
}

LaneValue VectorMath::exp(LaneValue x) { return expScaled(x, std::nullopt, 0); }

LaneValue VectorMath::expShort(LaneValue x, double vanishing) {
  static const double coefficients[] = {1.0,           6.93147188e-1,
                                        2.40221075e-1, 5.55035711e-2,
                                        9.67603192e-3, 1.33908634e-3};
  constexpr double lowest = -87;
  // Denormal results are very slow and are avoided. Arguments of which the
  // integer part is not an integer may give any result.
  if (scalesAtOnce(x)) {
    LaneValue t = fma(x, log2e, roundingMagic), whole = t - roundingMagic;
    LaneValue r = fma(x, log2e, -whole);
    return select(x < std::max(vanishing, lowest), 0,
                  scaled(polynomial(r, coefficients), whole));
  }
  LaneValue c = vanishing < lowest ? select(x < lowest, lowest, x) : x;
  constexpr double magic = roundingMagic + exponentBias;
  LaneValue t = fma(c, log2e, magic);
  LaneValue r = fma(c, log2e, magic - t);
  // The multiplication keeps a NaN; none of the magic constant's bits survive
  // the shift.
  LaneValue y = polynomial(r, coefficients) * floatOf(bits(t) << mantissaBits);
  return select(x < vanishing, 0, y);
}

LaneValue VectorMath::expm1(LaneValue x) {
  LaneValue c = select(x > 88.8, 88.8, x);
  c = select(c < -20, -20, c);
  constexpr double magic = roundingMagic + exponentBias - 1;
  LaneValue t = fma(c, log2e, magic);
  LaneValue whole = t - magic;
  LaneValue r = fma(whole, -ln2Low, fma(whole, -ln2High, c));
  LaneValue p = fma(polynomial(r, expCoefficients), r * r, r);
  LaneValue half = floatOf(bits(t) << mantissaBits);
  LaneValue y = fma(half, p, half - 0.5);
  return select(x == 0, x, y + y);
}

LaneValue VectorMath::logCore(LaneValue x, std::optional<LaneValue> low,
                              std::optional<LaneValue> extra) {
  Flag tiny = x < smallestNormal;
  LaneValue i = bits(select(tiny, x * 8388608.0, x));
  LaneValue exponent = (i - double(0x3f3504f3)) >> 23;
  LaneValue z = floatOf(i - (exponent << 23)) - 1.0;
  LaneValue e = convertToFloat(exponent) + select(tiny, x.like(-23), x.like(0));
  if (extra)
    e = e + *extra;
  LaneValue square = z * z;
  LaneValue p = polynomial(z, logCoefficients) * square * z;
  p = fma(e, -2.12194440e-4, p);
  p = fma(square, -0.5, p);
  if (low)
    p = p + *low;
  return fma(e, 0.693359375, z + p);
}

LaneValue VectorMath::log(LaneValue x) {
  LaneValue y = logCore(x, std::nullopt, std::nullopt);
  y = select(x == infinity, infinity, y);
  y = select(x == 0, -infinity, y);
  return select(!((x > 0) || (x == 0)), nan, y);
}

// log of the rounded 1 + x, plus the contribution of the rounding error.
LaneValue VectorMath::log1pScaled(LaneValue x, std::optional<LaneValue> extra) {
  LaneValue u = x + 1.0;
  LaneValue error = select(abs(x) < 1, x - (u - 1.0), 1.0 - (u - x)) / u;
  error = select(u < 1e9, error, 0);
  LaneValue y = logCore(u, error, extra);
  y = select(x == infinity, infinity, y);
  y = select(u == 0, -infinity, y);
  y = select(!((u > 0) || (u == 0)), nan, y);
  return select(abs(x) < 6e-8, x, y);
}

LaneValue VectorMath::log1p(LaneValue x) {
  return log1pScaled(x, std::nullopt);
}

// 2^-64 / (2^-64 + 2^(n-64) exp(r)): scaled so, the power is normal for all
// results down to the smallest denormal. The terms are added in the order that
// rounds least.
LaneValue VectorMath::logistic(LaneValue x) {
  constexpr double magic = roundingMagic + exponentBias - 64;
  LaneValue c = select(x > 30, 30, x);
  c = select(c < -106, -106, c);
  LaneValue t = fma(c, -log2e, magic);
  LaneValue n = magic - t;
  LaneValue r = fma(n, ln2Low, fma(n, ln2High, -c));
  LaneValue p = fma(polynomial(r, shortExpCoefficients), r * r, r);
  LaneValue power = floatOf(bits(t) << mantissaBits);
  LaneValue one = x.like(0x1p-64);
  return one / (fma(power, p, one) + power);
}

// With x = n ln(2)/2 + r and k = r coth(r) - 1, an even function, exp(2x) is
// 2^n (1 + k + r) / (1 + k - r): one division gives (exp(2x) - 1) / (exp(2x) +
// 1). The divisor is computed as the dividend plus their difference, so that
// rounding errors of both cancel. n is even, because for n = 1 the terms of the
// dividend would cancel too. The magic constant rounds to even integers.
LaneValue VectorMath::tanh(LaneValue x) {
  static const double coefficients[] = {0.333332241, -0.0221930984,
                                        0.00194154575};
  constexpr double magic = 2 * roundingMagic + exponentBias - 1;
  LaneValue a = abs(x);
  LaneValue c = select(a > 9.1, 9.1, a);
  LaneValue t = fma(c, 2 * log2e, magic);
  LaneValue r = fma(t - magic, -0.34657359, c);
  LaneValue square = r * r, p = polynomial(square, coefficients);
  LaneValue less = floatOf(bits(t) << (mantissaBits + 1)) - 0.5;
  LaneValue top = fma(less, fma(p, square, r), r) + less;
  LaneValue bottom = (top - fma(-p, square, r)) + 1.0;
  return withSignOf(top / bottom, x);
}

LaneValue VectorMath::sinh(LaneValue x) {
  LaneValue a = abs(x), square = x * x;
  LaneValue inner = fma(polynomial(square, sinhCoefficients) * square, x, x);
  LaneValue half = expScaled(a, std::nullopt, -1);
  return select(a < 1, inner, copySign(half - 0.25 / half, x));
}

LaneValue VectorMath::cosh(LaneValue x) {
  LaneValue half = expScaled(abs(x), std::nullopt, -1);
  return half + 0.25 / half;
}

LaneValue VectorMath::asinh(LaneValue x) {
  LaneValue a = abs(x), square = a * a;
  Flag big = a > 1e6;
  LaneValue t = a + square / (sqrt(square + 1.0) + 1.0);
  return copySign(
      log1pScaled(select(big, a, t), select(big, x.like(1), x.like(0))), x);
}

LaneValue VectorMath::acosh(LaneValue x) {
  LaneValue t = x - 1.0;
  Flag big = x > 1e6;
  LaneValue u = t + sqrt(fma(t, t, t + t));
  LaneValue y =
      log1pScaled(select(big, x, u), select(big, x.like(1), x.like(0)));
  return select(x < 1, nan, y);
}

LaneValue VectorMath::atanh(LaneValue x) {
  LaneValue a = abs(x);
  return copySign(log1p((a + a) / (1.0 - a)) * 0.5, x);
}

Value VectorMath::libm(StringRef name, ArrayRef<Value> operands) {
  OpBuilder &b = kernel.b;
  Type f64 = b.getF64Type();
  auto module = kernel.function()->getParentOfType<ModuleOp>();
  auto callee = module.lookupSymbol<func::FuncOp>(name);
  if (!callee) {
    SmallVector<Type> types(operands.size(), f64);
    callee =
        func::FuncOp::create(kernel.loc, name, b.getFunctionType(types, f64));
    callee.setPrivate();
    module.insert(module.begin(), callee);
  }
  auto vector = dyn_cast<VectorType>(operands[0].getType());
  if (!vector)
    return b.create<func::CallOp>(kernel.loc, callee, operands).getResult(0);
  Value result = kernel.constant(vector, 0.0);
  for (int64_t lane = 0; lane < vector.getNumElements(); ++lane) {
    SmallVector<Value> scalars;
    for (Value operand : operands)
      scalars.push_back(b.create<vector::ExtractOp>(kernel.loc, operand, lane));
    Value y = b.create<func::CallOp>(kernel.loc, callee, scalars).getResult(0);
    result = b.create<vector::InsertOp>(kernel.loc, y, result, lane);
  }
  return result;
}

} // namespace zenith::kernels
