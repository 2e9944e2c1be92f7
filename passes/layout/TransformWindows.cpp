// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts transformed windows beside those of 3x3 convolutions, where computing
// with them is estimated to be faster.

#include "ir/DimAnalysis.h"
#include "ir/PackedPanels.h"
#include "ir/WindowTransform.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/layout/PackedProducts.h"
#include "passes/layout/ParameterValues.h"
#include <cmath>

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_TRANSFORMWINDOWSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::layout {

/// A 3x3 window of a parameter over channels-last images, one pixel after the
/// other; outputs enough to be worth the evaluation of their image.
static bool isSuitable(ConvolutionOp op, int64_t lanes) {
  RankedTensorType kernel = typeOf(op.getKernel()), result = typeOf(op);
  auto ones = [](ArrayRef<int64_t> values) {
    return llvm::all_of(values, [](int64_t value) { return value == 1; });
  };
  auto small = [](ArrayRef<int64_t> values) {
    return llvm::all_of(values,
                        [](int64_t value) { return value >= 0 && value <= 2; });
  };
  constexpr int64_t halfCacheLine = 8, wide = 16;
  // Measured with 256 bits: 16 outputs gain nothing; with 512 bits they take
  // 0.85 of the time, 24 outputs 0.55.
  int64_t fewestOutputs = lanes >= wide ? lanes : 2 * lanes + 1;
  return result.getRank() == 4 && isChannelsLast(op) && op.getGroups() == 1 &&
         result.getElementType().isF32() && kernel.getElementType().isF32() &&
         typeOf(op.getInput()).getElementType().isF32() &&
         beforeWidening(op.getKernel()) == op.getKernel() &&
         kernel.hasStaticShape() && kernel.getDimSize(0) == 3 &&
         kernel.getDimSize(1) == 3 &&
         kernel.getDimSize(2) % halfCacheLine == 0 &&
         kernel.getDimSize(3) >= fewestOutputs && ones(op.getStrides()) &&
         ones(op.getInputDilation()) && ones(op.getKernelDilation()) &&
         small(op.getLow()) && small(op.getHigh()) &&
         isParameter(op.getKernel());
}

/// Estimated cycles of a core. Each weight comes from memory once, meanwhile
/// others are multiplied; transforms are a few instructions for each number.
static double cyclesOf(ConvolutionOp op, int64_t tile, int64_t lanes,
                       DimAnalysis &dims) {
  constexpr double rowsOfTile = 6;
  double multiplyAdds = 1.75 * double(lanes), transform = 6.4 / double(lanes);
  // Measured: 16 GB/s at 2.8 GHz where vectors have 512 bits.
  double bytesPerCycle = lanes >= 16 ? 5.5 : 4;
  // What only the run will tell is guessed: the program's images are as large
  // as those that most networks are trained on, those of later layers smaller.
  auto extent = [&](unsigned dim, int64_t guess) {
    auto guessed = [&](const std::string &) { return std::optional(guess); };
    auto value = dims.dimOf(op.getResult(), dim).evaluate(guessed);
    return double(std::max<int64_t>(1, value.value_or(guess)));
  };
  auto tilesAlong = [&](unsigned dim) {
    constexpr int64_t anyExtent = 224;
    return std::ceil(extent(dim, anyExtent) / double(tile));
  };
  ArrayRef<int64_t> kernel = typeOf(op.getKernel()).getShape();
  double images = extent(0, 1), inputs = double(kernel[2]),
         outputs = double(kernel[3]);
  double tiles = images * tilesAlong(1) * tilesAlong(2);
  // Tiles of fewer rows take almost as long.
  double rows = std::max(tiles, rowsOfTile);
  double taps = tile == 1 ? 9 : double((tile + 2) * (tile + 2));
  double products = taps * rows * inputs * outputs / multiplyAdds;
  double weights = 4 * taps * inputs * outputs / bytesPerCycle;
  double around = tile == 1 ? 0 : transform * taps * tiles * (inputs + outputs);
  return std::max(products, weights) + around;
}

static int64_t bestTile(ConvolutionOp op, int64_t lanes, DimAnalysis &dims) {
  constexpr double clearly = 0.85;
  int64_t best = 1;
  for (int64_t tile : {2, 4})
    if (cyclesOf(op, tile, lanes, dims) <
        clearly * cyclesOf(op, best, lanes, dims))
      best = tile;
  return best;
}

/// [size * size * inputs, outputs]: the window's values at all pairs of points.
static Value transformed(OpBuilder &builder, Location loc, Value kernel,
                         const WindowTransform &transform) {
  std::vector<std::vector<double>> rows = transform.window();
  SmallVector<float> factors;
  for (const auto &down : rows)
    for (const auto &across : rows)
      for (double y : down)
        for (double x : across)
          factors.push_back(float(y * x));
  int64_t points = transform.size * transform.size,
          inputs = typeOf(kernel).getDimSize(2),
          outputs = typeOf(kernel).getDimSize(3);
  Type element = builder.getF32Type();
  Value matrix = builder.create<ConstantOp>(
      loc, cast<ElementsAttr>(DenseElementsAttr::get(
               RankedTensorType::get({points, 9}, element),
               ArrayRef<float>(factors))));
  Value flat = reshaped(builder, loc, kernel, {9, inputs * outputs});
  auto dims = DotDimsAttr::get(builder.getContext(), {}, {}, {1}, {0});
  Value values = builder.create<DotGeneralOp>(
      loc, RankedTensorType::get({points, inputs * outputs}, element), matrix,
      flat, dims);
  return reshaped(builder, loc, values, {points * inputs, outputs});
}

static void transformWindow(ConvolutionOp op, int64_t panel, int64_t tile) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value kernel = op.getKernel();
  RankedTensorType type = typeOf(kernel);
  int64_t inputs = type.getDimSize(2), outputs = type.getDimSize(3);
  Value values = transformed(builder, loc, kernel, WindowTransform(tile));
  int64_t before = typeOf(values).getDimSize(0), rows = before + 9 * inputs;
  auto matrixType =
      RankedTensorType::get({rows, outputs}, type.getElementType());
  Value plain = reshaped(builder, loc, kernel, {9 * inputs, outputs});
  Value both = builder.create<ConcatOp>(loc, matrixType, /*dim=*/0,
                                        ValueRange{values, plain});
  Value matrix = repacked(builder, builder, loc, both, {panel});
  Value window = builder.create<SliceOp>(
      loc, RankedTensorType::get({9 * inputs, outputs}, type.getElementType()),
      matrix, ValueRange(), ValueRange(), ArrayRef<int64_t>{before, 0},
      ArrayRef<int64_t>{9 * inputs, outputs}, ArrayRef<int64_t>{1, 1});
  op.getKernelMutable().assign(reshaped(builder, loc, window, type.getShape()));
  op->setAttr(windowTileAttrName, builder.getI64IntegerAttr(tile));
}

namespace {

struct TransformWindowsPass
    : impl::TransformWindowsPassBase<TransformWindowsPass> {
  using TransformWindowsPassBase::TransformWindowsPassBase;

  void runOnOperation() override {
    auto isPositive = [&](const Option<int64_t> &option) {
      if (option < 1)
        getOperation().emitError()
            << option.getArgStr() << ": got " << option.getValue()
            << ", expected at least 1";
      return option >= 1;
    };
    if (!isPositive(panel) || !isPositive(lanes))
      return signalPassFailure();
    DimAnalysis dims;
    SmallVector<std::pair<ConvolutionOp, int64_t>> chosen;
    getOperation().walk([&](ConvolutionOp op) {
      if (int64_t tile = isSuitable(op, lanes) ? bestTile(op, lanes, dims) : 1;
          tile != 1)
        chosen.push_back({op, tile});
    });
    for (auto [op, tile] : chosen)
      transformWindow(op, panel, tile);
  }
};

} // namespace
} // namespace zenith::layout
