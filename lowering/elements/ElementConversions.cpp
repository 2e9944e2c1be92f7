// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between element types, and between registers and memory.

#include "lowering/elements/ElementConversions.h"
#include "lowering/builder/LaneDivision.h"
#include "lowering/elements/Float8.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace zenith::kernels {

static bool isUnsigned(Type element) {
  return element.isUnsignedInteger() || element.isInteger(1);
}

// Rounds to odd: a second rounding, to f16 or bf16, then gives the correctly
// rounded result.
static Value truncateToOdd(KernelBuilder &kernel, Value x) {
  OpBuilder &b = kernel.b;
  Type f32 = typeLike(b.getF32Type(), x.getType());
  Value nearest = b.create<arith::TruncFOp>(kernel.loc, f32, x);
  LaneValue back{&kernel,
                 b.create<arith::ExtFOp>(kernel.loc, x.getType(), nearest)};
  LaneValue value{&kernel, x}, i = bits(LaneValue{&kernel, nearest});
  LaneValue down = select(abs(back) > abs(value), i - 1.0, i);
  LaneValue odd = select(back != value, down | i.like(1), i);
  return floatOf(odd).v;
}

static Value toFloat(KernelBuilder &kernel, Value x, Type from, Type to) {
  OpBuilder &b = kernel.b;
  Type target = typeLike(registerType(to), x.getType());
  bool narrow = to.getIntOrFloatBitWidth() < 32;
  if (isa<FloatType>(from)) {
    if (from.isF64() && narrow)
      return roundTo(kernel, to, truncateToOdd(kernel, x));
    if (from.isF64() && to.isF32())
      return b.create<arith::TruncFOp>(kernel.loc, target, x);
    if (to.isF64() && !from.isF64())
      return b.create<arith::ExtFOp>(kernel.loc, target, x);
    return from == to ? x : roundTo(kernel, to, x);
  }
  bool wide = narrow && from.getIntOrFloatBitWidth() >= 32;
  Type first = wide ? typeLike(b.getF64Type(), x.getType()) : target;
  Value y = isUnsigned(from)
                ? b.create<arith::UIToFPOp>(kernel.loc, first, x).getResult()
                : b.create<arith::SIToFPOp>(kernel.loc, first, x).getResult();
  return roundTo(kernel, to, wide ? truncateToOdd(kernel, y) : y);
}

// Integers as f64, to i64: after adding a power of two whose last place is 1
// they are the low bits. Without AVX-512 processors have no such conversion for
// vectors.
static LaneValue wholeToLong(LaneValue whole) {
  constexpr double magic = 0x1.8p52;
  return bits(whole + magic) - bits(whole.like(magic));
}

// By two halves of 32 bits; saturates as `floatToInteger` does.
static LaneValue hugeToLong(LaneValue whole) {
  constexpr double half = 0x1p32, end = 0x1p63;
  LaneValue bounded = select(whole > end, end, whole);
  bounded = select(bounded < -end, -end, bounded);
  bounded = select(whole.isNaN(), 0, bounded);
  LaneValue high = floor(bounded * (1 / half));
  LaneValue result =
      (wholeToLong(high) << 32) + wholeToLong(fma(high, -half, bounded));
  LaneValue most{whole.k,
                 whole.k->integer(result.v.getType(),
                                  std::numeric_limits<int64_t>::max())};
  return select(bounded == end, most, result);
}

static Value floatToLong(KernelBuilder &kernel, Value x) {
  OpBuilder &b = kernel.b;
  Type wide = typeLike(b.getF64Type(), x.getType());
  Flag large = !(abs(LaneValue{&kernel, x}) < 0x1p51);
  LaneValue whole{&kernel, b.create<math::TruncOp>(kernel.loc, x)};
  if (x.getType() != wide)
    whole.v = b.create<arith::ExtFOp>(kernel.loc, wide, whole.v);
  return unlessAny(large, wholeToLong(whole),
                   [&](LaneValue) { return hugeToLong(whole); })
      .v;
}

// Values out of range are replaced before the conversion, which is undefined
// for them, and set after it.
static Value floatToInteger(KernelBuilder &kernel, Value x, Type to) {
  OpBuilder &b = kernel.b;
  LaneValue value{&kernel, x};
  unsigned bits = to.getIntOrFloatBitWidth();
  if (bits == 1)
    return (value != 0).v;
  bool isUnsigned = kernels::isUnsigned(to);
  double low = isUnsigned ? -1 : -std::ldexp(1.0, bits - 1),
         high = std::ldexp(1.0, isUnsigned ? bits : bits - 1);
  if (bits == 64 && !isUnsigned && isa<VectorType>(x.getType()) &&
      !kernel.target.longConversions)
    return floatToLong(kernel, x);
  unsigned exactBits = getElementTypeOrSelf(x.getType()).isF64() ? 53 : 24;
  if (bits <= 32 && bits < exactBits && !(isUnsigned && bits == 32)) {
    // The bounds are exactly representable, so nothing is left to select after
    // the conversion.
    LaneValue bounded = select(value > high - 1, high - 1, value);
    low = isUnsigned ? 0 : low;
    bounded = select(bounded < low, low, bounded);
    bounded = select(bounded.isNaN(), 0, bounded);
    Value whole = b.create<arith::FPToSIOp>(
        kernel.loc, typeLike(b.getI32Type(), x.getType()), bounded.v);
    Type target = typeLike(registerType(to), x.getType());
    return target == whole.getType()
               ? whole
               : b.create<arith::TruncIOp>(kernel.loc, target, whole)
                     .getResult();
  }
  Flag above = !(value < high) && !value.isNaN();
  // -2^31 - 1 isn't an f32; the bound itself is, and converts exactly.
  bool lowFits =
      isUnsigned || !getElementTypeOrSelf(x.getType()).isF32() || bits < 24;
  Flag below = isUnsigned ? !(value > -1)
               : lowFits  ? !(value > low - 1)
                          : value < low;
  Flag outside = above || below || value.isNaN();
  LaneValue safe = select(outside, value.like(0), value);
  Type middle = typeLike(b.getIntegerType(std::max(32u, bits)), x.getType());
  Value whole =
      isUnsigned && bits >= 32
          ? b.create<arith::FPToUIOp>(kernel.loc, middle, safe.v).getResult()
          : b.create<arith::FPToSIOp>(kernel.loc, middle, safe.v).getResult();
  Type target = typeLike(registerType(to), x.getType());
  if (target != middle)
    whole = b.create<arith::TruncIOp>(kernel.loc, target, whole);
  LaneValue result{&kernel, whole};
  unsigned width = getElementTypeOrSelf(target).getIntOrFloatBitWidth();
  APInt most = isUnsigned
                   ? APInt::getMaxValue(bits).zext(std::max(width, bits))
                   : APInt::getSignedMaxValue(bits).sext(std::max(width, bits));
  APInt least =
      isUnsigned ? APInt(width, 0)
                 : APInt::getSignedMinValue(bits).sext(std::max(width, bits));
  auto constant = [&](const APInt &c) {
    return LaneValue{&kernel, kernel.integer(target, c.getSExtValue())};
  };
  result = select(above, constant(most), result);
  result = select(below && !value.isNaN(), constant(least), result);
  return result.v;
}

Value saturateElement(KernelBuilder &kernel, Value x, Type from, Type to) {
  // Through f32, without a second rounding.
  Type f32 = kernel.b.getF32Type();
  Value wide = x;
  if (from.isF64())
    wide = truncateToOdd(kernel, x);
  else if (!isa<FloatType>(from)) {
    bool exact = from.getIntOrFloatBitWidth() < 32;
    wide = convertElement(kernel, x, from, exact ? f32 : kernel.b.getF64Type());
    if (!exact)
      wide = truncateToOdd(kernel, wide);
  }
  return decodeEightBits(kernel, to,
                         encodeEightBits(kernel, to, wide, /*saturate=*/true));
}

Value convertElement(KernelBuilder &kernel, Value x, Type from, Type to) {
  OpBuilder &b = kernel.b;
  if (from == to)
    return x;
  if (isa<FloatType>(to))
    return toFloat(kernel, x, from, to);
  if (isa<FloatType>(from))
    return floatToInteger(kernel, x, to);
  if (to.isInteger(1))
    return (LaneValue{&kernel, x} != 0).v;
  Type target = typeLike(registerType(to), x.getType());
  unsigned have = getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
  unsigned want = getElementTypeOrSelf(target).getIntOrFloatBitWidth();
  Value y = x;
  if (want > have)
    y = isUnsigned(from)
            ? b.create<arith::ExtUIOp>(kernel.loc, target, x).getResult()
            : b.create<arith::ExtSIOp>(kernel.loc, target, x).getResult();
  else if (want < have)
    y = b.create<arith::TruncIOp>(kernel.loc, target, x);
  return roundTo(kernel, to, y);
}

unsigned widestBytes(graph::FusionOp fusion) {
  unsigned widest = 1;
  auto count = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.getRank() == 0)
      return;
    Type element = registerType(type.getElementType());
    if (element.isIntOrFloat())
      widest = std::max(widest, (element.getIntOrFloatBitWidth() + 7) / 8);
  };
  for (Value argument : fusion.getBody().getArguments())
    count(argument);
  fusion.getBody().walk(
      [&](Operation *op) { llvm::for_each(op->getResults(), count); });
  return widest;
}

/// Rounds f32 to bf16 by integer arithmetic.
static LaneValue roundedToBF16(LaneValue x) {
  LaneValue i = bits(x), odd = i.logicalShiftRight(i.like(16)) & 1;
  LaneValue rounded = (i + odd + double(0x7fff)) & double(-0x10000);
  return select(x.isNaN(), x.like(std::numeric_limits<double>::quiet_NaN()),
                floatOf(rounded));
}

/// Lanes of a register that an instruction rounds to bf16.
static constexpr int64_t lanesToBF16 = 16;

static bool hasInstructionToBF16(KernelBuilder &kernel, Value x) {
  auto type = dyn_cast<VectorType>(x.getType());
  return type && kernel.target.bf16Pairs &&
         type.getNumElements() % lanesToBF16 == 0;
}

static Value lanesFrom(KernelBuilder &kernel, Value x, int64_t first,
                       int64_t count) {
  if (cast<VectorType>(x.getType()).getNumElements() == count)
    return x;
  return kernel.b.create<vector::ExtractStridedSliceOp>(
      kernel.loc, x, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{count},
      ArrayRef<int64_t>{1});
}

/// Whether a lane of any register is denormal.
static Value anyDenormal(KernelBuilder &kernel, Value x) {
  constexpr int32_t denormal = 0x20;
  OpBuilder &b = kernel.b;
  auto flags = VectorType::get({lanesToBF16}, b.getI1Type());
  int64_t lanes = cast<VectorType>(x.getType()).getNumElements();
  Value any;
  for (int64_t at = 0; at < lanes; at += lanesToBF16) {
    Value found =
        b.create<LLVM::CallIntrinsicOp>(
             kernel.loc, flags,
             b.getStringAttr("llvm.x86.avx512.fpclass.ps.512"),
             ArrayRef<Value>{lanesFrom(kernel, x, at, lanesToBF16),
                             kernel.integer(b.getI32Type(), denormal)})
            .getResult(0);
    any = any ? b.create<arith::OrIOp>(kernel.loc, any, found) : found;
  }
  return b.create<vector::ReductionOp>(kernel.loc, vector::CombiningKind::OR,
                                       any);
}

/// f32 without denormals as bf16: two registers at a time, which become one.
static Value roundNormal(KernelBuilder &kernel, Value x) {
  constexpr int64_t pair = 2 * lanesToBF16;
  OpBuilder &b = kernel.b;
  auto narrow = cast<VectorType>(typeLike(b.getBF16Type(), x.getType()));
  int64_t lanes = narrow.getNumElements();
  if (lanes < pair)
    return b.create<arith::TruncFOp>(kernel.loc, narrow, x);
  Value all;
  for (int64_t at = 0; at < lanes; at += pair) {
    Value low = lanesFrom(kernel, x, at, lanesToBF16),
          high = lanesFrom(kernel, x, at + lanesToBF16, lanesToBF16);
    Value both = b.create<LLVM::CallIntrinsicOp>(
                      kernel.loc, VectorType::get({pair}, b.getBF16Type()),
                      b.getStringAttr("llvm.x86.avx512bf16.cvtne2ps2bf16.512"),
                      ArrayRef<Value>{high, low})
                     .getResult(0);
    if (lanes == pair)
      return both;
    if (!all)
      all = b.create<arith::ConstantOp>(kernel.loc, b.getZeroAttr(narrow));
    all = b.create<vector::InsertStridedSliceOp>(
        kernel.loc, both, all, ArrayRef<int64_t>{at}, ArrayRef<int64_t>{1});
  }
  return all;
}

/// The bits of f32 rounded to bf16 by the instruction, which takes denormals
/// for zeros: by integer arithmetic where there are any.
static Value toBF16ByInstruction(KernelBuilder &kernel, Value x) {
  OpBuilder &b = kernel.b;
  Type halves = typeLike(b.getI16Type(), x.getType());
  auto branch =
      b.create<scf::IfOp>(kernel.loc, halves, anyDenormal(kernel, x), true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  LaneValue exact = bits(roundedToBF16({&kernel, x}));
  exact = exact.logicalShiftRight(exact.like(16));
  b.create<scf::YieldOp>(
      kernel.loc,
      b.create<arith::TruncIOp>(kernel.loc, halves, exact.v).getResult());
  b.setInsertionPointToStart(branch.elseBlock());
  b.create<scf::YieldOp>(
      kernel.loc,
      b.create<arith::BitcastOp>(kernel.loc, halves, roundNormal(kernel, x))
          .getResult());
  return branch.getResult(0);
}

Value roundTo(KernelBuilder &kernel, Type element, Value x) {
  OpBuilder &b = kernel.b;
  if (element.isF16()) {
    Value narrow = b.create<arith::TruncFOp>(
        kernel.loc, typeLike(b.getF16Type(), x.getType()), x);
    return b.create<arith::ExtFOp>(kernel.loc, x.getType(), narrow);
  }
  if (element.isBF16()) {
    if (hasInstructionToBF16(kernel, x))
      return toRegister(kernel, element, toBF16ByInstruction(kernel, x));
    return roundedToBF16({&kernel, x}).v;
  }
  if (isEightBitFloat(element))
    return decodeEightBits(kernel, element,
                           encodeEightBits(kernel, element, x));
  if (element.isInteger(4)) {
    Value four = kernel.integer(x.getType(), 4);
    Value up = b.create<arith::ShLIOp>(kernel.loc, x, four);
    if (element.isUnsignedInteger())
      return b.create<arith::ShRUIOp>(kernel.loc, up, four);
    return b.create<arith::ShRSIOp>(kernel.loc, up, four);
  }
  return x;
}

/// True for what roundTo() made of a value, and for a value from memory: both
/// are bf16 already.
static bool isBF16(Value x) {
  APFloat special(0.0f);
  if (auto select = x.getDefiningOp<arith::SelectOp>();
      select &&
      matchPattern(select.getTrueValue(), m_ConstantFloat(&special)) &&
      special.isNaN())
    x = select.getFalseValue();
  auto cast = x.getDefiningOp<arith::BitcastOp>();
  Operation *last = cast ? cast.getIn().getDefiningOp() : nullptr;
  APInt number;
  if (!last || last->getNumOperands() != 2 ||
      !matchPattern(last->getOperand(1), m_ConstantInt(&number)))
    return false;
  return isa<arith::AndIOp>(last) ? number == 0xffff0000
                                  : isa<arith::ShLIOp>(last) && number == 16;
}

Value toMemory(KernelBuilder &kernel, Type element, Value x) {
  OpBuilder &b = kernel.b;
  Type type = typeLike(memoryType(element), x.getType());
  if (element.isF16())
    return b.create<arith::TruncFOp>(kernel.loc, type, x);
  if (element.isBF16()) {
    LaneValue i =
        bits(LaneValue{&kernel, isBF16(x) ? x : roundTo(kernel, element, x)});
    return b.create<arith::TruncIOp>(kernel.loc, type,
                                     i.logicalShiftRight(i.like(16)).v);
  }
  if (isEightBitFloat(element))
    return encodeEightBits(kernel, element, x);
  if (element.isInteger(1))
    return b.create<arith::ExtUIOp>(kernel.loc, type, x);
  return x;
}

Value toRegister(KernelBuilder &kernel, Type element, Value x) {
  OpBuilder &b = kernel.b;
  Type type = typeLike(registerType(element), x.getType());
  if (element.isF16())
    return b.create<arith::ExtFOp>(kernel.loc, type, x);
  if (element.isBF16()) {
    LaneValue wide{&kernel,
                   b.create<arith::ExtUIOp>(
                       kernel.loc, typeLike(b.getI32Type(), x.getType()), x)};
    return floatOf(wide << 16).v;
  }
  if (isEightBitFloat(element))
    return decodeEightBits(kernel, element, x);
  if (element.isInteger(1))
    return b.create<arith::CmpIOp>(kernel.loc, arith::CmpIPredicate::ne, x,
                                   kernel.integer(x.getType(), 0));
  return x;
}

} // namespace zenith::kernels
