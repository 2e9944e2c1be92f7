// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters of a few outputs lie output by output in memory, so that vectors run
// along K.

#include "passes/parameters/PackFewOutputs.h"

#include "ir/encodings/PackedPanels.h"
#include "ir/matchers/ChannelsLast.h"
#include "ir/matchers/Permutations.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/parameters/PackMatmuls.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_PACKFEWOUTPUTSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::parameters {

bool hasFewOutputs(ConvolutionOp op) {
  constexpr int64_t mostOutputs = 4, fewestInputs = 16, shortestSum = 64,
                    fewestRows = 4;
  RankedTensorType type = typeOf(op.getKernel()), result = typeOf(op);
  int64_t outputs = type.getShape().back(),
          inputs = type.getDimSize(type.getRank() - 2);
  bool fewRows =
      result.hasStaticShape() && result.getNumElements() < fewestRows * outputs;
  return op.getGroups() == 1 && isChannelsLast(op) && outputs >= 1 &&
         outputs <= mostOutputs && inputs >= fewestInputs && !fewRows &&
         type.getNumElements() >= shortestSum * outputs &&
         isa<FloatType>(type.getElementType()) &&
         beforeWidening(op.getKernel()) == op.getKernel();
}

static void packFewOutputs(ConvolutionOp op) {
  int64_t rank = typeOf(op.getKernel()).getRank();
  SmallVector<int64_t> order{rank - 1};
  for (int64_t d = 0; d + 1 < rank; ++d)
    order.push_back(d);
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value kernel = transposed(builder, loc, op.getKernel(), order);
  op.getKernelMutable().assign(
      transposed(builder, loc, kernel, inverseOf(order)));
}

TransposeOp matchFewOutputPacking(ConvolutionOp op) {
  auto transpose = op.getKernel().getDefiningOp<TransposeOp>();
  if (!transpose || !hasFewOutputs(op))
    return {};
  ArrayRef<int64_t> permutation = transpose.getPermutation();
  for (auto [to, from] : llvm::enumerate(permutation.drop_back()))
    if (from != int64_t(to) + 1)
      return {};
  return transpose;
}

namespace {

struct PackFewOutputsPass : impl::PackFewOutputsPassBase<PackFewOutputsPass> {
  using PackFewOutputsPassBase::PackFewOutputsPassBase;

  void runOnOperation() override {
    FailureOr<PanelShape> shape = panelShapeOf(getOperation(), panel);
    if (failed(shape))
      return signalPassFailure();
    getOperation().walk([&](ConvolutionOp op) {
      if (isPackableFilter(op, shape->panel) && hasFewOutputs(op))
        packFewOutputs(op);
    });
  }
};

} // namespace
} // namespace zenith::parameters
