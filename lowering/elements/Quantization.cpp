// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding by addition: a value that is added to 1.5 * 2^23 is, rounded to
// even, in the low bits of the sum, from which zero point and constant are
// subtracted at once.

#include "lowering/elements/Quantization.h"

#include "ir/matchers/SplatConstant.h"
#include "lowering/builder/LaneDivision.h"
#include <cmath>

using namespace mlir;

namespace zenith::kernels {

namespace {
/// The range of an integer type.
struct Range {
  double least, most;

  explicit Range(Type type) {
    unsigned bits = type.getIntOrFloatBitWidth();
    most = std::ldexp(1.0, type.isUnsignedInteger() ? bits : bits - 1) - 1;
    least = type.isUnsignedInteger() ? 0 : -most - 1;
  }
};
} // namespace

static bool isShortInteger(Type type) {
  return isa<IntegerType>(type) && type.getIntOrFloatBitWidth() <= 16 &&
         !type.isInteger(1);
}

Value withoutBounds(graph::ConvertOp op) {
  Value value = op.getOperand();
  Type to = getElementTypeOrSelf(op.getType());
  if (!isa<FloatType>(getElementTypeOrSelf(value.getType())) ||
      !isShortInteger(to))
    return value;
  Range range(to);
  for (;;) {
    Operation *bound = value.getDefiningOp();
    if (!isa_and_nonnull<graph::MinOp, graph::MaxOp>(bound))
      return value;
    auto limit = graph::splatValue(bound->getOperand(1));
    if (!limit ||
        (isa<graph::MinOp>(bound) ? *limit < range.most : *limit > range.least))
      return value;
    value = bound->getOperand(0);
  }
}

/// Whether values have at most 16 bits, by the type or its constant.
static bool isShortWhole(Value value) {
  if (auto number = graph::splatValue(value))
    return std::abs(*number) <= 65535 && std::trunc(*number) == *number;
  while (isa_and_nonnull<graph::BroadcastOp, graph::ReshapeOp>(
      value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto convert = value.getDefiningOp<graph::ConvertOp>();
  return convert &&
         isShortInteger(getElementTypeOrSelf(convert.getOperand().getType()));
}

std::optional<Quantized> Quantized::match(graph::ConvertOp op) {
  Value whole = withoutBounds(op);
  if (!getElementTypeOrSelf(whole.getType()).isF32() ||
      !isShortInteger(getElementTypeOrSelf(op.getType())))
    return std::nullopt;
  Quantized quantized;
  if (auto sum = whole.getDefiningOp<graph::AddOp>();
      sum && isShortWhole(sum.getRhs())) {
    quantized.zeroPoint = sum.getRhs();
    whole = sum.getLhs();
  }
  auto rounded = whole.getDefiningOp<graph::RoundEvenOp>();
  if (!rounded)
    return std::nullopt;
  quantized.scaled = rounded.getOperand();
  // Bounds times a divisor are exactly representable, and their quotients round
  // to the bounds.
  auto division = quantized.scaled.getDefiningOp<graph::DivOp>();
  auto divisor = division ? graph::splatValue(division.getRhs()) : std::nullopt;
  if (divisor && *divisor > 0x1p-60 && *divisor < 0x1p60) {
    quantized.scaled = division.getLhs();
    quantized.divisor = division.getRhs();
  }
  return quantized;
}

SmallVector<Value> Quantized::sources() const {
  SmallVector<Value> all{scaled, divisor, zeroPoint};
  llvm::erase(all, Value());
  return all;
}

Value Quantized::convert(ElementEmitter &emitter, ArrayRef<Value> lanes,
                         Type to) const {
  constexpr double magic = 0x1.8p23;
  KernelBuilder &kernel = emitter.kernel;
  Range range(to);
  LaneValue x{&kernel, lanes.front()}, least = x.like(range.least),
                                       most = x.like(range.most),
                                       origin = bits(x.like(magic));
  if (zeroPoint) {
    LaneValue zero{&kernel, lanes.back()};
    least = least - zero, most = most - zero;
    origin = bits(magic - zero);
  }
  LaneValue by{&kernel, divisor ? lanes[1] : Value()};
  if (divisor)
    least = least * by, most = most * by;
  // One instruction each, which returns the bound for NaN.
  LaneValue bounded = select(x > least, x, least);
  bounded = select(bounded < most, bounded, most);
  if (divisor)
    bounded = quotientOfFinite(bounded, by);
  LaneValue whole = bits(bounded + magic) - origin;
  if (range.least != 0)
    whole = select(x.isNaN(), 0, whole);
  Type target = typeLike(registerType(to), x.v.getType());
  return target == whole.v.getType()
             ? whole.v
             : kernel.b.create<arith::TruncIOp>(kernel.loc, target, whole.v)
                   .getResult();
}

} // namespace zenith::kernels
