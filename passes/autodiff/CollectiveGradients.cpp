// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of collectives, as of one function of the values of all devices:
// what was gathered is summed and scattered, what was sent comes back.

#include "ir/CollectiveOps.h"
#include "passes/autodiff/GradientRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {
namespace {

bool isSum(Operation *op) {
  auto kind = op->getAttrOfType<ReduceKindAttr>("kind");
  return !kind || kind.getValue() == ReduceKind::sum;
}

// A value summed over the groups of an op that has them.
template <typename Op> Value summed(Op op, RuleBuilder &rule, Value value) {
  auto sum = ReduceKindAttr::get(op.getContext(), ReduceKind::sum);
  return rule.builder
      .create<AllReduceOp>(rule.loc, value.getType(), value, sum,
                           op.getMeshAttr(), op.getAxesAttr(),
                           op.getGroupsAttr(), 0)
      .getResult(0);
}

// The inverse exchange of one cotangent.
Value sentBack(Operation *op, RuleBuilder &rule, Value operand, Value ct) {
  OpBuilder &b = rule.builder;
  auto sum = ReduceKindAttr::get(op->getContext(), ReduceKind::sum);
  if (auto all = dyn_cast<AllReduceOp>(op))
    return summed(all, rule, ct);
  if (auto gather = dyn_cast<AllGatherOp>(op))
    return b.create<ReduceScatterOp>(
        rule.loc, operand.getType(), ct, gather.getDim(), sum,
        gather.getMeshAttr(), gather.getAxesAttr(), gather.getGroupsAttr(), 0);
  if (auto scatter = dyn_cast<ReduceScatterOp>(op))
    return b
        .create<AllGatherOp>(rule.loc, operand.getType(), ct, scatter.getDim(),
                             scatter.getMeshAttr(), scatter.getAxesAttr(),
                             scatter.getGroupsAttr())
        .getResult(0);
  if (auto exchange = dyn_cast<AllToAllOp>(op))
    return b
        .create<AllToAllOp>(rule.loc, operand.getType(), ct,
                            exchange.getConcat(), exchange.getSplit(),
                            exchange.getCount(), exchange.getMeshAttr(),
                            exchange.getAxesAttr(), exchange.getGroupsAttr())
        .getResult(0);
  auto permute = cast<CollectivePermuteOp>(op);
  SmallVector<int64_t> pairs;
  for (int64_t device :
       cast<DenseIntElementsAttr>(permute.getPairs()).getValues<int64_t>())
    pairs.push_back(device);
  for (size_t i = 0; i + 1 < pairs.size(); i += 2)
    std::swap(pairs[i], pairs[i + 1]);
  return b.create<CollectivePermuteOp>(
      rule.loc, operand.getType(), ct,
      DenseIntElementsAttr::get(permute.getPairs().getShapedType(),
                                ArrayRef<int64_t>(pairs)),
      permute.getMeshAttr(), permute.getAxesAttr());
}

Derivatives onAllTangents(Operation *op, RuleBuilder &rule,
                          ArrayRef<Value> tangents) {
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, op->getNumOperands()));
  return onTangents(op, rule, tangents, all);
}

Derivatives transposed(Operation *op, RuleBuilder &rule,
                       ArrayRef<Value> cotangents) {
  SmallVector<Value> operands;
  for (auto [operand, ct] : llvm::zip_equal(op->getOperands(), cotangents))
    operands.push_back(ct ? sentBack(op, rule, operand, ct) : Value());
  return operands;
}

template <typename Op>
struct ExchangeGradient
    : GradientRule::ExternalModel<ExchangeGradient<Op>, Op> {
  GradientAnswer gradientAnswer(Operation *op) const {
    if (isSum(op) && op->getNumRegions() == 0)
      return {};
    return {GradientAnswer::Refused, "only sums over devices have one"};
  }
  Derivatives linearize(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> tangents) const {
    return onAllTangents(op, rule, tangents);
  }
  Derivatives transpose(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> cotangents, const BitVector &) const {
    return transposed(op, rule, cotangents);
  }
};

/// Of maxima and minima the devices that have the extreme share equally.
struct AllReduceGradient
    : GradientRule::ExternalModel<AllReduceGradient, AllReduceOp> {
  GradientAnswer gradientAnswer(Operation *op) const {
    if (isSum(op) && op->getNumRegions() == 0)
      return {};
    auto kind = cast<AllReduceOp>(op).getKind();
    if (kind == ReduceKind::max || kind == ReduceKind::min)
      return {};
    return {GradientAnswer::Refused,
            "only sums, maxima and minima over devices have one"};
  }
  Derivatives linearize(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> tangents) const {
    if (isSum(op))
      return onAllTangents(op, rule, tangents);
    auto all = cast<AllReduceOp>(op);
    SmallVector<Value> results;
    for (auto [input, extreme, tangent] :
         llvm::zip_equal(op->getOperands(), op->getResults(), tangents)) {
      if (!tangent) {
        results.push_back(Value());
        continue;
      }
      Value isExtreme = rule.compare(CompareDirection::eq, input, extreme);
      Value one = rule.where(isExtreme, rule.splat(input, 1));
      Value share =
          rule.where(isExtreme, rule.div(one, summed(all, rule, one)));
      results.push_back(summed(all, rule, rule.mul(tangent, share)));
    }
    return results;
  }
  Derivatives transpose(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> cotangents, const BitVector &) const {
    return transposed(op, rule, cotangents);
  }
};

/// The sum of a group's cotangents, on the device that sent alone.
Value sumAtSource(CollectiveBroadcastOp op, RuleBuilder &rule, Value ct) {
  // A device that receives from no other one has zeros.
  SmallVector<int64_t> pairs;
  if (auto groups =
          dyn_cast_or_null<DenseIntElementsAttr>(op.getGroupsAttr())) {
    int64_t length = groups.getShapedType().getDimSize(1);
    auto devices = llvm::to_vector(groups.getValues<int64_t>());
    for (int64_t at = int64_t(op.getSource()); at < int64_t(devices.size());
         at += length)
      if (devices[at] >= 0)
        pairs.append(2, devices[at]);
  } else {
    pairs.append(2, int64_t(op.getSource()));
  }
  OpBuilder &b = rule.builder;
  auto type =
      RankedTensorType::get({int64_t(pairs.size()) / 2, 2}, b.getI64Type());
  return b.create<CollectivePermuteOp>(
      rule.loc, ct.getType(), summed(op, rule, ct),
      DenseIntElementsAttr::get(type, ArrayRef<int64_t>(pairs)),
      op.getMeshAttr(), op.getAxesAttr());
}

struct BroadcastGradient
    : GradientRule::ExternalModel<BroadcastGradient, CollectiveBroadcastOp> {
  GradientAnswer gradientAnswer(Operation *) const { return {}; }
  Derivatives linearize(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> tangents) const {
    return onAllTangents(op, rule, tangents);
  }
  Derivatives transpose(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> cotangents, const BitVector &) const {
    SmallVector<Value> operands;
    for (Value ct : cotangents)
      operands.push_back(
          ct ? sumAtSource(cast<CollectiveBroadcastOp>(op), rule, ct)
             : Value());
    return operands;
  }
};

struct IndexGradient : GradientRule::ExternalModel<IndexGradient, AxisIndexOp> {
  GradientAnswer gradientAnswer(Operation *) const {
    return {GradientAnswer::Zero, ""};
  }
};

} // namespace

void attachCollectiveGradients(MLIRContext *context) {
  attachAll<ExchangeGradient, AllGatherOp, ReduceScatterOp, AllToAllOp,
            CollectivePermuteOp>(context);
  AllReduceOp::attachInterface<AllReduceGradient>(*context);
  CollectiveBroadcastOp::attachInterface<BroadcastGradient>(*context);
  AxisIndexOp::attachInterface<IndexGradient>(*context);
}

} // namespace zenith::autodiff
