// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches the spellings of JAX and of the frontends.

#include "passes/raise/SpelledForms.h"
#include "ir/matchers/SplatConstant.h"
#include "ir/matchers/TypeOf.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::raise {

template <typename Op> static Value operandOf(Value value) {
  auto op = value ? value.getDefiningOp<Op>() : Op();
  return op ? op->getOperand(0) : Value();
}

static bool isDifference(Value value, Value a, Value b) {
  if (auto difference = value.getDefiningOp<SubOp>())
    return (difference.getLhs() == a && difference.getRhs() == b) ||
           (difference.getLhs() == b && difference.getRhs() == a);
  // a - 0 is written a.
  return (value == a && splatValue(b) == 0) ||
         (value == b && splatValue(a) == 0);
}

static bool isLogAddExp(Value maximum, Value rest, Value &a, Value &b) {
  auto larger = maximum.getDefiningOp<MaxOp>();
  Value distance = operandOf<AbsOp>(
      operandOf<NegOp>(operandOf<ExpOp>(operandOf<Log1pOp>(rest))));
  if (!larger || !distance)
    return false;
  a = larger.getLhs();
  b = larger.getRhs();
  return isDifference(distance, a, b);
}

std::optional<std::pair<Value, Value>> logAddExp(AddOp op) {
  Value a, b;
  if (isLogAddExp(op.getLhs(), op.getRhs(), a, b) ||
      isLogAddExp(op.getRhs(), op.getLhs(), a, b))
    return std::pair(a, b);
  return std::nullopt;
}

bool isLogAddExp(Region &region) {
  Block &block = region.front();
  if (block.getNumArguments() != 2 ||
      block.getTerminator()->getNumOperands() != 1)
    return false;
  Value result = block.getTerminator()->getOperand(0);
  // NaN and equal infinities are told apart first.
  if (auto select = result.getDefiningOp<SelectOp>())
    result = select.getOnFalse();
  auto add = result.getDefiningOp<AddOp>();
  auto operands = add ? logAddExp(add) : std::nullopt;
  return operands && isa<BlockArgument>(operands->first) &&
         isa<BlockArgument>(operands->second) &&
         operands->first != operands->second;
}

/// v with select(v < 0, v ^ highest, v): the order of floats as integers, and
/// its own inverse.
static Value ordered(Value value) {
  auto select = value.getDefiningOp<SelectOp>();
  if (!select)
    return {};
  Value bits = select.getOnFalse();
  auto isNegative = select.getPred().getDefiningOp<CompareOp>();
  auto flipped = select.getOnTrue().getDefiningOp<XorOp>();
  bool fits = isNegative && flipped &&
              isNegative.getDirection() == CompareDirection::lt &&
              isNegative.getLhs() == bits &&
              splatValue(isNegative.getRhs()) == 0 &&
              (flipped.getLhs() == bits || flipped.getRhs() == bits);
  return fits ? bits : Value();
}

static std::optional<FloatsFromBits> orderedFloats(BitcastOp op) {
  Value key = ordered(op.getOperand());
  auto order = key ? key.getDefiningOp<TopKOp>() : TopKOp();
  if (!order || key != order.getValues())
    return std::nullopt;
  Value bits = ordered(order.getOperand());
  auto from = bits ? bits.getDefiningOp<BitcastOp>() : BitcastOp();
  if (!from || from.getOperand().getType() !=
                   typeOf(from.getOperand()).clone(typeOf(op).getElementType()))
    return std::nullopt;
  return FloatsFromBits{from.getOperand(), order};
}

/// The bits of f32 that a chain of integer arithmetic began with.
static Value roundedBits(Value value) {
  for (int step = 0; step < 4; ++step) {
    Operation *op = value.getDefiningOp();
    if (auto from = dyn_cast_or_null<BitcastOp>(op))
      return from.getOperand();
    if (!isa_and_nonnull<AddOp, AndOp>(op))
      return {};
    value = op->getOperand(0);
  }
  return {};
}

static std::optional<FloatsFromBits> roundedFloats(BitcastOp op) {
  auto mask = op.getOperand().getDefiningOp<AndOp>();
  constexpr double upperHalf = 4294901760.0; // 0xffff0000
  bool isHalf = mask && typeOf(op).getElementType().isF32() &&
                (splatValue(mask.getRhs()) == upperHalf ||
                 splatValue(mask.getLhs()) == upperHalf);
  Value source = isHalf ? roundedBits(op.getOperand()) : Value();
  if (!source || source.getType() != op.getType())
    return std::nullopt;
  return FloatsFromBits{source, TopKOp()};
}

std::optional<FloatsFromBits> floatsFromBits(BitcastOp op) {
  if (!isa<FloatType>(typeOf(op).getElementType()))
    return std::nullopt;
  if (auto found = orderedFloats(op))
    return found;
  return roundedFloats(op);
}

bool leaksBits(BitcastOp op) {
  SmallVector<Value> open{op.getResult()};
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (Operation *user : value.getUsers()) {
      auto back = dyn_cast<BitcastOp>(user);
      if (back && isDifferentiable(back.getType())) {
        auto found = floatsFromBits(back);
        if (!found || found->source != op.getOperand())
          return true;
        continue;
      }
      // Regions may use them in any way.
      if (user->getNumRegions() || user->getNumSuccessors())
        return true;
      for (Value result : user->getResults())
        if (isa<ConvertOp>(user) && isDifferentiable(result.getType()))
          return true;
        else if (!cast<RankedTensorType>(result.getType())
                      .getElementType()
                      .isInteger(1))
          open.push_back(result);
    }
  }
  return false;
}

} // namespace zenith::raise
