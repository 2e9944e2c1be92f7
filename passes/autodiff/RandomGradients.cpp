// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers and searches: functions of integers, with derivative zero.

#include "ir/SearchOps.h"
#include "passes/autodiff/GradientRule.h"

using namespace mlir;

namespace zenith::autodiff {
namespace {

template <typename Op>
struct ZeroGradient : GradientRule::ExternalModel<ZeroGradient<Op>, Op> {
  GradientAnswer gradientAnswer(Operation *) const {
    return {GradientAnswer::Zero, ""};
  }
};

/// The same elements are dropped from tangents and cotangents.
template <>
struct ZeroGradient<graph::DropoutOp>
    : GradientRule::ExternalModel<ZeroGradient<graph::DropoutOp>,
                                  graph::DropoutOp> {
  GradientAnswer gradientAnswer(Operation *) const { return {}; }
  Derivatives linearize(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> tangents) const {
    return onTangents(op, rule, tangents, {0});
  }
  Derivatives transpose(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> cotangents, const BitVector &) const {
    SmallVector<Value> result(op->getNumOperands());
    result[0] = onTangents(op, rule, cotangents, {0})[0];
    return result;
  }
};

} // namespace

void attachRandomGradients(MLIRContext *context) {
  using namespace zenith::graph;
  graph::attachAll<ZeroGradient,
#define GET_OP_LIST
#include "ir/Random.cpp.inc"
                   >(context);
}

void attachSearchGradients(MLIRContext *context) {
  using namespace zenith::search;
  graph::attachAll<ZeroGradient,
#define GET_OP_LIST
#include "ir/Search.cpp.inc"
                   >(context);
}

} // namespace zenith::autodiff
