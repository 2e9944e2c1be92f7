// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantized values minus their zero point fit 16 bits, and machines multiply
// pairs of those at a time: follows ranges from the types that values were
// converted from.

#include "passes/layout/NarrowProducts.h"
#include "passes/layout/ParameterValues.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::layout {

namespace {
struct Range {
  int64_t low, high;
  bool fits(unsigned bits) const {
    return low >= -(int64_t(1) << (bits - 1)) && high < int64_t(1)
                                                            << (bits - 1);
  }
};
} // namespace

static std::optional<Range> rangeOfType(Type element) {
  if (!element.isInteger() || element.getIntOrFloatBitWidth() > 16)
    return std::nullopt;
  unsigned bits = element.getIntOrFloatBitWidth();
  if (element.isUnsignedInteger() || bits == 1)
    return Range{0, (int64_t(1) << bits) - 1};
  return Range{-(int64_t(1) << (bits - 1)), (int64_t(1) << (bits - 1)) - 1};
}

static std::optional<Range> rangeOfConstant(ConstantOp constant) {
  constexpr int64_t mostElements = 4096;
  auto elements = dyn_cast<DenseIntElementsAttr>(constant.getValue());
  if (!elements || elements.empty() ||
      (!elements.isSplat() && elements.getNumElements() > mostElements))
    return std::nullopt;
  bool isUnsigned = elements.getElementType().isUnsignedInteger();
  std::optional<Range> range;
  for (const APInt &value : elements.getValues<APInt>()) {
    if (value.getSignificantBits() > 32)
      return std::nullopt;
    int64_t here =
        isUnsigned ? int64_t(value.getZExtValue()) : value.getSExtValue();
    range = range
                ? Range{std::min(range->low, here), std::max(range->high, here)}
                : Range{here, here};
    if (elements.isSplat())
      break;
  }
  return range;
}

/// A range that holds every element, or nothing.
static std::optional<Range> rangeOf(Value value, unsigned opsLeft = 8) {
  if (auto range = rangeOfType(typeOf(value).getElementType()))
    return range;
  Operation *op = value.getDefiningOp();
  if (!op || opsLeft == 0 || !typeOf(value).getElementType().isInteger(32))
    return std::nullopt;
  if (auto constant = dyn_cast<ConstantOp>(op))
    return rangeOfConstant(constant);
  auto operand = [&](unsigned number) {
    return rangeOf(op->getOperand(number), opsLeft - 1);
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
  Range range = isa<AddOp>(op)   ? Range{x->low + y->low, x->high + y->high}
                : isa<SubOp>(op) ? Range{x->low - y->high, x->high - y->low}
                                 : Range{std::min(x->low, y->low),
                                         std::max(x->high, y->high)};
  return range.fits(32) ? std::optional(range) : std::nullopt;
}

static Value narrowed(OpBuilder &builder, Value value) {
  auto type =
      RankedTensorType::get(typeOf(value).getShape(), builder.getI16Type());
  // Nearer to the source, so that memory holds the narrow elements.
  if (auto convert = value.getDefiningOp<ConvertOp>())
    if (auto range = rangeOfType(typeOf(convert.getOperand()).getElementType());
        range && range->fits(16))
      value = convert.getOperand();
  if (value.getType() == type)
    return value;
  return builder.create<ConvertOp>(value.getLoc(), type, value);
}

void narrowProduct(Operation *contraction) {
  auto convolution = dyn_cast<ConvolutionOp>(contraction);
  if (convolution ? convolution.getGroups() != 1
                  : !isa<DotGeneralOp>(contraction))
    return;
  Value left = contraction->getOperand(0), right = contraction->getOperand(1);
  auto fits = [](Value value) {
    auto range = typeOf(value).getElementType().isSignlessInteger(32)
                     ? rangeOf(value)
                     : std::nullopt;
    return range && range->fits(16);
  };
  Type result = typeOf(contraction->getResult(0)).getElementType();
  if (!result.isSignlessInteger(32) || !fits(left) || !fits(right))
    return;
  OpBuilder builder(contraction);
  contraction->setOperand(0, narrowed(builder, left));
  contraction->setOperand(1, narrowed(builder, right));
}

} // namespace zenith::layout
