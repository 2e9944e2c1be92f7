// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Zero padding of an input feature map becomes padding of the convolution that
// reads it: kernels skip it, while a padded copy goes through memory.

#include "passes/simplify/SimplifyPadding.h"
#include "ir/GraphOps.h"
#include "ir/matchers/SplatConstant.h"
#include "mlir/IR/PatternMatch.h"
using namespace mlir;
using namespace zenith::graph;

namespace zenith::simplify {

/// True where static amounts of zeros pad spatial dimensions only.
static bool padsPlainly(PadOp pad, ConvDimsAttr dims) {
  auto isPadding = [](int64_t size) {
    return !ShapedType::isDynamic(size) && size >= 0;
  };
  auto isZero = [](int64_t size) { return size == 0; };
  auto untouched = [&](int64_t dim) {
    return isZero(pad.getStaticLow()[dim]) && isZero(pad.getStaticHigh()[dim]);
  };
  return splatValue(pad.getValue()) == 0.0 &&
         llvm::all_of(pad.getInterior(), isZero) &&
         llvm::all_of(pad.getStaticLow(), isPadding) &&
         llvm::all_of(pad.getStaticHigh(), isPadding) &&
         untouched(dims.getInputBatch()) && untouched(dims.getInputFeature());
}

static LogicalResult padWithinConvolution(ConvolutionOp op,
                                          PatternRewriter &rewriter) {
  auto pad = op.getInput().getDefiningOp<PadOp>();
  auto isDilated = [](int64_t dilation) { return dilation != 1; };
  if (!pad || llvm::any_of(op.getInputDilation(), isDilated) ||
      !padsPlainly(pad, op.getDims()))
    return failure();
  SmallVector<int64_t> low(op.getLow()), high(op.getHigh());
  for (auto [i, dim] : llvm::enumerate(op.getDims().getInputSpatial())) {
    low[i] += pad.getStaticLow()[dim];
    high[i] += pad.getStaticHigh()[dim];
  }
  rewriter.modifyOpInPlace(op, [&] {
    op.getInputMutable().assign(pad.getOperand());
    op.setLow(low);
    op.setHigh(high);
  });
  return success();
}

void addPaddingPatterns(RewritePatternSet &patterns) {
  patterns.add(padWithinConvolution);
}

} // namespace zenith::simplify
