// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores Winograd-transformed filters beside 3-tap and 3x3 filters, where
// computing with them is estimated to be faster.

#include "ir/DimAnalysis.h"
#include "ir/GraphOps.h"
#include "ir/encodings/PackedPanels.h"
#include "ir/encodings/Winograd.h"
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

/// Narrow weights stay narrow where inputs are not: there they are to take
/// little memory, here products are to take little time.
static bool takesTransform(ConvolutionOp op) {
  auto isWidened = [](Value value) {
    Value narrow = beforeWidening(value);
    return narrow != value && isa<FloatType>(typeOf(narrow).getElementType());
  };
  Value kernel = op.getKernel();
  return typeOf(op).getElementType().isF32() &&
         typeOf(kernel).getElementType().isF32() &&
         typeOf(op.getInput()).getElementType().isF32() &&
         (beforeWidening(kernel) == kernel ||
          (isWidened(kernel) && isWidened(op.getInput())));
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
    if (lanes)
      target.lanes = unsigned(lanes);
    DimAnalysis dims;
    SmallVector<std::pair<ConvolutionOp, int64_t>> chosen;
    getOperation().walk([&](ConvolutionOp op) {
      if (int64_t tile =
              takesTransform(op) ? cost::fastestTile(op, target, dims) : 1;
          tile != 1)
        chosen.push_back({op, tile});
    });
    for (auto [op, tile] : chosen)
      transformFilter(op, panel ? panel.getValue() : int64_t(target.nr), tile);
  }
};

} // namespace
} // namespace zenith::parameters
