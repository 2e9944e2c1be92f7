// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes convolutions channels-last, with transposes around them.

#include "ir/GraphOps.h"
#include "ir/matchers/ChannelsLast.h"
#include "ir/matchers/Permutations.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "ir/target/TargetModel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/GraphPasses.h"
#include "passes/layout/SinkableTransposes.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_CHOOSELAYOUTSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::layout {

/// A transpose that zenith-sink-transposes may move.
static Value sinkable(RewriterBase &rewriter, Location loc, Value value,
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

/// A depthwise convolution runs as fast in NCHW if its rows fill a vector, or
/// most of a vector where NHWC runs badly: with wide filters, or where
/// neighbouring positions lie a power of two apart and alias in the cache. Its
/// layout follows the other convolutions of the function, if there are any.
static bool followsOthers(ConvolutionOp op) {
  constexpr int64_t shortRow = 5, wideFilter = 7;
  const target::TargetModel target = target::modelOf(op);
  // Half a line of f32; positions so many channels apart meet in few sets.
  const int64_t longRow = target.elementsOfLine(sizeof(float)) / 2,
                aliased = target.l1WayBytes() / int64_t(2 * sizeof(float));
  ConvDimsAttr dims = op.getDims();
  auto channels = typeOf(op.getInput()).getDimSize(dims.getInputFeature());
  int64_t width =
      typeOf(op.getKernel()).getDimSize(dims.getKernelSpatial().back());
  bool runsBadly = width >= wideFilter || channels % aliased == 0;
  // Rows of unknown size are taken to be long: signals and feature maps of
  // models that leave them open mostly are.
  int64_t row = typeOf(op).getShape().back();
  return channels > 1 && int64_t(op.getGroups()) == channels &&
         dims.getOutputSpatial().back() == typeOf(op).getRank() - 1 &&
         (ShapedType::isDynamic(row) ||
          row >= (runsBadly ? shortRow : longRow)) &&
         op.getStrides().back() <= 2 && op.getInputDilation().back() == 1;
}

/// The same convolution of channels-last feature maps, between transposes.
static void makeChannelsLast(ConvolutionOp op, RewriterBase &rewriter) {
  rewriter.setInsertionPoint(op);
  ConvDimsAttr dims = op.getDims();
  Location loc = op.getLoc();
  int64_t rank = typeOf(op).getRank();
  Value input = sinkable(rewriter, loc, op.getInput(),
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
  rewriter.replaceOp(op,
                     sinkable(rewriter, loc, result, inverseOf(resultOrder)));
}

namespace {

struct ChooseLayoutsPass : impl::ChooseLayoutsPassBase<ChooseLayoutsPass> {
  using ChooseLayoutsPassBase::ChooseLayoutsPassBase;

  void runOnOperation() override {
    SmallVector<ConvolutionOp> convolutions;
    getOperation().walk([&](ConvolutionOp op) { convolutions.push_back(op); });
    if (llvm::all_of(convolutions, followsOthers))
      return;
    IRRewriter rewriter(&getContext());
    for (ConvolutionOp op : convolutions)
      if (!isChannelsLast(op))
        makeChannelsLast(op, rewriter);
  }
};

} // namespace
} // namespace zenith::layout
