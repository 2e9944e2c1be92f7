// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carries, products of halves, long division and conversions of pairs of
// 32-bit words.

#include "passes/precision/WordArithmetic.h"

#include "ir/matchers/DynamicDims.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "ir/ops/CompositeFormulas.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::precision {

static constexpr uint64_t allOnes = 0xffffffff, signBit = 0x80000000,
                          halfMask = 0xffff, halfBits = 16, wordBits = 32;

static Type wordType(OpBuilder &b) { return b.getIntegerType(32, false); }

//===----------------------------------------------------------------------===//
// Single words
//===----------------------------------------------------------------------===//

Value WordArithmetic::constant(Value like, uint64_t value) {
  RankedTensorType type = typeOf(like);
  auto scalar = RankedTensorType::get({}, wordType(b));
  Value single = b.create<ConstantOp>(
      loc, cast<ElementsAttr>(DenseElementsAttr::get(
               scalar, b.getIntegerAttr(wordType(b), APInt(32, value)))));
  return type.getRank() == 0
             ? single
             : b.create<BroadcastOp>(loc, type.clone(wordType(b)), single,
                                     ArrayRef<int64_t>{},
                                     dynamicDimsOf(b, loc, like));
}

Value WordArithmetic::convert(Value value, Type element) {
  return converted(b, value, element);
}

Value WordArithmetic::bits(Value value, Type element) {
  return b.create<BitcastOp>(loc, typeOf(value).clone(element), value);
}

Value WordArithmetic::ordered(CompareDirection direction, Value x, Value y) {
  return b.create<CompareOp>(loc, typeOf(x).clone(b.getI1Type()), direction, x,
                             y);
}

Value WordArithmetic::choose(Value predicate, Value x, Value y) {
  return b.create<SelectOp>(loc, x.getType(), predicate, x, y);
}

Value WordArithmetic::isZero(Value x) {
  return ordered(CompareDirection::eq, x, constant(x, 0));
}

Value WordArithmetic::isNegative(Words x) {
  return ordered(CompareDirection::ge, x.high, constant(x.high, signBit));
}

Words WordArithmetic::zeros(Value like) {
  Value zero = constant(like, 0);
  return {zero, zero};
}

/// The upper word of a product of words, from products of their halves.
Value WordArithmetic::highOfProduct(Value x, Value y) {
  Value mask = constant(x, halfMask), shift = constant(x, halfBits);
  auto lowHalf = [&](Value v) { return binary<AndOp>(v, mask); };
  auto highHalf = [&](Value v) {
    return binary<ShiftRightLogicalOp>(v, shift);
  };
  Value xl = lowHalf(x), xh = highHalf(x), yl = lowHalf(y), yh = highHalf(y);
  Value first = binary<MulOp>(xl, yl);
  // Neither sum exceeds (2^16 - 1)^2 + 2 (2^16 - 1) < 2^32.
  Value middle = binary<AddOp>(binary<MulOp>(xh, yl), highHalf(first));
  Value other = binary<AddOp>(binary<MulOp>(xl, yh), lowHalf(middle));
  return binary<AddOp>(binary<AddOp>(binary<MulOp>(xh, yh), highHalf(middle)),
                       highHalf(other));
}

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

Words WordArithmetic::select(Value predicate, Words x, Words y) {
  return {choose(predicate, x.low, y.low), choose(predicate, x.high, y.high)};
}

Words WordArithmetic::add(Words x, Words y) {
  Value low = binary<AddOp>(x.low, y.low);
  Value carry = convert(ordered(CompareDirection::lt, low, x.low), wordType(b));
  return {low, binary<AddOp>(binary<AddOp>(x.high, y.high), carry)};
}

Words WordArithmetic::sub(Words x, Words y) {
  Value borrow =
      convert(ordered(CompareDirection::lt, x.low, y.low), wordType(b));
  return {binary<SubOp>(x.low, y.low),
          binary<SubOp>(binary<SubOp>(x.high, y.high), borrow)};
}

Words WordArithmetic::neg(Words x) { return sub(zeros(x.low), x); }

Words WordArithmetic::mul(Words x, Words y) {
  Value crossed =
      binary<AddOp>(binary<MulOp>(x.low, y.high), binary<MulOp>(x.high, y.low));
  return {binary<MulOp>(x.low, y.low),
          binary<AddOp>(highOfProduct(x.low, y.low), crossed)};
}

Words WordArithmetic::abs(Words x) { return select(isNegative(x), neg(x), x); }

Words WordArithmetic::sign(Words x, bool isSigned) {
  Value zero = constant(x.low, 0), one = constant(x.low, 1),
        minus = constant(x.low, allOnes);
  Value isNothing = isZero(binary<OrOp>(x.low, x.high));
  Words positive{choose(isNothing, zero, one), zero};
  return isSigned ? select(isNegative(x), {minus, minus}, positive) : positive;
}

Value WordArithmetic::compare(CompareDirection direction, Words x, Words y,
                              bool isSigned) {
  if (direction == CompareDirection::eq || direction == CompareDirection::ne) {
    Value difference = binary<OrOp>(binary<XorOp>(x.low, y.low),
                                    binary<XorOp>(x.high, y.high));
    return ordered(direction, difference, constant(difference, 0));
  }
  auto highOf = [&](Words v) {
    return isSigned ? bits(v.high, b.getI32Type()) : v.high;
  };
  Value above = highOf(x), below = highOf(y);
  bool isLess =
      direction == CompareDirection::lt || direction == CompareDirection::le;
  Value decided = ordered(isLess ? CompareDirection::lt : CompareDirection::gt,
                          above, below);
  Value tied = ordered(CompareDirection::eq, above, below);
  return binary<OrOp>(decided,
                      binary<AndOp>(tied, ordered(direction, x.low, y.low)));
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

Words WordArithmetic::invert(Words x) {
  return {unary<NotOp>(x.low), unary<NotOp>(x.high)};
}

// Shifts of a word by 32 and more give 0, and so do those by a negative
// distance, which is a large one without its sign.
Words WordArithmetic::shiftLeft(Words x, Words y) {
  Value distance = y.low, word = constant(x.low, wordBits);
  Value isLarge = ordered(CompareDirection::ge, distance, word);
  Value across =
      binary<ShiftRightLogicalOp>(x.low, binary<SubOp>(word, distance));
  Value beyond = binary<ShiftLeftOp>(x.low, binary<SubOp>(distance, word));
  Words shifted{
      binary<ShiftLeftOp>(x.low, distance),
      choose(isLarge, beyond,
             binary<OrOp>(binary<ShiftLeftOp>(x.high, distance), across))};
  return select(isZero(y.high), shifted, zeros(x.low));
}

Words WordArithmetic::shiftRight(Words x, Words y, bool isArithmetic) {
  Value distance = y.low, word = constant(x.low, wordBits);
  auto shiftHigh = [&](Value by) {
    if (!isArithmetic)
      return binary<ShiftRightLogicalOp>(x.high, by);
    Value isSigned = bits(x.high, b.getI32Type());
    // The largest distance fills with the sign, also as a signed number.
    Value most = constant(by, wordBits - 1);
    Value least = choose(ordered(CompareDirection::lt, by, most), by, most);
    return bits(
        binary<ShiftRightArithmeticOp>(isSigned, bits(least, b.getI32Type())),
        wordType(b));
  };
  Value isLarge = ordered(CompareDirection::ge, distance, word);
  Value across = binary<ShiftLeftOp>(x.high, binary<SubOp>(word, distance));
  Value beyond = shiftHigh(binary<SubOp>(distance, word));
  Value fill = isArithmetic ? shiftHigh(constant(x.low, wordBits - 1))
                            : constant(x.low, 0);
  Words shifted{
      choose(
          isLarge, beyond,
          binary<OrOp>(binary<ShiftRightLogicalOp>(x.low, distance), across)),
      choose(isLarge, fill, shiftHigh(distance))};
  return select(isZero(y.high), shifted, {fill, fill});
}

Words WordArithmetic::popcount(Words x) {
  return {binary<AddOp>(unary<PopcountOp>(x.low), unary<PopcountOp>(x.high)),
          constant(x.low, 0)};
}

Words WordArithmetic::leadingZeros(Words x) {
  Value below = binary<AddOp>(unary<CountLeadingZerosOp>(x.low),
                              constant(x.low, wordBits));
  return {choose(isZero(x.high), below, unary<CountLeadingZerosOp>(x.high)),
          constant(x.low, 0)};
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

/// The word (high, low) / divisor where high < divisor, in two digits of 16
/// bits: Knuth, The Art of Computer Programming 4.3.1, algorithm D.
Value WordArithmetic::divideByNormal(Value high, Value low, Value divisor) {
  Value half = constant(low, halfBits), mask = constant(low, halfMask),
        base = constant(low, halfMask + 1), one = constant(low, 1),
        word = constant(low, wordBits);
  Value shift = unary<CountLeadingZerosOp>(divisor);
  Value normal = binary<ShiftLeftOp>(divisor, shift);
  Value first = binary<ShiftRightLogicalOp>(normal, half),
        second = binary<AndOp>(normal, mask);
  Value rest = binary<OrOp>(
      binary<ShiftLeftOp>(high, shift),
      binary<ShiftRightLogicalOp>(low, binary<SubOp>(word, shift)));
  Value below = binary<ShiftLeftOp>(low, shift);
  Value quotient;
  for (Value next :
       {binary<ShiftRightLogicalOp>(below, half), binary<AndOp>(below, mask)}) {
    Value digit = binary<DivOp>(rest, first);
    Value left = binary<SubOp>(rest, binary<MulOp>(digit, first));
    Value mayGoOn;
    // The estimate is too large by at most two.
    for (int step = 0; step < 2; ++step) {
      Value isLarge = binary<OrOp>(
          ordered(CompareDirection::ge, digit, base),
          ordered(CompareDirection::gt, binary<MulOp>(digit, second),
                  binary<OrOp>(binary<ShiftLeftOp>(left, half), next)));
      if (mayGoOn)
        isLarge = binary<AndOp>(
            isLarge,
            binary<AndOp>(mayGoOn, ordered(CompareDirection::lt, left, base)));
      digit = choose(isLarge, binary<SubOp>(digit, one), digit);
      left = choose(isLarge, binary<AddOp>(left, first), left);
      mayGoOn = isLarge;
    }
    rest = binary<SubOp>(binary<OrOp>(binary<ShiftLeftOp>(rest, half), next),
                         binary<MulOp>(digit, normal));
    quotient = quotient
                   ? binary<AddOp>(binary<ShiftLeftOp>(quotient, half), digit)
                   : digit;
  }
  return quotient;
}

/// Warren, Hacker's Delight, 9-5: both cases, a divisor of one word and one of
/// two, are one division of two words by one.
Words WordArithmetic::divideUnsigned(Words x, Words y) {
  Value one = constant(x.low, 1), zero = constant(x.low, 0);
  Value isShort = isZero(y.high);
  // Of one word: the upper digit first.
  Value upper = binary<DivOp>(x.high, y.low);
  Value upperRest = binary<SubOp>(x.high, binary<MulOp>(upper, y.low));
  // Of two words: half of x by the leading bits of y.
  Value shift = unary<CountLeadingZerosOp>(y.high);
  Value leading = shiftLeft(y, {shift, zero}).high;
  Words halved = shiftRight(x, {one, zero}, /*isArithmetic=*/false);
  Value estimate = divideByNormal(choose(isShort, upperRest, halved.high),
                                  choose(isShort, x.low, halved.low),
                                  choose(isShort, y.low, leading));
  Value scaled = binary<ShiftRightLogicalOp>(
      estimate, binary<SubOp>(constant(x.low, wordBits - 1), shift));
  Value below = choose(isZero(scaled), zero, binary<SubOp>(scaled, one));
  Words single{below, zero};
  Words rest = sub(x, mul(single, y));
  Value isLow = compare(CompareDirection::ge, rest, y, /*isSigned=*/false);
  Value adjusted = choose(isLow, binary<AddOp>(below, one), below);
  Words quotient{choose(isShort, estimate, adjusted),
                 choose(isShort, upper, zero)};
  Value ones = constant(x.low, allOnes);
  return select(isZero(binary<OrOp>(y.low, y.high)), {ones, ones}, quotient);
}

Words WordArithmetic::div(Words x, Words y, bool isSigned) {
  if (!isSigned)
    return divideUnsigned(x, y);
  Words magnitude = divideUnsigned(abs(x), abs(y));
  Value differ = binary<XorOp>(isNegative(x), isNegative(y));
  Words quotient = select(differ, neg(magnitude), magnitude);
  Value ones = constant(x.low, allOnes);
  return select(isZero(binary<OrOp>(y.low, y.high)), {ones, ones}, quotient);
}

Words WordArithmetic::rem(Words x, Words y, bool isSigned) {
  return sub(x, mul(div(x, y, isSigned), y));
}

Words WordArithmetic::floorMod(Words x, Words y, bool isSigned) {
  Words left = rem(x, y, isSigned);
  if (!isSigned)
    return left;
  Value isPartial = unary<NotOp>(isZero(binary<OrOp>(left.low, left.high)));
  Value differ = binary<XorOp>(isNegative(left), isNegative(y));
  return select(binary<AndOp>(isPartial, differ), add(left, y), left);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

Words WordArithmetic::split(Value whole) {
  auto type = typeOf(whole);
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Value distance = b.create<ConstantOp>(
      loc, cast<ElementsAttr>(DenseElementsAttr::get(
               scalar,
               b.getIntegerAttr(type.getElementType(), APInt(64, wordBits)))));
  if (type.getRank() > 0)
    distance = b.create<BroadcastOp>(loc, type, distance, ArrayRef<int64_t>{},
                                     dynamicDimsOf(b, loc, whole));
  return {convert(whole, wordType(b)),
          convert(binary<ShiftRightLogicalOp>(whole, distance), wordType(b))};
}

Value WordArithmetic::join(Words x, Type element) {
  Value high = convert(x.high, element), low = convert(x.low, element);
  Value distance = convert(constant(x.low, wordBits), element);
  return binary<OrOp>(binary<ShiftLeftOp>(high, distance), low);
}

Value WordArithmetic::saturated(Words x, bool isSigned) {
  Value least = constant(x.low, signBit), most = constant(x.low, signBit - 1);
  Value negative = isSigned ? isNegative(x) : Value();
  // Fits where the upper word repeats the sign of the lower one.
  Value fill = choose(ordered(CompareDirection::ge, x.low, least),
                      constant(x.low, allOnes), constant(x.low, 0));
  Value fits = ordered(CompareDirection::eq, x.high, fill);
  if (!isSigned)
    fits = isZero(
        binary<OrOp>(x.high, binary<AndOp>(x.low, constant(x.low, signBit))));
  Value bound = negative ? choose(negative, least, most) : most;
  return bits(choose(fits, x.low, bound), b.getI32Type());
}

Words WordArithmetic::from(Value value, bool isSigned) {
  Type element = typeOf(value).getElementType();
  if (element.isInteger(64))
    return split(value); // the other sign, which is not lacking
  if (element.isF64())
    return fromDouble(value, isSigned);
  if (isa<FloatType>(element))
    return fromFloat(convert(value, b.getF32Type()), isSigned);
  if (element.isUnsignedInteger() || element.isInteger(1)) {
    Value low = convert(value, wordType(b));
    return {low, constant(low, 0)};
  }
  Value low = convert(value, b.getI32Type());
  Value most = bits(constant(low, wordBits - 1), b.getI32Type());
  return {bits(low, wordType(b)),
          bits(binary<ShiftRightArithmeticOp>(low, most), wordType(b))};
}

Words WordArithmetic::bounded(Words magnitude, Value isNegativeNumber,
                              Value isLarge, Value isNaN, bool isSigned) {
  Words none = zeros(magnitude.low);
  Value ones = constant(magnitude.low, allOnes);
  Words least =
            isSigned ? Words{none.low, constant(magnitude.low, signBit)} : none,
        most = isSigned ? Words{ones, constant(magnitude.low, signBit - 1)}
                        : Words{ones, ones};
  Words below = isSigned ? select(isLarge, least, neg(magnitude)) : none;
  Words result =
      select(isNegativeNumber, below, select(isLarge, most, magnitude));
  return select(isNaN, none, result);
}

Words WordArithmetic::fromFloat(Value value, bool isSigned) {
  Value pattern = bits(value, wordType(b));
  auto mask = [&](uint64_t m) {
    return binary<AndOp>(pattern, constant(pattern, m));
  };
  Value exponent =
      binary<ShiftRightLogicalOp>(mask(0x7f800000), constant(pattern, 23));
  Value digits = binary<OrOp>(mask(0x007fffff), constant(pattern, 0x00800000));
  Value zero = constant(pattern, 0), point = constant(pattern, 150);
  Words whole{digits, zero};
  // A distance of 2^31 and more stands for one below zero and gives 0.
  Words up = shiftLeft(whole, {binary<SubOp>(exponent, point), zero});
  Words down = shiftRight(whole, {binary<SubOp>(point, exponent), zero},
                          /*isArithmetic=*/false);
  Words magnitude =
      select(ordered(CompareDirection::ge, exponent, point), up, down);
  constexpr unsigned bias = 127;
  return bounded(magnitude, unary<NotOp>(isZero(mask(signBit))),
                 ordered(CompareDirection::ge, exponent,
                         constant(pattern, bias + (isSigned ? 63 : 64))),
                 ordered(CompareDirection::gt, mask(0x7fffffff),
                         constant(pattern, 0x7f800000)),
                 isSigned);
}

static constexpr double twoTo32 = 4294967296.0;

Words WordArithmetic::fromDouble(Value value, bool isSigned) {
  Value whole = unary<FloorOp>(unary<AbsOp>(value));
  Value scale = splatLike(b, loc, value, twoTo32);
  Value high = unary<FloorOp>(binary<DivOp>(whole, scale));
  Value low = binary<SubOp>(whole, binary<MulOp>(high, scale));
  double most = isSigned ? twoTo32 * twoTo32 / 2 : twoTo32 * twoTo32;
  return bounded(
      {convert(low, wordType(b)), convert(high, wordType(b))},
      ordered(CompareDirection::lt, value, splatLike(b, loc, value, 0)),
      ordered(CompareDirection::ge, whole, splatLike(b, loc, value, most)),
      ordered(CompareDirection::ne, value, value), isSigned);
}

/// The leading word, whose last bit stands for all below it, is rounded once;
/// a power of two is exact.
Value WordArithmetic::toFloat(Words x, FloatType element, bool isSigned) {
  Type f32 = b.getF32Type();
  Words magnitude = isSigned ? abs(x) : x;
  Words shift = leadingZeros(magnitude);
  Words normal = shiftLeft(magnitude, shift);
  Value sticky = convert(unary<NotOp>(isZero(normal.low)), wordType(b));
  Value leading = convert(binary<OrOp>(normal.high, sticky), element);
  // 2^(32 - shift)
  Value power =
      bits(binary<ShiftLeftOp>(
               binary<SubOp>(constant(x.low, 127 + wordBits), shift.low),
               constant(x.low, 23)),
           f32);
  Value scaled = binary<MulOp>(convert(leading, f32), power);
  if (isSigned)
    scaled = choose(isNegative(x), unary<NegOp>(scaled), scaled);
  return convert(scaled, element);
}

Value WordArithmetic::to(Words x, Type element, bool isSigned) {
  if (element.isInteger(64))
    return join(x, element); // the other sign, which is not lacking
  if (element.isInteger(1))
    return unary<NotOp>(isZero(binary<OrOp>(x.low, x.high)));
  if (element.isF64()) {
    Value high =
        convert(isSigned ? bits(x.high, b.getI32Type()) : x.high, element);
    // The product is exact, so the sum rounds once.
    return binary<AddOp>(binary<MulOp>(high, splatLike(b, loc, high, twoTo32)),
                         convert(x.low, element));
  }
  if (auto isFloat = dyn_cast<FloatType>(element)) {
    // What i32 does not hold is beyond the largest f16 and f8 too.
    if (element.isF32() || element.isBF16())
      return toFloat(x, isFloat, isSigned);
    return convert(saturated(x, isSigned), element);
  }
  return convert(x.low, element);
}

} // namespace zenith::precision
