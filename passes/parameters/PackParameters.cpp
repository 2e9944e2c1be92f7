// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Brings weights into the form [K, N], packs them, and lets the contraction
// read them through the inverse movement.

#include "ir/encodings/Int8Depthwise.h"
#include "ir/encodings/PackedPanels.h"
#include "ir/encodings/Winograd.h"
#include "ir/matchers/ChannelsLast.h"
#include "ir/matchers/IntegerRange.h"
#include "ir/matchers/ParameterValues.h"
#include "ir/target/TargetModel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/parameters/PackedMatmuls.h"
#include "passes/quantize/Int16Matmul.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_PACKPARAMETERSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::layout {

static void packConvolution(ConvolutionOp op, PanelShape shape) {
  if (matchTransformedFilter(op))
    return;
  auto packable = [&] {
    return isPackable(op.getKernel(), shape.panel) &&
           isParameter(op.getKernel());
  };
  if (packable() && packFewOutputs(op))
    return;
  if (packable())
    packGroups(op, shape.panel);
  Value kernel = op.getKernel();
  if (op.getGroups() != 1 || !isChannelsLast(op) || !packable())
    return;
  OpBuilder builder(op);
  int64_t n = typeOf(kernel).getShape().back(),
          k = typeOf(kernel).getNumElements() / n;
  Location loc = op.getLoc();
  Value matrix = reshaped(builder, loc, beforeWidening(kernel), {k, n});
  shape = panelShapeFor(op, shape);
  // A group must not reach from one tap to the next.
  if (typeOf(kernel).getDimSize(typeOf(kernel).getRank() - 2) % shape.group)
    shape.group = 1;
  Value unpacked =
      reshaped(builder, loc, repacked(builder, builder, loc, matrix, shape),
               typeOf(kernel).getShape());
  op.getKernelMutable().assign(widenedLike(builder, loc, unpacked, kernel));
}

/// Lets a window of bytes read its weights as bytes too.
static void narrowWindow(ConvolutionOp op) {
  SmallVector<Operation *> moves;
  Value weights = op.getKernel();
  while (isa_and_nonnull<TransposeOp, ReshapeOp>(weights.getDefiningOp())) {
    moves.push_back(weights.getDefiningOp());
    weights = moves.back()->getOperand(0);
  }
  auto convert = weights.getDefiningOp<ConvertOp>();
  auto range = convert ? rangeOf(convert.getOperand()) : std::nullopt;
  if (op.getGroups() == 1 || !range || !range->fits(8) || !isParameter(weights))
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto as = [&](Value value, Type element) -> Value {
    return builder.create<ConvertOp>(
        loc, RankedTensorType::get(typeOf(value).getShape(), element), value);
  };
  Value narrow = convert.getOperand();
  if (!typeOf(narrow).getElementType().isSignlessInteger(8))
    narrow = as(narrow, builder.getI8Type());
  for (Operation *move : llvm::reverse(moves)) {
    Operation *again = builder.clone(*move);
    again->setOperand(0, narrow);
    again->getResult(0).setType(
        typeOf(move->getResult(0)).clone(builder.getI8Type()));
    narrow = again->getResult(0);
  }
  Value wide = op.getKernel();
  op.getKernelMutable().assign(as(narrow, typeOf(wide).getElementType()));
  if (!matchInt8Depthwise(op))
    op.getKernelMutable().assign(wide);
}

namespace {

struct PackParametersPass : impl::PackParametersPassBase<PackParametersPass> {
  using PackParametersPassBase::PackParametersPassBase;

  void runOnOperation() override {
    target::TargetModel model = target::modelOf(getOperation());
    PanelShape shape{panel ? panel.getValue() : int64_t(model.nr),
                     group ? group.getValue() : int64_t(model.kInterleave)};
    if (shape.panel < 1) {
      getOperation().emitError()
          << "panel: got " << shape.panel << ", expected at least 1";
      return signalPassFailure();
    }
    if (!llvm::is_contained({1, 2, 4}, shape.group)) {
      getOperation().emitError()
          << "group: got " << shape.group << ", expected 1, 2 or 4";
      return signalPassFailure();
    }
    auto contractions = [&] {
      SmallVector<Operation *> all;
      getOperation().walk([&](Operation *op) {
        if (familyOf(op) == Family::Contraction)
          all.push_back(op);
      });
      return all;
    };
    for (Operation *op : contractions())
      if (shape.group != 4 || !byteProduct(op))
        narrowProduct(op);
    if (shape.group == 4)
      getOperation().walk(narrowWindow);
    for (Operation *op : contractions())
      if (auto dot = dyn_cast<DotGeneralOp>(op)) {
        OpBuilder builder(dot);
        // What is known before any argument is is multiplied once.
        if (isParameter(dot.getRhs()) && !isFixed(dot.getLhs()) &&
            !sumAlongRows(dot) && !packBatchedProduct(dot, shape.panel))
          packProduct(dot, shape, builder);
      } else if (auto convolution = dyn_cast<ConvolutionOp>(op))
        packConvolution(convolution, shape);
    SmallVector<GatherOp> gathers;
    getOperation().walk([&](GatherOp op) { gathers.push_back(op); });
    for (GatherOp op : gathers)
      packTable(op, shape.panel);
  }
};

} // namespace
} // namespace zenith::layout
