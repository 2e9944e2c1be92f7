// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A window as one strided part of the padded operand per element of the window.

#include "passes/autodiff/WindowGradients.h"
#include "ir/matchers/TypeOf.h"
#include <limits>

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

using Dims = SmallVector<int64_t>;

/// Most elements of a window whose parts are written out one by one.
static constexpr int64_t mostParts = 4096;

template <typename Op> static bool movesAlong(Op op, int64_t d) {
  return op.getWindow()[d] != 1 || op.getStrides()[d] != 1 ||
         op.getLow()[d] != 0 || op.getHigh()[d] != 0 ||
         op.getBaseDilation()[d] != 1;
}

/// Why a window has no derivative that is written element by element; empty
/// where it has.
template <typename Op> static std::string obstacle(Op op) {
  int64_t parts = 1;
  for (int64_t size : op.getWindow()) {
    parts *= std::min(size, mostParts + 1);
    if (parts > mostParts)
      return "a window of more than 4096 elements";
  }
  return "";
}

static GradientAnswer answer(std::string why) {
  if (why.empty())
    return {};
  return {GradientAnswer::Refused, std::move(why)};
}

GradientAnswer windowAnswer(ReduceWindowOp op) {
  if (op.getKind() == ReduceKind::prod)
    return answer("products over windows");
  return op.getKind() == ReduceKind::sum ? GradientAnswer()
                                         : answer(obstacle(op));
}

GradientAnswer windowAnswer(ReduceWindowWithOp op) {
  return answer(obstacle(op));
}

static Value padded(RuleBuilder &rule, Value x, double fill, Dims low,
                    Dims high, Dims interior) {
  Dims sizes;
  for (auto [d, size] : llvm::enumerate(typeOf(x).getShape())) {
    int64_t spread = size == 0 ? 0 : (size - 1) * (interior[d] + 1) + 1;
    sizes.push_back(ShapedType::isDynamic(size) ? size
                                                : low[d] + spread + high[d]);
  }
  Value value = rule.scalar(typeOf(x).getElementType(), fill);
  return rule.builder.create<PadOp>(rule.loc, typeOf(x).clone(sizes), x, value,
                                    ValueRange(), ValueRange(), low, high,
                                    interior);
}

static Dims dilated(ArrayRef<int64_t> dilation) {
  Dims interior;
  for (int64_t factor : dilation)
    interior.push_back(factor - 1);
  return interior;
}

/// The elements that each result reads at this place of its window.
template <typename Op>
static Value partAt(RuleBuilder &rule, Op op, Value padded,
                    ArrayRef<int64_t> place) {
  Dims starts;
  for (auto [index, dilation] : llvm::zip(place, op.getDilation()))
    starts.push_back(index * dilation);
  Value y = op->getResult(0);
  return rule.builder.create<SliceOp>(rule.loc, typeOf(y), padded, ValueRange(),
                                      rule.dynamicDims(y), starts,
                                      typeOf(y).getShape(), op.getStrides());
}

/// The next place of the window in row-major order; false after the last.
template <typename Op> static bool nextPlace(Op op, Dims &place) {
  int64_t d = int64_t(place.size()) - 1;
  while (d >= 0 && ++place[d] == op.getWindow()[d])
    place[d--] = 0;
  return d >= 0;
}

Value windowExtremeTangent(ReduceWindowOp op, RuleBuilder &rule,
                           Value tangent) {
  double neutral = std::numeric_limits<double>::infinity();
  if (op.getKind() == ReduceKind::max)
    neutral = -neutral;
  Dims low(op.getLow()), high(op.getHigh()),
      interior = dilated(op.getBaseDilation());
  Value x = padded(rule, op.getOperand(), neutral, low, high, interior),
        t = padded(rule, tangent, 0, low, high, interior), y = op.getResult();
  Dims place(op.getWindow().size(), 0);
  Value found, sum;
  while (true) {
    Value isTaken =
        rule.compare(CompareDirection::eq, partAt(rule, op, x, place), y);
    if (found) {
      auto flags = isTaken.getType();
      Value isFirst = rule.builder.create<AndOp>(rule.loc, flags, isTaken,
                                                 rule.unary<NotOp>(found));
      found = rule.builder.create<OrOp>(rule.loc, flags, found, isTaken);
      isTaken = isFirst;
    } else {
      found = isTaken;
    }
    sum = rule.plus(sum, rule.where(isTaken, partAt(rule, op, t, place)));
    if (!nextPlace(op, place))
      return sum;
  }
}

Value finiteOrZero(RuleBuilder &rule, Value x) {
  Value isFinite = rule.builder.create<IsFiniteOp>(
      rule.loc, typeOf(x).clone(rule.builder.getI1Type()), x);
  return rule.where(isFinite, x);
}

Value windowLogSumTangent(ReduceWindowWithOp op, RuleBuilder &rule,
                          Value tangent) {
  Dims low(op.getLow()), high(op.getHigh()),
      interior = dilated(op.getBaseDilation());
  double nothing = -std::numeric_limits<double>::infinity();
  Value x = padded(rule, op.getInputs()[0], nothing, low, high, interior),
        t = padded(rule, tangent, 0, low, high, interior),
        y = finiteOrZero(rule, op.getResult(0)), sum;
  Dims place(op.getWindow().size(), 0);
  do {
    Value share = rule.unary<ExpOp>(rule.sub(partAt(rule, op, x, place), y));
    sum = rule.plus(sum, rule.mul(partAt(rule, op, t, place), share));
  } while (nextPlace(op, place));
  return sum;
}

/// Element q of the operand is read by results o at places w of the window with
/// o * stride + w * dilation - low = q: a window over the cotangents, spread by
/// the strides. How much of the operand's end no window reads is unknown where
/// its size is; then as much as may be is added, and too much cut off.
Value transposeWindowSum(ReduceWindowOp op, RuleBuilder &rule,
                         Value cotangent) {
  RankedTensorType from = typeOf(op.getOperand());
  int64_t rank = from.getRank();
  Dims low, high, stride, sizes, ones(rank, 1), none(rank, 0);
  bool isUnknown = false;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t reach = (op.getWindow()[d] - 1) * op.getDilation()[d],
            results = typeOf(cotangent).getDimSize(d),
            size = from.getDimSize(d);
    stride.push_back(op.getStrides()[d] - 1);
    if (!movesAlong(op, d)) {
      low.push_back(0);
      high.push_back(0);
      sizes.push_back(size);
      continue;
    }
    low.push_back(reach - op.getLow()[d]);
    if (ShapedType::isDynamic(results) || ShapedType::isDynamic(size)) {
      isUnknown = true;
      high.push_back(reach - op.getHigh()[d] + stride.back());
      sizes.push_back(ShapedType::kDynamic);
      continue;
    }
    int64_t spread = results == 0 ? 0 : (results - 1) * op.getStrides()[d] + 1,
            reached = size == 0 ? 0 : (size - 1) * op.getBaseDilation()[d] + 1;
    high.push_back(reached + reach - spread - low.back());
    sizes.push_back(reached);
  }
  Value spread = padded(rule, cotangent, 0, low, high, stride);
  Value sums = rule.builder.create<ReduceWindowOp>(
      rule.loc, from.clone(sizes), ReduceKind::sum, spread, op.getWindow(),
      ones, none, none, ones, op.getDilation());
  if (!isUnknown && llvm::equal(op.getBaseDilation(), ones))
    return sums;
  return rule.builder.create<SliceOp>(rule.loc, from, sums, ValueRange(),
                                      rule.dynamicDims(op.getOperand()), none,
                                      from.getShape(), op.getBaseDilation());
}

} // namespace zenith::autodiff
