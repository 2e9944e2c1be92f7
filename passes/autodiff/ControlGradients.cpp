// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which ops of control have derivatives: branches and loops are differentiated
// by the sweeps, barriers order tangents and cotangents too.

#include "passes/autodiff/GradientRule.h"
#include "passes/autodiff/matrices/LapackGradients.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

using Values = SmallVector<Value>;

/// A barrier of those values that are not null.
static Values barrierOf(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> values) {
  Values given;
  llvm::copy_if(values, std::back_inserter(given),
                [](Value value) { return bool(value); });
  if (given.empty())
    return Values(values);
  auto barrier = rule.builder.create<BarrierOp>(
      rule.loc, ValueRange(given).getTypes(), given);
  Values results;
  unsigned next = 0;
  for (Value value : values)
    results.push_back(value ? barrier->getResult(next++) : Value());
  return results;
}

namespace {

template <typename Op>
struct ControlGradient : GradientRule::ExternalModel<ControlGradient<Op>, Op> {
  GradientAnswer gradientAnswer(Operation *) const {
    if (std::is_same_v<Op, FusionOp>)
      return {GradientAnswer::Refused, "differentiation comes before fusion"};
    bool hasRule = std::is_same_v<Op, IfOp> || std::is_same_v<Op, CaseOp> ||
                   std::is_same_v<Op, WhileOp> ||
                   std::is_same_v<Op, CheckpointOp>;
    return {hasRule ? GradientAnswer::Rule : GradientAnswer::Zero, ""};
  }
};

template <>
struct ControlGradient<BarrierOp>
    : GradientRule::ExternalModel<ControlGradient<BarrierOp>, BarrierOp> {
  GradientAnswer gradientAnswer(Operation *) const { return {}; }
  Derivatives linearize(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> tangents) const {
    return barrierOf(op, rule, tangents);
  }
  Derivatives transpose(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> cotangents, const BitVector &) const {
    return barrierOf(op, rule, cotangents);
  }
};

/// Tangents have no names, and stay where they are.
template <typename Op>
struct IdentityGradient : GradientRule::ExternalModel<ControlGradient<Op>, Op> {
  GradientAnswer gradientAnswer(Operation *) const { return {}; }
  Derivatives linearize(Operation *, RuleBuilder &,
                        ArrayRef<Value> tangents) const {
    return Values(tangents);
  }
};
template <> struct ControlGradient<NamedOp> : IdentityGradient<NamedOp> {};
template <> struct ControlGradient<PlaceOp> : IdentityGradient<PlaceOp> {};

template <>
struct ControlGradient<CustomCallOp>
    : GradientRule::ExternalModel<ControlGradient<CustomCallOp>, CustomCallOp> {
  GradientAnswer gradientAnswer(Operation *op) const {
    return lapackAnswer(cast<CustomCallOp>(op));
  }
  SmallVector<Value> variables(Operation *op) const {
    return lapackVariables(cast<CustomCallOp>(op));
  }
  Derivatives linearize(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> tangents) const {
    return lapackTangents(cast<CustomCallOp>(op), rule, tangents);
  }
};

//===----------------------------------------------------------------------===//
// What a program says about shardings: tangents and cotangents are dealt like
// the value
//===----------------------------------------------------------------------===//

// The other way through a barrier.
ShardDirection opposite(ShardDirection direction) {
  switch (direction) {
  case ShardDirection::forward:
    return ShardDirection::backward;
  case ShardDirection::backward:
    return ShardDirection::forward;
  case ShardDirection::none:
    return ShardDirection::none;
  }
  return direction;
}

template <typename Op>
struct ConstraintGradient
    : GradientRule::ExternalModel<ConstraintGradient<Op>, Op> {
  GradientAnswer gradientAnswer(Operation *) const { return {}; }
  Derivatives linearize(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> tangents) const {
    return rebuilt(op, rule, tangents.front(), /*reversed=*/false);
  }
  Derivatives transpose(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> cotangents, const BitVector &) const {
    return rebuilt(op, rule, cotangents.front(), /*reversed=*/true);
  }

private:
  static SmallVector<Value> rebuilt(Operation *op, RuleBuilder &rule,
                                    Value value, bool reversed) {
    if (auto barrier = dyn_cast<ShardBarrierOp>(op))
      return {rule.builder.create<ShardBarrierOp>(
          rule.loc, value.getType(), value,
          reversed ? opposite(barrier.getAllowed()) : barrier.getAllowed())};
    Operation *copy = rule.builder.clone(*op);
    copy->setOperand(0, value);
    copy->setLoc(rule.loc);
    return {copy->getResult(0)};
  }
};

template <typename Op>
struct SilentGradient : GradientRule::ExternalModel<SilentGradient<Op>, Op> {
  GradientAnswer gradientAnswer(Operation *) const {
    return {GradientAnswer::Zero, ""};
  }
};

/// The sweeps differentiate the region.
struct ManualGradient : GradientRule::ExternalModel<ManualGradient, ManualOp> {
  GradientAnswer gradientAnswer(Operation *op) const {
    auto manual = cast<ManualOp>(op);
    auto isPartial = [](ShardingAttr sharding) {
      return !sharding.getUnreduced().empty();
    };
    if (llvm::none_of(manual.getInShardings().getAsRange<ShardingAttr>(),
                      isPartial) &&
        llvm::none_of(manual.getOutShardings().getAsRange<ShardingAttr>(),
                      isPartial))
      return {};
    return {GradientAnswer::Refused,
            "it takes or gives terms of sums over devices"};
  }
};

} // namespace

void attachControlGradients(MLIRContext *context) {
  attachAll<ControlGradient,
#define GET_OP_LIST
#include "ir/Control.cpp.inc"
            >(context);
  attachAll<ConstraintGradient, ShardOp, ReshardOp, ShardBarrierOp>(context);
  attachAll<SilentGradient, MeshOp, ShardGroupOp>(context);
  ManualOp::attachInterface<ManualGradient>(*context);
}

} // namespace zenith::autodiff
