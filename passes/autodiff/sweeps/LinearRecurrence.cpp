// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values moved along a dimension, and sums of doubling reach.

#include "passes/autodiff/sweeps/LinearRecurrence.h"
#include "ir/matchers/TypeOf.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

/// Element i becomes element i + distance; `fill` comes in at the beginning.
static Value moved(RuleBuilder &rule, Value x, int64_t dim, int64_t distance,
                   double fill) {
  int64_t rank = typeOf(x).getRank();
  SmallVector<int64_t> low(rank, 0), high(rank, 0), interior(rank, 0);
  low[dim] = distance;
  high[dim] = -distance;
  Value value = rule.scalar(typeOf(x).getElementType(), fill);
  return rule.builder.create<PadOp>(rule.loc, x.getType(), x, value,
                                    ValueRange(), ValueRange(), low, high,
                                    interior);
}

Value linearRecurrence(RuleBuilder &rule, Value factor, Value term,
                       int64_t dim) {
  int64_t size = typeOf(term).getDimSize(dim);
  for (int64_t distance = 1; distance < size; distance *= 2) {
    Value before = moved(rule, term, dim, distance, 0);
    term = rule.add(term, rule.mul(before, factor));
    if (2 * distance < size)
      factor = rule.mul(factor, moved(rule, factor, dim, distance, 1));
  }
  return term;
}

static Value running(RuleBuilder &rule, ReduceKind kind, Value x, int64_t dim,
                     bool isExclusive) {
  return rule.builder.create<CumulativeOp>(rule.loc, x.getType(), kind, x, dim,
                                           isExclusive, /*reverse=*/false);
}

/// (x0 ... xi)' = xi (x0 ... xi-1)' + (x0 ... xi-1) xi'.
static Value productTangent(RuleBuilder &rule, Value x, Value tangent,
                            int64_t dim) {
  Value before = running(rule, ReduceKind::prod, x, dim, true);
  return linearRecurrence(rule, x, rule.mul(tangent, before), dim);
}

/// Tangents of the elements that equal the extreme so far, divided by their
/// number; a new extreme starts again.
static Value extremeTangent(RuleBuilder &rule, ReduceKind kind, Value x,
                            Value tangent, int64_t dim) {
  Value extreme = running(rule, kind, x, dim, false),
        before = running(rule, kind, x, dim, true);
  Value one = rule.splat(x, 1), zero = rule.zeros(x);
  Value isNew = rule.compare(kind == ReduceKind::max ? CompareDirection::gt
                                                     : CompareDirection::lt,
                             x, before);
  Value isTaken = rule.compare(CompareDirection::eq, x, extreme);
  Value factor = rule.select(isNew, zero, one);
  Value sum = linearRecurrence(rule, factor, rule.where(isTaken, tangent), dim);
  Value count =
      linearRecurrence(rule, factor, rule.select(isTaken, one, zero), dim);
  return rule.div(sum, count);
}

Value cumulativeTangent(CumulativeOp op, RuleBuilder &rule, Value tangent) {
  int64_t dim = op.getDim();
  Value x = op.getOperand();
  if (op.getReverse()) {
    x = rule.reverse(x, {dim});
    tangent = rule.reverse(tangent, {dim});
  }
  Value result = op.getKind() == ReduceKind::prod
                     ? productTangent(rule, x, tangent, dim)
                     : extremeTangent(rule, op.getKind(), x, tangent, dim);
  if (op.getExclusive())
    result = moved(rule, result, dim, 1, 0);
  return op.getReverse() ? rule.reverse(result, {dim}) : result;
}

} // namespace zenith::autodiff
