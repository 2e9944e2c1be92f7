// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scatters and the gathers at the same places. Updates that were skipped have
// no derivative.

#include "passes/autodiff/ScatterGradients.h"
#include "ir/matchers/TypeOf.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

using Values = SmallVector<Value>;

namespace {

/// The places of one scatter.
class ScatterPlaces {
public:
  ScatterPlaces(ScatterOp op, RuleBuilder &rule) : op(op), rule(rule) {}

  Value scatter(ScatterKind kind, Value operand, Value updates) {
    return rule.builder.create<ScatterOp>(rule.loc, operand.getType(), kind,
                                          operand, op.getIndices(), updates,
                                          op.getDims(), op.getUnique());
  }
  /// Like updates: the elements of `whole` at the places that they go to, at
  /// clamped places where they are skipped.
  Value gather(Value whole);
  /// Like updates: which of them are not skipped.
  Value inside();
  /// Like updates: which of them are the last ones at their places.
  Value lasting();

private:
  SmallVector<int64_t> windowSizes();
  Value isBetween(Value indices, Value high);

  ScatterOp op;
  RuleBuilder &rule;
};

} // namespace

/// Per dimension of the operand the size of a window; -1 where it is dynamic.
SmallVector<int64_t> ScatterPlaces::windowSizes() {
  ScatterDimsAttr dims = op.getDims();
  SmallVector<int64_t> sizes;
  ArrayRef<int64_t> window = dims.getUpdateWindowDims();
  for (int64_t d = 0; d < typeOf(op.getOperand()).getRank(); ++d) {
    if (llvm::is_contained(dims.getInsertedWindowDims(), d) ||
        llvm::is_contained(dims.getInputBatchingDims(), d)) {
      sizes.push_back(1);
      continue;
    }
    int64_t size = typeOf(op.getUpdates()).getDimSize(window.front());
    sizes.push_back(ShapedType::isDynamic(size) ? -1 : size);
    window = window.drop_front();
  }
  return sizes;
}

Value ScatterPlaces::gather(Value whole) {
  ScatterDimsAttr from = op.getDims();
  auto dims = GatherDimsAttr::get(
      rule.builder.getContext(), from.getUpdateWindowDims(),
      from.getInsertedWindowDims(), from.getInputBatchingDims(),
      from.getIndicesBatchingDims(), from.getIndexMap(),
      from.getIndexVectorDim());
  auto type = typeOf(op.getUpdates()).clone(typeOf(whole).getElementType());
  return rule.builder.create<GatherOp>(rule.loc, type, whole, op.getIndices(),
                                       dims, windowSizes());
}

/// 0 <= indices <= high.
Value ScatterPlaces::isBetween(Value indices, Value high) {
  auto type = typeOf(indices).clone(rule.builder.getI1Type());
  return rule.builder.create<AndOp>(
      rule.loc, type,
      rule.compare(CompareDirection::ge, indices, rule.zeros(indices)),
      rule.compare(CompareDirection::le, indices, high));
}

Value ScatterPlaces::inside() {
  ScatterDimsAttr dims = op.getDims();
  Value indices = op.getIndices();
  if (typeOf(indices).getElementType().getIntOrFloatBitWidth() < 64)
    indices = rule.convert(indices, rule.builder.getI64Type());
  SmallVector<int64_t> sizes = windowSizes();
  Type element = typeOf(indices).getElementType();
  Values lasts;
  for (int64_t d : dims.getIndexMap()) {
    Value size =
        sizes[d] < 0 ? rule.dim(op.getOperand(), d) : rule.index(sizes[d]);
    Value last = rule.sub(rule.dim(op.getOperand(), d), size);
    lasts.push_back(rule.reshape(rule.convert(last, element), {1}));
  }
  int64_t vectorDim = dims.getIndexVectorDim();
  bool hasVector = vectorDim < typeOf(indices).getRank();
  Value mask;
  if (hasVector) {
    auto type = RankedTensorType::get({int64_t(lasts.size())}, element);
    Value vector = rule.builder.create<ConcatOp>(rule.loc, type, 0, lasts);
    mask = isBetween(indices, rule.broadcast(vector, {vectorDim}, indices));
    mask = rule.reduce(ReduceKind::all, mask, {vectorDim});
  } else {
    Value last = rule.reshape(lasts[0], ArrayRef<int64_t>());
    mask = isBetween(indices, rule.broadcast(last, {}, indices));
  }
  return rule.broadcast(
      mask, rule.others(op.getUpdates(), dims.getUpdateWindowDims()),
      op.getUpdates());
}

/// Numbers of the updates are written in their place; a skipped one reads the
/// number of another, or none.
Value ScatterPlaces::lasting() {
  if (op.getUnique())
    return inside();
  Value updates = op.getUpdates();
  Type i64 = rule.builder.getI64Type();
  Value numbers = rule.zeros(rule.iota(updates, 0, i64));
  Value stride = rule.index(1);
  for (int64_t d = typeOf(updates).getRank() - 1; d >= 0; --d) {
    Value along = rule.iota(updates, d, i64);
    numbers =
        rule.add(numbers, rule.mul(along, rule.broadcast(stride, {}, along)));
    stride = rule.mul(stride, rule.dim(updates, d));
  }
  Value shape = rule.iota(op.getOperand(), 0, i64);
  Value none = rule.splat(shape, -1);
  return rule.compare(CompareDirection::eq,
                      gather(scatter(ScatterKind::set, none, numbers)),
                      numbers);
}

GradientAnswer scatterAnswer(ScatterOp op) {
  if (op.getKind() == ScatterKind::prod && !op.getUnique())
    return {GradientAnswer::Refused,
            "a product may meet an element twice; promise `unique` where it "
            "does not"};
  return {};
}

/// Each element is the product of the operand's and at most one update.
static Value productTangent(ScatterOp op, RuleBuilder &rule,
                            ArrayRef<Value> tangents) {
  ScatterPlaces places(op, rule);
  Value result;
  if (tangents[0])
    result = places.scatter(ScatterKind::prod, tangents[0], op.getUpdates());
  if (!tangents[2])
    return result;
  Value change = rule.mul(tangents[2], places.gather(op.getOperand()));
  Value sum = result ? result : rule.zeros(op.getOperand());
  return places.scatter(ScatterKind::sum, sum, change);
}

/// Equal extremes share equally, the operand's element among them.
static Value extremeTangent(ScatterOp op, RuleBuilder &rule,
                            ArrayRef<Value> tangents) {
  ScatterPlaces places(op, rule);
  Value x = op.getOperand(), u = op.getUpdates(), y = op.getResult();
  auto oneWhere = [&](Value condition, Value like) {
    return rule.select(condition, rule.splat(like, 1), rule.zeros(like));
  };
  auto flags = typeOf(u).clone(rule.builder.getI1Type());
  Value isTaken = rule.builder.create<AndOp>(
      rule.loc, flags, places.inside(),
      rule.compare(CompareDirection::eq, u, places.gather(y)));
  Value ofOperand = oneWhere(rule.compare(CompareDirection::eq, x, y), x);
  Value ofUpdates = oneWhere(isTaken, u);
  Value count = places.scatter(ScatterKind::sum, ofOperand, ofUpdates);
  Value result;
  if (tangents[0])
    result = rule.mul(tangents[0], rule.div(ofOperand, count));
  if (!tangents[2])
    return result;
  Value share = rule.where(isTaken, rule.div(ofUpdates, places.gather(count)));
  Value sum = result ? result : rule.zeros(x);
  return places.scatter(ScatterKind::sum, sum, rule.mul(tangents[2], share));
}

Derivatives scatterTangent(ScatterOp op, RuleBuilder &rule,
                           ArrayRef<Value> tangents) {
  switch (op.getKind()) {
  case ScatterKind::sum:
  case ScatterKind::set:
    return onTangents(op, rule, tangents, {0, 2});
  case ScatterKind::prod:
    return Values{productTangent(op, rule, tangents)};
  case ScatterKind::max:
  case ScatterKind::min:
    return Values{extremeTangent(op, rule, tangents)};
  }
  return refuseRule(op);
}

Derivatives transposeScatter(ScatterOp op, RuleBuilder &rule, Value cotangent,
                             const BitVector &linear) {
  ScatterPlaces places(op, rule);
  Values result(3);
  if (op.getKind() == ScatterKind::sum) {
    if (linear[0])
      result[0] = cotangent;
    if (linear[2])
      result[2] = rule.where(places.inside(), places.gather(cotangent));
    return result;
  }
  if (op.getKind() == ScatterKind::set) {
    if (linear[0])
      result[0] = places.scatter(ScatterKind::set, cotangent,
                                 rule.zeros(op.getUpdates()));
    if (linear[2])
      result[2] = rule.where(places.lasting(), places.gather(cotangent));
    return result;
  }
  if (op.getKind() != ScatterKind::prod || linear[2])
    return notLinear(op);
  result[0] = places.scatter(ScatterKind::prod, cotangent, op.getUpdates());
  return result;
}

} // namespace zenith::autodiff
