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

/// One panel is a matrix like any other.
static bool isOnePanel(const PlacedOperand &matrix, unsigned panel) {
  if (matrix.panel)
    return false;
  StridedDim rows = matrix.dims[0], columns = matrix.dims[1];
  coalesce(rows);
  coalesce(columns);
  return rows.size() == 1 && columns.size() == 1 &&
         rows[0].stride.isConstant(panel) && columns[0].stride.isConstant(1) &&
         columns[0].size.provablyAtMost(DimExpr(int64_t(panel)));
}

bool TransformedAxes::placeWindow(Value matrix) {
  ContractionSpace &space = what.space;
  PlacedOperand placed = placeOperand(space, matrix, dims);
  unsigned panel = tileColumns(space.sum, target);
  bool inPanels = placed.panel == panel && placed.group == 1;
  if (placed.source.scratch || !placed.source.element.isF32() ||
      (!inPanels && !isOnePanel(placed, panel)))
    return false;
  space.b = placed.source;
  space.panel = panel;
  space.form = ContractionSpace::Panels;
  DimExpr features = dims.dimOf(op.getKernel(), 2);
  space.depth = {features, DimExpr(1), DimExpr(int64_t(panel))};
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
  int64_t mostTiles = tilesOfBlock + 4;
  auto perLine = tilesPerLine.constant();
  if (!perLine || *perLine == 0) {
    DimExpr most = tilesOfBlock;
    unitsPerLine = DimExpr::ceilDiv(tilesPerLine, most);
    tilesOfUnit = DimExpr::min(tilesPerLine, most);
    unitsOfBlock = DimExpr::max(1, DimExpr::floorDiv(most, tilesOfUnit));
    mostTilesOfUnit = mostTilesOfBlock = tilesOfBlock;
    return;
  }
  int64_t pieces = wholeLines ? 1 : (*perLine + mostTiles - 1) / mostTiles,
          ofUnit = (*perLine + pieces - 1) / pieces, units = 1;
  tilesOfUnit = ofUnit;
  unitsPerLine = DimExpr::ceilDiv(tilesPerLine, tilesOfUnit);
  if (pieces == 1 && ofUnit <= tilesOfBlock) {
    units = tilesOfBlock / ofUnit;
    // Blocks alike.
    if (auto all = this->units().constant(); all && *all > 0) {
      int64_t blocks = (*all + units - 1) / units;
      units = (*all + blocks - 1) / blocks;
    }
  }
  unitsOfBlock = units;
  mostTilesOfUnit = ofUnit;
  mostTilesOfBlock = units * ofUnit;
}

/// Large images leave the caches on their way through memory, and have blocks
/// enough for all columns to be one task's; the values of a block must stay in
/// the second-level cache. Windows that a large one doesn't hold are read again
/// for each block: fewer ones then.
void TransformedAxes::chooseEvaluation() {
  constexpr double fewestBlocks = 12, blockBytes = 320 * 1024;
  constexpr int64_t largeBlock = 56;
  // Processors with 512-bit vectors have second-level caches of 1 MB or more,
  // third-level ones that are slow beside them (Emerald Rapids: 30 and 137
  // GB/s).
  double cachedBytes = target.avx512 ? 1 << 19 : 3 << 20;
  what.cutLines(/*wholeLines=*/false);
  auto perLine = what.tilesPerLine.constant();
  double ofTile = 4.0 * double(what.points()) * estimate(what.features());
  double ofBlock = ofTile * double(what.mostTilesOfBlock);
  what.inTasks = perLine && ofBlock <= blockBytes &&
                 ofTile * double(*perLine) <= 2 * blockBytes &&
                 estimate(what.blocks()) >= fewestBlocks &&
                 estimate(what.tiles()) * ofTile > cachedBytes;
  what.values = what.space.preparations.size();
  if (target.avx512 && !what.inTasks) {
    what.tilesOfBlock = largeBlock;
    what.cutLines(/*wholeLines=*/false);
  }
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
