// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bits of narrow floats become those of f32 and back by integer arithmetic, so
// that they fuse with what reads them, and regions can have them.

#include "frontends/stablehlo/builder/NarrowElements.h"
#include "frontends/stablehlo/dialect/NarrowFormat.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

bool stablehlo::isTwoBits(Type element) {
  return element.isInteger() && element.getIntOrFloatBitWidth() == 2;
}

static IntegerType integerLike(Type element, unsigned width) {
  return IntegerType::get(element.getContext(), width,
                          element.isUnsignedInteger() ? IntegerType::Unsigned
                                                      : IntegerType::Signless);
}

Type stablehlo::narrowStorage(Type element) {
  if (isTwoBits(element))
    return integerLike(element, 4);
  const NarrowFormat *format = NarrowFormat::of(element);
  return format ? IntegerType::get(element.getContext(),
                                   format->width() == 4 ? 4 : 8,
                                   IntegerType::Unsigned)
                : Type();
}

Type stablehlo::widerElement(Type element) {
  if (isTwoBits(element))
    return integerLike(element, 8);
  return isa<NarrowFloatType>(element) ? Float32Type::get(element.getContext())
                                       : Type();
}

/// The low two bits of an integer, with their sign.
static Value lowBits(HLOBuilder &b, Value value, bool isSigned) {
  Expr bits = Expr(b, value) & Expr(b, value).constant(3);
  return isSigned ? ((bits ^ bits.constant(2)) - 2.0).value : bits.value;
}

static Expr shiftedLeft(Expr bits, unsigned count) {
  return bits.apply<graph::ShiftLeftOp>(bits.constant(count));
}

/// 2^(code - 127) as the bits of f32, which has no normal number for code 0.
static Value powerOfTwo(HLOBuilder &b, Expr code) {
  Expr bits = select(code == 0.0, 0x00400000, shiftedLeft(code, 23));
  return b.bitcast(select(code == 255.0, 0x7fc00000, bits).value,
                   b.b.getF32Type());
}

Value stablehlo::decodeNarrow(HLOBuilder &b, Value stored, Type from) {
  if (isTwoBits(from))
    return lowBits(b, b.convert(stored, widerElement(from)),
                   !from.isUnsignedInteger());
  const NarrowFormat *format = NarrowFormat::of(from);
  Type f32 = b.b.getF32Type();
  unsigned mantissaBits = format->mantissaBits;
  Expr code(b, b.convert(stored, b.b.getI32Type()));
  code = code & code.constant((1u << format->width()) - 1);
  if (!format->hasSign())
    return powerOfTwo(b, code);
  Expr magnitude = code & code.constant(format->signBit() - 1);
  Expr bits = shiftedLeft(magnitude, 23 - mantissaBits) +
              double((127 - format->bias) << 23);
  Expr normal(b, b.bitcast(bits.value, f32)),
      subnormal = Expr(b, b.convert(magnitude.value, f32)) *
                  std::ldexp(1.0, 1 - format->bias - int(mantissaBits));
  Expr value =
      select(magnitude < double(1u << mantissaBits), subnormal, normal);
  if (format->specials == NarrowFormat::Specials::IEEE) {
    double last = format->lastCode();
    value = select(magnitude == last, std::numeric_limits<double>::infinity(),
                   value);
    value = select(magnitude > last, std::numeric_limits<double>::quiet_NaN(),
                   value);
  }
  return select(code >= double(format->signBit()), -value, value).value;
}

/// Floats that hold the value exactly, or as well as f64 does.
static Value widened(HLOBuilder &b, Value value) {
  Type element = elementOf(value);
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  bool needsDouble = element.isF64() || (element.isInteger() &&
                                         element.getIntOrFloatBitWidth() > 16);
  return b.convert(value, needsDouble ? Type(b.b.getF64Type())
                                      : Type(b.b.getF32Type()));
}

static Value encodeTwoBits(HLOBuilder &b, Value value, Type to) {
  bool isSigned = !to.isUnsignedInteger();
  if (!elementOf(value).isInteger()) {
    value = widened(b, value);
    value = b.make<graph::ClampOp>(
        value.getType(), b.filled(value, isSigned ? -2.0 : 0.0), value,
        b.filled(value, isSigned ? 1.0 : 3.0));
  }
  return b.convert(lowBits(b, b.convert(value, b.b.getI32Type()), isSigned),
                   narrowStorage(to));
}

Value stablehlo::encodeNarrow(HLOBuilder &b, Value value, Type to) {
  if (isTwoBits(to))
    return encodeTwoBits(b, value, to);
  const NarrowFormat *format = NarrowFormat::of(to);
  Expr x(b, widened(b, value));
  // The least powers of two are below the normal numbers of f32.
  if (!format->hasSign())
    x = x.with(b.convert(x.value, b.b.getF64Type()));
  bool isDouble = x.element().isF64();
  Type integer = isDouble ? b.b.getI64Type() : b.b.getI32Type();
  int mantissaBits = int(format->mantissaBits),
      dropped = (isDouble ? 52 : 23) - mantissaBits,
      bias = (isDouble ? 1023 : 127) - format->bias;
  Expr magnitude = x.apply<graph::AbsOp>(),
       bits(b, b.bitcast(magnitude.value, integer));
  // Half of the last place rounds up, less a little where that would not be
  // even.
  Expr half = bits.constant(std::ldexp(1.0, dropped - 1));
  if (format->hasSign())
    half = half - 1.0 +
           (bits.apply<graph::ShiftRightLogicalOp>(bits.constant(dropped)) &
            bits.constant(1));
  Expr code =
      (bits + half).apply<graph::ShiftRightLogicalOp>(bits.constant(dropped)) -
      double(int64_t(bias) << mantissaBits);
  if (format->hasSign()) {
    Expr steps = (magnitude * std::ldexp(1.0, format->bias - 1 + mantissaBits))
                     .apply<graph::RoundEvenOp>();
    code = select(magnitude < std::ldexp(1.0, 1 - format->bias),
                  code.with(b.convert(steps.value, integer)), code);
  }
  code = code.apply<graph::MinOp>(code.constant(format->lastCode()))
             .apply<graph::MaxOp>(code.constant(0));
  Expr nan = code.constant(format->codeOfNaN());
  if (!format->hasSign())
    return b.convert(select(x > 0.0, code, nan).value, narrowStorage(to));
  Expr sign = select(Expr(b, b.bitcast(x.value, integer)) < 0.0,
                     code.constant(format->signBit()), code.constant(0));
  if (format->specials == NarrowFormat::Specials::IEEE)
    nan = nan + sign;
  return b.convert(select(x != x, nan, code + sign).value, narrowStorage(to));
}

ElementsAttr stablehlo::encodeNarrow(DenseFPElementsAttr numbers, Type to) {
  const NarrowFormat *format = NarrowFormat::of(to);
  Type storage = narrowStorage(to);
  return numbers.mapValues(storage, [&](APFloat value) {
    bool isInexact;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &isInexact);
    return APInt(storage.getIntOrFloatBitWidth(),
                 format->encode(value.convertToDouble()));
  });
}
