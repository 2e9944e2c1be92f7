// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs filters of convolutions as matrices [K, N], and lets the convolution
// read them through the inverse movement.

#include "ir/GraphOps.h"
#include "ir/encodings/PackedPanels.h"
#include "ir/encodings/Winograd.h"
#include "ir/matchers/ChannelsLast.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/parameters/PackFewOutputs.h"
#include "passes/parameters/PackMatmuls.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_PACKFILTERSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::parameters {

static bool hasPanels(ConvolutionOp op, int64_t panel) {
  return op.getGroups() == 1 && isChannelsLast(op) && !hasFewOutputs(op) &&
         !matchTransformedFilter(op) && isPackable(op.getKernel(), panel) &&
         isPackedOnce(op.getKernelMutable());
}

static void packFilter(ConvolutionOp op, PanelShape shape) {
  Value kernel = op.getKernel();
  OpBuilder builder(op);
  int64_t n = typeOf(kernel).getShape().back(),
          k = typeOf(kernel).getNumElements() / n;
  Location loc = op.getLoc();
  Value matrix = reshaped(builder, loc, beforeWidening(kernel), {k, n});
  shape = panelShapeFor(op, shape);
  // A group of K values must not reach from one tap to the next.
  if (typeOf(kernel).getDimSize(typeOf(kernel).getRank() - 2) % shape.group)
    shape.group = 1;
  Value unpacked =
      reshaped(builder, loc, repacked(builder, builder, loc, matrix, shape),
               typeOf(kernel).getShape());
  op.getKernelMutable().assign(widenedLike(builder, loc, unpacked, kernel));
}

namespace {

struct PackFiltersPass : impl::PackFiltersPassBase<PackFiltersPass> {
  using PackFiltersPassBase::PackFiltersPassBase;

  void runOnOperation() override {
    FailureOr<PanelShape> shape = panelShapeOf(getOperation(), panel, group);
    if (failed(shape))
      return signalPassFailure();
    SmallVector<ConvolutionOp> convolutions;
    getOperation().walk([&](ConvolutionOp op) {
      if (hasPanels(op, shape->panel))
        convolutions.push_back(op);
    });
    for (ConvolutionOp op : convolutions)
      packFilter(op, *shape);
  }
};

} // namespace
} // namespace zenith::parameters
