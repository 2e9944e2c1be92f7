// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows ranges from the types that values were converted from, and from
// constants, through movement and sums.

#include "ir/matchers/IntegerRange.h"

#include "ir/GraphOps.h"
#include "ir/matchers/TypeOf.h"

using namespace mlir;

namespace zenith::graph {

std::optional<IntegerRange> rangeOfType(Type element) {
  if (!element.isInteger() || element.getIntOrFloatBitWidth() > 16)
    return std::nullopt;
  unsigned bits = element.getIntOrFloatBitWidth();
  if (element.isUnsignedInteger() || bits == 1)
    return IntegerRange{0, (int64_t(1) << bits) - 1};
  return IntegerRange{-(int64_t(1) << (bits - 1)),
                      (int64_t(1) << (bits - 1)) - 1};
}

static std::optional<IntegerRange> rangeOfConstant(ConstantOp constant) {
  constexpr int64_t mostElements = 4096;
  auto elements = dyn_cast<DenseIntElementsAttr>(constant.getValue());
  if (!elements || elements.empty() ||
      (!elements.isSplat() && elements.getNumElements() > mostElements))
    return std::nullopt;
  bool isUnsigned = elements.getElementType().isUnsignedInteger();
  std::optional<IntegerRange> range;
  for (const APInt &value : elements.getValues<APInt>()) {
    if (value.getSignificantBits() > 32)
      return std::nullopt;
    int64_t here =
        isUnsigned ? int64_t(value.getZExtValue()) : value.getSExtValue();
    range = range ? IntegerRange{std::min(range->low, here),
                                 std::max(range->high, here)}
                  : IntegerRange{here, here};
    if (elements.isSplat())
      break;
  }
  return range;
}

std::optional<IntegerRange> rangeOf(Value value, unsigned opsLeft) {
  Operation *op = value.getDefiningOp();
  auto ofType = rangeOfType(typeOf(value).getElementType());
  bool isWord = typeOf(value).getElementType().isInteger(32);
  if (auto constant = dyn_cast_or_null<ConstantOp>(op);
      constant && (ofType || isWord))
    if (auto range = rangeOfConstant(constant))
      return range;
  if (ofType || !op || opsLeft == 0 || !isWord)
    return ofType;
  auto operand = [&](unsigned index) {
    return rangeOf(op->getOperand(index), opsLeft - 1);
  };
  if (isa<ConvertOp>(op)) {
    Type from = typeOf(op->getOperand(0)).getElementType();
    return from.isInteger() ? operand(0) : std::nullopt;
  }
  if (isa<BroadcastOp, ReshapeOp, TransposeOp, SliceOp>(op))
    return operand(0);
  if (!isa<AddOp, SubOp, PadOp>(op))
    return std::nullopt;
  auto x = operand(0), y = operand(1);
  if (!x || !y)
    return std::nullopt;
  IntegerRange range =
      isa<AddOp>(op) ? IntegerRange{x->low + y->low, x->high + y->high}
      : isa<SubOp>(op)
          ? IntegerRange{x->low - y->high, x->high - y->low}
          : IntegerRange{std::min(x->low, y->low), std::max(x->high, y->high)};
  return range.fits(32) ? std::optional(range) : std::nullopt;
}

} // namespace zenith::graph
