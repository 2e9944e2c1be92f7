// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of orders and sets: tangents take the places that values take.

#include "ir/matchers/TypeOf.h"
#include "mlir/IR/IRMapping.h"
#include "passes/autodiff/GradientRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

using Values = SmallVector<Value>;
using Dims = SmallVector<int64_t>;

static Dims rowShape(Value x, int64_t rows) {
  Dims shape(typeOf(x).getShape());
  shape[0] = rows;
  return shape;
}

/// Rows of x at `indices`, a list.
static Value takeRows(RuleBuilder &rule, Value x, Value indices) {
  auto offsets = llvm::to_vector(llvm::seq<int64_t>(1, typeOf(x).getRank()));
  auto dims = GatherDimsAttr::get(rule.builder.getContext(), offsets, {0}, {},
                                  {}, {0}, 1);
  Dims sizes = rowShape(x, 1);
  for (int64_t &size : sizes)
    size = ShapedType::isDynamic(size) ? -1 : size;
  auto type = typeOf(x).clone(rowShape(x, typeOf(indices).getDimSize(0)));
  return rule.builder.create<GatherOp>(rule.loc, type, x, indices, dims, sizes);
}

/// Where each result element of a sort comes from: positions sorted along.
static Value permutationOf(SortOp op, RuleBuilder &rule) {
  Value positions =
      rule.iota(op.getInputs()[0], op.getDim(), rule.builder.getI64Type());
  Values inputs(op.getInputs());
  inputs.push_back(positions);
  auto sorted = rule.builder.create<SortOp>(
      rule.loc, ValueRange(inputs).getTypes(), inputs, op.getDim(),
      op.getNumKeys(), op.getDescending());
  return sorted.getResults().back();
}

static Value permutationOf(SortWithOp op, RuleBuilder &rule) {
  Value positions =
      rule.iota(op.getInputs()[0], op.getDim(), rule.builder.getI64Type());
  Values inputs(op.getInputs());
  inputs.push_back(positions);
  auto sorted = rule.builder.create<SortWithOp>(
      rule.loc, ValueRange(inputs).getTypes(), inputs, op.getDim());
  IRMapping map;
  op.getComparator().cloneInto(&sorted.getComparator(), map);
  auto scalar = RankedTensorType::get({}, rule.builder.getI64Type());
  for (int side = 0; side < 2; ++side)
    sorted.getComparator().front().addArgument(scalar, rule.loc);
  return sorted.getResults().back();
}

template <typename Op>
static Derivatives sortedTangents(Op op, RuleBuilder &rule,
                                  ArrayRef<Value> tangents) {
  Value permutation = permutationOf(op, rule);
  Values results;
  for (Value tangent : tangents)
    results.push_back(
        tangent ? rule.takeAlong(tangent, permutation, op.getDim()) : Value());
  return results;
}

static Derivatives tangentsOf(SortOp op, RuleBuilder &rule,
                              ArrayRef<Value> tangents) {
  return sortedTangents(op, rule, tangents);
}

static Derivatives tangentsOf(SortWithOp op, RuleBuilder &rule,
                              ArrayRef<Value> tangents) {
  return sortedTangents(op, rule, tangents);
}

static Derivatives tangentsOf(TopKOp op, RuleBuilder &rule,
                              ArrayRef<Value> tangents) {
  return Values{rule.takeAlong(tangents[0], op.getIndices(), op.getDim()),
                Value()};
}

static Derivatives tangentsOf(UniqueOp op, RuleBuilder &rule,
                              ArrayRef<Value> tangents) {
  return Values{takeRows(rule, tangents[0], op.getFirst()), Value(), Value(),
                Value()};
}

/// Where the kept rows are.
static Derivatives tangentsOf(CompactOp op, RuleBuilder &rule,
                              ArrayRef<Value> tangents) {
  Value mask = op.getMask();
  Value positions = rule.iota(mask, 0, rule.builder.getI64Type());
  auto list =
      RankedTensorType::get({ShapedType::kDynamic}, rule.builder.getI64Type());
  Value kept =
      rule.builder.create<CompactOp>(rule.loc, TypeRange(list), mask, positions)
          .getResult(0);
  Values results;
  for (Value tangent : tangents.drop_front())
    results.push_back(tangent ? takeRows(rule, tangent, kept) : Value());
  return results;
}

static Derivatives tangentsOf(Operation *op, RuleBuilder &, ArrayRef<Value>) {
  return refuseRule(op);
}

namespace {

template <typename Op>
struct OrderingGradient
    : GradientRule::ExternalModel<OrderingGradient<Op>, Op> {
  GradientAnswer gradientAnswer(Operation *) const {
    bool isZero = std::is_same_v<Op, SearchSortedOp> ||
                  std::is_same_v<Op, IsInOp> || std::is_same_v<Op, HashOp> ||
                  std::is_same_v<Op, NonMaxSuppressionOp>;
    return {isZero ? GradientAnswer::Zero : GradientAnswer::Rule, ""};
  }
  Derivatives linearize(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> tangents) const {
    return tangentsOf(cast<Op>(op), rule, tangents);
  }
};

} // namespace

void attachOrderingGradients(MLIRContext *context) {
  attachAll<OrderingGradient,
#define GET_OP_LIST
#include "ir/Ordering.cpp.inc"
            >(context);
}

} // namespace zenith::autodiff
