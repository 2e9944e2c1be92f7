// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dot(move(x * c), y) becomes dot(move(x), y) * c for a constant c: the
// epilogue takes the factor, and the operand needs no pass over memory.

#include "ir/matchers/TypeOf.h"
#include "ir/ops/CompositeFormulas.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/fusion/FusionRule.h"
#include <cmath>

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_SINKSCALESPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::fusion {

/// The rank-0 or single-element constant that `value` repeats.
static ConstantOp splatConstantOf(Value value) {
  while (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getOperand();
  auto constant = value.getDefiningOp<ConstantOp>();
  return isSplatConstant(constant) ? constant : ConstantOp();
}

/// The multiplication by a constant that `value` is computed by, through
/// movement, if nothing else reads it.
static MulOp scaleOf(Value value, ConstantOp &factor, unsigned &operand) {
  while (Operation *op = value.getDefiningOp()) {
    if (!op->hasOneUse())
      return {};
    if (auto mul = dyn_cast<MulOp>(op)) {
      for (operand = 0; operand < 2; ++operand)
        if ((factor = splatConstantOf(mul->getOperand(1 - operand))))
          return mul;
      return {};
    }
    if (!isa<TransposeOp, ReshapeOp, SliceOp, BroadcastOp>(op))
      return {};
    value = op->getOperand(0);
  }
  return {};
}

static bool sinkScale(DotGeneralOp dot, unsigned side) {
  ConstantOp constant;
  unsigned operand = 0;
  Type element = typeOf(dot).getElementType();
  MulOp mul = scaleOf(dot->getOperand(side), constant, operand);
  if (!mul || !(element.isF32() || element.isF64()) ||
      typeOf(mul).getElementType() != element)
    return false;
  auto value =
      cast<DenseElementsAttr>(constant.getValue()).getSplatValue<APFloat>();
  // Other factors could make sums of finite terms infinite, or lose bits that
  // the original keeps.
  double factor = value.convertToDouble();
  if (!(std::abs(factor) > 1e-3 && std::abs(factor) < 1e3))
    return false;
  mul.getResult().replaceAllUsesWith(mul->getOperand(operand));
  OpBuilder builder(dot->getContext());
  builder.setInsertionPointAfter(dot);
  Value splat = splatLike(builder, dot.getLoc(), dot.getResult(), factor);
  auto scaled = builder.create<MulOp>(dot.getLoc(), dot.getType(),
                                      dot.getResult(), splat);
  dot.getResult().replaceUsesWithIf(scaled, [&](OpOperand &use) {
    Operation *user = use.getOwner();
    return user != scaled && !isa<DimOp>(user);
  });
  return true;
}

static void sinkScales(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (auto dot = dyn_cast<DotGeneralOp>(op))
      for (unsigned side : {0u, 1u})
        while (sinkScale(dot, side)) {
        }
}

namespace {

struct SinkScalesPass : impl::SinkScalesPassBase<SinkScalesPass> {
  using SinkScalesPassBase::SinkScalesPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.getBody().hasOneBlock())
      sinkScales(function.getBody().front());
  }
};

} // namespace
} // namespace zenith::fusion
