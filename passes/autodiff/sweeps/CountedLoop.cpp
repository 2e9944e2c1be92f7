// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form that frontends give counted loops: a comparison with a limit, and an
// addition of a constant.

#include "passes/autodiff/sweeps/CountedLoop.h"
#include "ir/matchers/SplatConstant.h"
#include "ir/matchers/TypeOf.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

static std::optional<int64_t> constantOf(Value value) {
  std::optional<double> number = splatValue(value);
  if (!number || !isa<IntegerType>(typeOf(value).getElementType()))
    return std::nullopt;
  return int64_t(*number);
}

/// What each trip adds to the carried value; nothing where that is no constant.
static std::optional<int64_t> stepOf(WhileOp loop, unsigned index) {
  Block &body = loop.getBody().front();
  Operation *op = body.getTerminator()->getOperand(index).getDefiningOp();
  Value argument = body.getArgument(index);
  if (!isa_and_nonnull<AddOp, SubOp>(op))
    return std::nullopt;
  bool isFirst = op->getOperand(0) == argument;
  if (!isFirst && (isa<SubOp>(op) || op->getOperand(1) != argument))
    return std::nullopt;
  std::optional<int64_t> step = constantOf(op->getOperand(isFirst ? 1 : 0));
  return step && isa<SubOp>(op) ? -*step : step;
}

std::optional<CountedLoop> countedLoop(WhileOp loop) {
  Block &condition = loop.getCondition().front();
  auto compare =
      condition.getTerminator()->getOperand(0).getDefiningOp<CompareOp>();
  if (!compare || !isa<IntegerType>(typeOf(compare.getLhs()).getElementType()))
    return std::nullopt;
  auto direction = compare.getDirection();
  bool isUp = direction == CompareDirection::lt ||
              direction == CompareDirection::le,
       isDown = direction == CompareDirection::gt ||
                direction == CompareDirection::ge;
  auto argument = dyn_cast<BlockArgument>(compare.getLhs());
  Value limit = compare.getRhs();
  if (!argument || argument.getOwner() != &condition) {
    argument = dyn_cast<BlockArgument>(compare.getRhs());
    limit = compare.getLhs();
    std::swap(isUp, isDown);
  }
  bool isOutside = limit.getParentBlock() != &condition;
  if (!argument || argument.getOwner() != &condition ||
      (!isOutside && !constantOf(limit)))
    return std::nullopt;
  std::optional<int64_t> step = stepOf(loop, argument.getArgNumber());
  if (!step || !(isUp ? *step > 0 : isDown && *step < 0))
    return std::nullopt;
  return CountedLoop{argument.getArgNumber(), *step, limit,
                     direction == CompareDirection::le ||
                         direction == CompareDirection::ge};
}

Value CountedLoop::trips(WhileOp loop, RuleBuilder &rule) const {
  Value start = loop.getInits()[counter];
  std::optional<int64_t> first = constantOf(start), last = constantOf(limit);
  int64_t size = std::abs(step), extra = withLimit ? 1 : 0;
  if (first && last) {
    int64_t distance = (step > 0 ? *last - *first : *first - *last) + extra;
    return rule.index(distance <= 0 ? 0 : (distance + size - 1) / size);
  }
  Type i64 = rule.builder.getI64Type();
  Value from = rule.convert(start, i64),
        to = last ? rule.index(*last) : rule.convert(limit, i64);
  Value distance = step > 0 ? rule.sub(to, from) : rule.sub(from, to);
  Value rounded = rule.add(distance, rule.index(extra + size - 1));
  return rule.binary<MaxOp>(rule.div(rounded, rule.index(size)), rule.index(0));
}

Value CountedLoop::valueAt(WhileOp loop, RuleBuilder &rule, Value trip) const {
  Value start = loop.getInits()[counter];
  Type element = typeOf(start).getElementType();
  Value scaled = rule.mul(trip, rule.index(step));
  return rule.add(rule.convert(scaled, element), start);
}

} // namespace zenith::autodiff
