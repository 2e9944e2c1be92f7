// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drops dequantize-quantize pairs of one scale and zero point: exporters emit
// them around every operator that only moves values.

#include "passes/simplify/SimplifyQuantization.h"
#include "ir/GraphOps.h"
#include "ir/matchers/SplatConstant.h"
#include "ir/matchers/SplitOperands.h"
#include "ir/matchers/TypeOf.h"
#include "mlir/IR/PatternMatch.h"
#include <cmath>

using namespace mlir;
using namespace zenith::graph;

namespace zenith::simplify {

namespace {
/// (values - zeroPoint) * scale, followed by some movement.
struct Quantized {
  Value values;
  double scale = 0, zeroPoint = 0;
  SmallVector<Operation *> moves; ///< last to first
};
} // namespace

static bool isNarrow(Value value) {
  Type element = typeOf(value).getElementType();
  return element.isInteger() && element.getIntOrFloatBitWidth() <= 16 &&
         element.getIntOrFloatBitWidth() >= 8;
}

/// The operand of `Op` beside its splat constant; null where it has none.
template <typename Op>
static Value besideConstant(Value value, double &constant) {
  auto op = value.getDefiningOp<Op>();
  auto isConstant = [](Value operand) {
    return splatValue(operand).has_value();
  };
  auto operands = op ? splitOperands(op, isConstant) : std::nullopt;
  if (!operands)
    return {};
  constant = *splatValue(operands->second);
  return operands->first;
}

static std::optional<Quantized> matchDequantized(Value value) {
  Quantized quantized;
  while (isa_and_nonnull<TransposeOp, ReshapeOp>(value.getDefiningOp())) {
    quantized.moves.push_back(value.getDefiningOp());
    value = value.getDefiningOp()->getOperand(0);
  }
  Value whole = besideConstant<MulOp>(value, quantized.scale);
  auto convert = whole ? whole.getDefiningOp<ConvertOp>() : ConvertOp();
  if (!convert || !typeOf(whole).getElementType().isF32())
    return std::nullopt;
  Value integers = convert.getOperand();
  if (auto difference = integers.getDefiningOp<SubOp>()) {
    auto zeroPoint = splatValue(difference.getRhs());
    if (!zeroPoint || !typeOf(integers).getElementType().isInteger(32))
      return std::nullopt;
    quantized.zeroPoint = *zeroPoint;
    integers = difference.getLhs();
  }
  if (auto widening = integers.getDefiningOp<ConvertOp>();
      widening && !isNarrow(integers) &&
      typeOf(integers).getElementType().isInteger(32))
    integers = widening.getOperand();
  quantized.values = integers;
  return isNarrow(integers) ? std::optional(quantized) : std::nullopt;
}

/// The dividend of the quotient by `scale` that is rounded, shifted by
/// `zeroPoint` and clamped to the range of the type.
static Value matchQuotient(ConvertOp op, double &scale, double &zeroPoint) {
  Type to = typeOf(op).getElementType();
  unsigned bits = to.getIntOrFloatBitWidth();
  bool isUnsigned = to.isUnsignedInteger();
  double most = std::ldexp(1.0, isUnsigned ? bits : bits - 1) - 1,
         least = isUnsigned ? 0 : -most - 1, low = 0, high = 0;
  Value value = besideConstant<MinOp>(op.getOperand(), high);
  value = value ? besideConstant<MaxOp>(value, low) : Value();
  if (!value || low != least || high != most)
    return {};
  zeroPoint = 0;
  if (value.getDefiningOp<AddOp>())
    value = besideConstant<AddOp>(value, zeroPoint);
  auto rounded = value ? value.getDefiningOp<RoundEvenOp>() : RoundEvenOp();
  auto quotient =
      rounded ? rounded.getOperand().getDefiningOp<DivOp>() : DivOp();
  auto divisor =
      quotient ? splatValue(quotient.getRhs()) : std::optional<double>();
  if (!divisor)
    return {};
  scale = *divisor;
  return quotient.getLhs();
}

// A 16-bit integer times a scale, divided by the scale, rounds to the integer
// again as long as the scale is far from both ends of f32.
static LogicalResult quantizeOnce(ConvertOp op, PatternRewriter &rewriter) {
  constexpr double smallest = 0x1p-80, largest = 0x1p80;
  if (!isNarrow(op.getResult()) ||
      !typeOf(op.getOperand()).getElementType().isF32())
    return failure();
  double scale, zeroPoint;
  Value dequantized = matchQuotient(op, scale, zeroPoint);
  auto from = dequantized ? matchDequantized(dequantized) : std::nullopt;
  if (!from || from->scale != scale || from->zeroPoint != zeroPoint ||
      !(scale > smallest && scale < largest) ||
      typeOf(from->values).getElementType() != typeOf(op).getElementType())
    return failure();
  Value values = from->values;
  for (Operation *move : llvm::reverse(from->moves)) {
    Operation *again = rewriter.clone(*move);
    again->setOperand(0, values);
    again->getResult(0).setType(
        typeOf(move->getResult(0)).clone(typeOf(values).getElementType()));
    values = again->getResult(0);
  }
  rewriter.replaceOp(op, values);
  return success();
}

void addQuantizationPatterns(RewritePatternSet &patterns) {
  patterns.add(quantizeOnce);
}

} // namespace zenith::simplify
