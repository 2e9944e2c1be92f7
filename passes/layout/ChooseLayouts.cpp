// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns convolutions channels-last, with transposes around them, runs the
// patterns that move these to the ends, undoes dilations of inputs, and folds
// large rectangles row by row.

#include "ir/matchers/ChannelsLast.h"
#include "ir/matchers/ParameterValues.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/GraphPasses.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_CHOOSELAYOUTSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::layout {

static Value moving(PatternRewriter &rewriter, Location loc, Value value,
                    ArrayRef<int64_t> permutation) {
  Value result = transposed(rewriter, loc, value, permutation);
  result.getDefiningOp()->setAttr(sinkableAttrName, rewriter.getUnitAttr());
  return result;
}

static SmallVector<int64_t> order(int64_t first, ArrayRef<int64_t> middle,
                                  int64_t last) {
  SmallVector<int64_t> result{first};
  result.append(middle.begin(), middle.end());
  result.push_back(last);
  return result;
}

/// A window of its own for each channel runs as well along its rows, if these
/// fill a vector, or most of one where the channels of a pixel would run badly:
/// wide windows, or pixels a power of two apart. It follows the convolutions
/// that sum over channels, if any.
static bool followsOthers(ConvolutionOp op) {
  constexpr int64_t longRow = 8, shortRow = 5, wideWindow = 7, aliased = 512;
  ConvDimsAttr dims = op.getDims();
  auto channels = typeOf(op.getInput()).getDimSize(dims.getInputFeature());
  int64_t window =
      typeOf(op.getKernel()).getDimSize(dims.getKernelSpatial().back());
  bool runsBadly = window >= wideWindow || channels % aliased == 0;
  return channels > 1 && int64_t(op.getGroups()) == channels &&
         dims.getOutputSpatial().back() == typeOf(op).getRank() - 1 &&
         typeOf(op).getShape().back() >= (runsBadly ? shortRow : longRow) &&
         op.getStrides().back() <= 2 && op.getInputDilation().back() == 1;
}

static LogicalResult turnChannelsLast(ConvolutionOp op,
                                      PatternRewriter &rewriter) {
  if (isChannelsLast(op))
    return failure();
  ConvDimsAttr dims = op.getDims();
  Location loc = op.getLoc();
  int64_t rank = typeOf(op).getRank();
  Value input = moving(rewriter, loc, op.getInput(),
                       order(dims.getInputBatch(), dims.getInputSpatial(),
                             dims.getInputFeature()));
  SmallVector<int64_t> kernelOrder(dims.getKernelSpatial());
  kernelOrder.append({dims.getKernelInput(), dims.getKernelOutput()});
  Value kernel = transposed(rewriter, loc, op.getKernel(), kernelOrder);
  SmallVector<int64_t> resultOrder = order(
      dims.getOutputBatch(), dims.getOutputSpatial(), dims.getOutputFeature());
  SmallVector<int64_t> shape;
  for (int64_t d : resultOrder)
    shape.push_back(typeOf(op).getDimSize(d));
  Value result = rewriter.create<ConvolutionOp>(
      loc, typeOf(op).clone(shape), input, kernel,
      channelsLastDims(op.getContext(), rank), op.getStridesAttr(),
      op.getLowAttr(), op.getHighAttr(), op.getInputDilationAttr(),
      op.getKernelDilationAttr(), op.getGroupsAttr());
  rewriter.replaceOp(op, moving(rewriter, loc, result, inverseOf(resultOrder)));
  return success();
}

namespace {

struct ChooseLayoutsPass : impl::ChooseLayoutsPassBase<ChooseLayoutsPass> {
  using ChooseLayoutsPassBase::ChooseLayoutsPassBase;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    RewritePatternSet patterns(&getContext());
    bool anyLeads = false;
    getOperation().walk(
        [&](ConvolutionOp op) { anyLeads |= !followsOthers(op); });
    if (anyLeads)
      patterns.add(turnChannelsLast);
    patterns.add(splitDilatedInput);
    patterns.add(splitWindow);
    addSinkPatterns(patterns);
    GreedyRewriteConfig config;
    config.useTopDownTraversal = true;
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns),
                                            config)))
      getOperation().emitWarning()
          << "layouts stopped before all transposes were moved";
    getOperation().walk(
        [](TransposeOp op) { op->removeAttr(sinkableAttrName); });
  }
};

} // namespace
} // namespace zenith::layout
