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

// The inverse exchange of one cotangent.
Value sentBack(Operation *op, RuleBuilder &rule, Value operand, Value ct) {
  OpBuilder &b = rule.builder;
  auto sum = ReduceKindAttr::get(op->getContext(), ReduceKind::sum);
  if (auto all = dyn_cast<AllReduceOp>(op))
    return b
        .create<AllReduceOp>(rule.loc, ct.getType(), ct, sum, all.getMeshAttr(),
                             all.getAxesAttr(), all.getGroupsAttr(), 0)
        .getResult(0);
  if (auto gather = dyn_cast<AllGatherOp>(op))
    return b.create<ReduceScatterOp>(rule.loc, operand.getType(), ct,
                                     gather.getDim(), sum, gather.getMeshAttr(),
                                     gather.getAxesAttr(),
                                     gather.getGroupsAttr(), 0);
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

template <typename Op>
struct ExchangeGradient
    : GradientRule::ExternalModel<ExchangeGradient<Op>, Op> {
  GradientAnswer gradientAnswer(Operation *op) const {
    if (isSum(op) && (op->getNumRegions() == 0 || op->getRegions().empty()))
      return {};
    return {GradientAnswer::Refused, "only sums over devices have one"};
  }
  Derivatives linearize(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> tangents) const {
    SmallVector<unsigned> all;
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      all.push_back(i);
    return onTangents(op, rule, tangents, all);
  }
  Derivatives transpose(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> cotangents, const BitVector &) const {
    SmallVector<Value> operands;
    for (auto [operand, ct] : llvm::zip_equal(op->getOperands(), cotangents))
      operands.push_back(ct ? sentBack(op, rule, operand, ct) : Value());
    return operands;
  }
};

struct BroadcastGradient
    : GradientRule::ExternalModel<BroadcastGradient, CollectiveBroadcastOp> {
  GradientAnswer gradientAnswer(Operation *) const {
    return {GradientAnswer::Refused,
            "cotangents of all devices would have to reach the sender alone"};
  }
};

struct IndexGradient : GradientRule::ExternalModel<IndexGradient, AxisIndexOp> {
  GradientAnswer gradientAnswer(Operation *) const {
    return {GradientAnswer::Zero, ""};
  }
};

} // namespace

void attachCollectiveGradients(MLIRContext *context) {
  attachAll<ExchangeGradient, AllReduceOp, AllGatherOp, ReduceScatterOp,
            AllToAllOp, CollectivePermuteOp>(context);
  CollectiveBroadcastOp::attachInterface<BroadcastGradient>(*context);
  AxisIndexOp::attachInterface<IndexGradient>(*context);
}

} // namespace zenith::autodiff
