// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores Winograd-transformed filters beside 3-tap and 3x3 filters, where
// computing with them is estimated to be faster.

#include "ir/DimAnalysis.h"
#include "ir/GraphOps.h"
#include "ir/encodings/PackedPanels.h"
#include "ir/encodings/Winograd.h"
#include "ir/matchers/ChannelsLast.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/SplatConstant.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "ir/target/TargetModel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/cost/WinogradCycles.h"
#include "passes/parameters/PackMatmuls.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_TRANSFORMWINOGRADFILTERSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::parameters {

/// A parameter filter of a channels-last convolution that has a Winograd
/// transform, with enough outputs to be worth the input transform.
static bool isSuitable(ConvolutionOp op, const target::TargetModel &target) {
  RankedTensorType kernel = typeOf(op.getKernel()), result = typeOf(op);
  auto ones = [](ArrayRef<int64_t> values) {
    return llvm::all_of(values, [](int64_t value) { return value == 1; });
  };
  auto isPadding = [&](ArrayRef<int64_t> padding) {
    return llvm::all_of_zip(
        padding, op.getKernelDilation(), kernel.getShape().drop_back(2),
        [](int64_t value, int64_t dilation, int64_t taps) {
          return value >= 0 && value <= (taps - 1) * dilation;
        });
  };
  // With dilation, a tile holds positions of one phase; the rows of a task hold
  // those of all phases.
  constexpr int64_t mostPhases = 64;
  auto isNear = [](int64_t dilation) { return dilation <= mostPhases; };
  constexpr int64_t wide = 16;
  int64_t lanes = target.lanes,
          halfCacheLine = target.elementsOfLine(sizeof(float)) / 2;
  // With narrow vectors two of them gain nothing; with wide ones a single
  // vector of outputs already does.
  int64_t fewestOutputs = lanes >= wide ? lanes : 2 * lanes + 1;
  return isChannelsLast(op) && op.getGroups() == 1 && winogradFilter(op, 2) &&
         result.getElementType().isF32() && kernel.getElementType().isF32() &&
         typeOf(op.getInput()).getElementType().isF32() &&
         beforeWidening(op.getKernel()) == op.getKernel() &&
         kernel.getShape().drop_back().back() % halfCacheLine == 0 &&
         kernel.getShape().back() >= fewestOutputs && ones(op.getStrides()) &&
         ones(op.getInputDilation()) && isPadding(op.getLow()) &&
         isPadding(op.getHigh()) &&
         llvm::all_of(op.getKernelDilation(), isNear) &&
         isParameter(op.getKernel());
}

/// Dynamic sizes are guessed: the input of the program is as large as most
/// networks are trained on, feature maps of later layers are smaller.
static SmallVector<DimExpr> likelySizes(ConvolutionOp op, DimAnalysis &dims) {
  constexpr int64_t anyExtent = 224;
  SmallVector<DimExpr> sizes;
  for (unsigned dim = 0; dim <= op.getStrides().size(); ++dim) {
    int64_t guess = dim == 0 ? 1 : anyExtent;
    auto value =
        dims.dimOf(op.getResult(), dim).evaluate([&](const std::string &) {
          return std::optional(guess);
        });
    sizes.push_back(std::max<int64_t>(1, value.value_or(guess)));
  }
  return sizes;
}

static int64_t bestTile(ConvolutionOp op, const target::TargetModel &target,
                        DimAnalysis &dims) {
  SmallVector<DimExpr> sizes = likelySizes(op, dims);
  int64_t best = 1;
  for (int64_t tile : {2, 4})
    if (cost::isFasterWinograd(op, tile, best, target, sizes).isConstant(1))
      best = tile;
  return best;
}

/// [points * planes * inputs, outputs]: the transformed filter.
static Value transformed(OpBuilder &builder, Location loc, Value kernel,
                         const WinogradFilter &filter) {
  SmallVector<float> factors;
  for (const auto &down : filter.down.window())
    for (const auto &across : filter.across.window())
      for (double y : down)
        for (double x : across)
          factors.push_back(float(y * x));
  int64_t outputs = typeOf(kernel).getShape().back(),
          ofPlane = typeOf(kernel).getNumElements() / filter.planes;
  Type element = builder.getF32Type();
  Value matrix = builder.create<ConstantOp>(
      loc, cast<ElementsAttr>(DenseElementsAttr::get(
               RankedTensorType::get({filter.points(), filter.taps()}, element),
               ArrayRef<float>(factors))));
  Value flat =
      reshaped(builder, loc, kernel,
               {filter.planes, filter.taps(), ofPlane / filter.taps()});
  auto dims = DotDimsAttr::get(builder.getContext(), {}, {}, {1}, {1});
  Value values = builder.create<DotGeneralOp>(
      loc,
      RankedTensorType::get(
          {filter.points(), filter.planes, ofPlane / filter.taps()}, element),
      matrix, flat, dims);
  return reshaped(builder, loc, values,
                  {typeOf(values).getNumElements() / outputs, outputs});
}

static void transformFilter(ConvolutionOp op, int64_t panel, int64_t tile) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value kernel = op.getKernel();
  RankedTensorType type = typeOf(kernel);
  Value values = transformed(builder, loc, kernel, *winogradFilter(op, tile));
  int64_t outputs = type.getShape().back(), k = type.getNumElements() / outputs,
          before = typeOf(values).getDimSize(0);
  auto matrixType =
      RankedTensorType::get({before + k, outputs}, type.getElementType());
  Value plain = reshaped(builder, loc, kernel, {k, outputs});
  Value both = builder.create<ConcatOp>(loc, matrixType, /*dim=*/0,
                                        ValueRange{values, plain});
  Value matrix = repacked(builder, builder, loc, both, {panel});
  Value filter = builder.create<SliceOp>(
      loc, RankedTensorType::get({k, outputs}, type.getElementType()), matrix,
      ValueRange(), ValueRange(), ArrayRef<int64_t>{before, 0},
      ArrayRef<int64_t>{k, outputs}, ArrayRef<int64_t>{1, 1});
  op.getKernelMutable().assign(reshaped(builder, loc, filter, type.getShape()));
  op->setAttr(winogradTileAttrName, builder.getI64IntegerAttr(tile));
}

namespace {

struct TransformWinogradFiltersPass
    : impl::TransformWinogradFiltersPassBase<TransformWinogradFiltersPass> {
  using TransformWinogradFiltersPassBase::TransformWinogradFiltersPassBase;

  void runOnOperation() override {
    auto isPositive = [&](const Option<int64_t> &option) {
      if (option < 0)
        getOperation().emitError()
            << option.getArgStr() << ": got " << option.getValue()
            << ", expected at least 1";
      return option >= 0;
    };
    if (!isPositive(panel) || !isPositive(lanes))
      return signalPassFailure();
    target::TargetModel target = target::modelOf(getOperation());
    // Tasks keep tiles of the image in arrays of their own.
    if (!target.stackArrays)
      return;
    if (lanes)
      target.lanes = unsigned(lanes);
    DimAnalysis dims;
    SmallVector<std::pair<ConvolutionOp, int64_t>> chosen;
    getOperation().walk([&](ConvolutionOp op) {
      if (int64_t tile =
              isSuitable(op, target) ? bestTile(op, target, dims) : 1;
          tile != 1)
        chosen.push_back({op, tile});
    });
    for (auto [op, tile] : chosen)
      transformFilter(op, panel ? panel.getValue() : int64_t(target.nr), tile);
  }
};

} // namespace
} // namespace zenith::parameters
