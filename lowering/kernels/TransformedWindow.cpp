// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes a convolution with transformed windows: where image, windows and
// results lie, and how tiles of the image are parted.

#include "lowering/kernels/TransformedWindow.h"
#include "lowering/kernels/MicroKernel.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {

struct TransformedAxes {
  graph::ConvolutionOp op;
  graph::DimAnalysis &dims;
  const KernelTarget &target;
  TransformedConvolution &what;

  bool placeWindow(Value matrix);
  void addRows();
  bool readsImage();
  void copyImage();
  void chooseEvaluation();
};

} // namespace

bool TransformedAxes::placeWindow(Value matrix) {
  ContractionSpace &space = what.space;
  PlacedOperand placed = placeOperand(space, matrix, dims);
  if (placed.source.scratch || placed.group != 1 ||
      placed.panel != tileColumns(space.sum, target) ||
      !placed.source.element.isF32())
    return false;
  space.b = placed.source;
  space.panel = placed.panel;
  space.form = ContractionSpace::Panels;
  DimExpr features = dims.dimOf(op.getKernel(), 2);
  space.depth = {features, DimExpr(1), DimExpr(int64_t(placed.panel))};
  space.columns = {dims.dimOf(op.getKernel(), 3), DimExpr(0), DimExpr(1)};
  return true;
}

void TransformedAxes::addRows() {
  ContractionSpace &space = what.space;
  graph::ConvDimsAttr numbers = op.getDims();
  auto rowOf = [&](int64_t dim) {
    space.rowDims.push_back(unsigned(dim));
    return Axis{dims.dimOf(op.getResult(), unsigned(dim)), DimExpr(0),
                DimExpr(0)};
  };
  space.lines.push_back(rowOf(numbers.getOutputBatch()));
  space.lines.push_back(rowOf(numbers.getOutputSpatial()[0]));
  space.tile = rowOf(numbers.getOutputSpatial()[1]);
  space.columnDims.push_back(unsigned(numbers.getOutputFeature()));
  DimExpr tile = what.transform.tile;
  what.tileLines = DimExpr::ceilDiv(space.lines[1].size, tile);
  what.tilesPerLine = DimExpr::ceilDiv(space.tile.size, tile);
}

/// Where the image's channels are runs of memory, it is read as it lies.
bool TransformedAxes::readsImage() {
  graph::ConvDimsAttr numbers = op.getDims();
  PlacedOperand placed =
      placeLeft(what.space, what.space.columns.size, dims, target);
  SmallVector<int64_t> order{numbers.getInputBatch()};
  llvm::append_range(order, numbers.getInputSpatial());
  order.push_back(numbers.getInputFeature());
  SmallVector<DimExpr> strides;
  for (int64_t dim : order) {
    StridedDim digits = placed.dims[dim];
    coalesce(digits);
    if (digits.size() != 1)
      return false;
    strides.push_back(digits[0].stride);
  }
  if (!strides.back().isConstant(1) || !placed.source.element.isF32())
    return false;
  what.image = placed.source;
  std::copy_n(strides.begin(), 3, what.strides);
  for (unsigned i = 0; i < 2; ++i) {
    what.extents[i] =
        dims.dimOf(op.getInput(), unsigned(numbers.getInputSpatial()[i]));
    what.low[i] = op.getLow()[i];
  }
  return true;
}

/// A copy with its channels last that holds all pixels of all tiles.
void TransformedAxes::copyImage() {
  graph::ConvDimsAttr numbers = op.getDims();
  DimExpr tile = what.transform.tile,
          beyond = what.transform.size - what.transform.tile;
  what.extents[0] = what.tileLines * tile + beyond;
  what.extents[1] = what.tilesPerLine * tile + beyond;
  SmallVector<PaddedDim> copied{
      PaddedDim{unsigned(numbers.getInputBatch()), what.batch()}};
  for (unsigned i = 0; i < 2; ++i)
    copied.push_back({unsigned(numbers.getInputSpatial()[i]), what.extents[i],
                      op.getLow()[i]});
  copied.push_back({unsigned(numbers.getInputFeature()), what.features()});
  PlacedOperand copy = padded(what.space, op.getInput(), std::move(copied));
  for (unsigned i = 0; i < 3; ++i)
    what.strides[i] = copy.dims[i][0].stride;
  what.image = copy.source;
}

void TransformedConvolution::cutLines(bool wholeLines) {
  constexpr int64_t manyTiles = 24, mostTiles = 28;
  auto perLine = tilesPerLine.constant();
  unitsOfBlock = 1;
  if (!perLine || *perLine == 0) {
    tilesOfUnit = manyTiles;
    unitsPerLine = DimExpr::ceilDiv(tilesPerLine, DimExpr(manyTiles));
    return;
  }
  int64_t pieces = wholeLines ? 1 : (*perLine + mostTiles - 1) / mostTiles;
  tilesOfUnit = (*perLine + pieces - 1) / pieces;
  unitsPerLine = DimExpr::ceilDiv(tilesPerLine, DimExpr(tilesOfUnit));
  if (pieces > 1 || tilesOfUnit > manyTiles)
    return;
  unitsOfBlock = manyTiles / tilesOfUnit;
  // Blocks alike.
  if (auto all = units().constant(); all && *all > 0) {
    int64_t blocks = (*all + unitsOfBlock - 1) / unitsOfBlock;
    unitsOfBlock = (*all + blocks - 1) / blocks;
  }
}

/// Large images leave the caches on their way through memory, and have blocks
/// enough for all columns to be one task's; the values of a block must stay in
/// the second-level cache.
void TransformedAxes::chooseEvaluation() {
  constexpr double cachedBytes = 3 << 20, fewestBlocks = 12,
                   blockBytes = 320 * 1024;
  what.cutLines(/*wholeLines=*/false);
  auto perLine = what.tilesPerLine.constant();
  double ofTile = 4.0 * double(what.points()) * estimate(what.features());
  double ofBlock = ofTile * double(what.tilesOfUnit * what.unitsOfBlock);
  double blocks = estimate(what.units()) / double(what.unitsOfBlock);
  what.inTasks = perLine && ofBlock <= blockBytes &&
                 ofTile * double(*perLine) <= 2 * blockBytes &&
                 blocks >= fewestBlocks &&
                 estimate(what.tiles()) * ofTile > cachedBytes;
  what.values = what.space.preparations.size();
}

std::optional<TransformedConvolution>
transformedConvolution(graph::FusionOp fusion, graph::DimAnalysis &dims,
                       const KernelTarget &target) {
  auto op = dyn_cast_or_null<graph::ConvolutionOp>(contractionAnchor(fusion));
  auto window = op ? graph::matchTransformedWindow(op) : std::nullopt;
  if (!window || target.opencl)
    return std::nullopt;
  TransformedConvolution what{graph::WindowTransform(window->tile)};
  what.space.op = op;
  what.space.sum = sumType(getElementTypeOrSelf(op.getInput().getType()),
                           getElementTypeOrSelf(op.getType()));
  TransformedAxes axes{op, dims, target, what};
  if (!axes.placeWindow(window->matrix) || !what.space.sum.isF32())
    return std::nullopt;
  axes.addRows();
  if (!axes.readsImage())
    axes.copyImage();
  axes.chooseEvaluation();
  return what;
}

SmallVector<DimExpr>
transformedScratchBytes(const TransformedConvolution &what) {
  SmallVector<DimExpr> bytes;
  for (const Preparation &preparation : what.space.preparations)
    bytes.push_back(preparation.bytes);
  if (!what.inTasks)
    bytes.push_back(what.planeStride(what.tiles()) *
                    DimExpr(what.points() * int64_t(sizeof(float))));
  return bytes;
}

} // namespace zenith::kernels
