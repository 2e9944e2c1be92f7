// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Depthwise convolutions whose filters are widened bytes read them as bytes.

#include "ir/GraphOps.h"
#include "ir/encodings/DepthwiseDots.h"
#include "ir/matchers/IntegerRange.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_NARROWDEPTHWISEFILTERSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::quantize {

/// Lets a convolution of bytes read its filter as bytes too, where that makes
/// it an int8 depthwise convolution.
static void narrowFilter(ConvolutionOp op) {
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
  Value narrow = converted(builder, convert.getOperand(), builder.getI8Type());
  for (Operation *move : llvm::reverse(moves)) {
    Operation *again = builder.clone(*move);
    again->setOperand(0, narrow);
    again->getResult(0).setType(
        typeOf(move->getResult(0)).clone(builder.getI8Type()));
    narrow = again->getResult(0);
  }
  Value wide = op.getKernel();
  op.getKernelMutable().assign(
      converted(builder, narrow, typeOf(wide).getElementType()));
  if (!matchInt8Depthwise(op))
    op.getKernelMutable().assign(wide);
}

namespace {

struct NarrowDepthwiseFiltersPass
    : impl::NarrowDepthwiseFiltersPassBase<NarrowDepthwiseFiltersPass> {
  using NarrowDepthwiseFiltersPassBase::NarrowDepthwiseFiltersPassBase;

  void runOnOperation() override { getOperation().walk(narrowFilter); }
};

} // namespace
} // namespace zenith::quantize
