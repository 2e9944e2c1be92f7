// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes a convolution with transformed windows: where image, windows and
// results lie, and how tiles of the image are parted.

#include "lowering/schedule/WinogradSchedule.h"
#include "lowering/microkernels/MicroKernel.h"
#include "passes/cost/WinogradCycles.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {

struct WinogradAxes {
  graph::ConvolutionOp op;
  graph::DimAnalysis &dims;
  const TargetModel &target;
  WinogradConvolution &what;

  unsigned spatial() { return op.getStrides().size(); }
  /// Of planes, lines and pixels, which one a spatial dimension is.
  unsigned placeOf(unsigned i) { return 3 - spatial() + i; }
  bool placeFilter(Value matrix);
  void addRows();
  bool readsImage();
  void copyImage();
  bool layersInTasks();
  DimExpr leavesCaches();
  std::vector<WinogradConvolution> evaluations();
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

bool WinogradAxes::placeFilter(Value matrix) {
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
  graph::ConvDimsAttr numbers = op.getDims();
  auto sizeOf = [&](int64_t dim) {
    return dims.dimOf(op.getKernel(), unsigned(dim));
  };
  space.depth = {sizeOf(numbers.getKernelInput()), DimExpr(1),
                 DimExpr(int64_t(panel))};
  space.columns = {sizeOf(numbers.getKernelOutput()), DimExpr(0), DimExpr(1)};
  return true;
}

void WinogradAxes::addRows() {
  ContractionSpace &space = what.space;
  graph::ConvDimsAttr numbers = op.getDims();
  DimExpr *sizes[] = {&what.planes, &what.lines, &space.tile.size};
  auto rowOf = [&](int64_t dim) {
    space.rowDims.push_back(unsigned(dim));
    return Axis{dims.dimOf(op.getResult(), unsigned(dim)), DimExpr(0),
                DimExpr(0)};
  };
  space.lines.push_back(rowOf(numbers.getOutputBatch()));
  (spatial() == 3 ? what.volumes : what.planes) = space.lines[0].size;
  for (unsigned i = 0; i < spatial(); ++i) {
    space.lines.push_back(rowOf(numbers.getOutputSpatial()[i]));
    *sizes[placeOf(i)] = space.lines.back().size;
    what.dilation[placeOf(i)] = op.getKernelDilation()[i];
  }
  space.tile = space.lines.pop_back_val();
  space.columnDims.push_back(unsigned(numbers.getOutputFeature()));
  auto tilesAlong = [&](unsigned place, int64_t tile) {
    DimExpr phases = what.dilation[place];
    return DimExpr::ceilDiv(*sizes[place], phases * DimExpr(tile)) * phases;
  };
  what.tileLines = tilesAlong(1, what.window.down.tile);
  what.tilesPerLine = tilesAlong(2, what.window.across.tile);
}

/// Where the image's channels are runs of memory, it is read as it lies.
bool WinogradAxes::readsImage() {
  graph::ConvDimsAttr numbers = op.getDims();
  PlacedOperand placed =
      placeLeft(what.space, what.space.columns.size, dims, target);
  auto strideOf = [&](int64_t dim) -> std::optional<DimExpr> {
    StridedDim digits = placed.dims[dim];
    coalesce(digits);
    return digits.size() == 1 ? std::optional(digits[0].stride) : std::nullopt;
  };
  auto features = strideOf(numbers.getInputFeature()),
       batch = strideOf(numbers.getInputBatch());
  if (!features || !features->isConstant(1) || !batch ||
      !placed.source.element.isF32())
    return false;
  what.image = placed.source;
  what.strides[spatial() == 3 ? 0 : 1] = *batch;
  for (unsigned i = 0; i < spatial(); ++i) {
    int64_t dim = numbers.getInputSpatial()[i];
    auto stride = strideOf(dim);
    if (!stride)
      return false;
    what.strides[1 + placeOf(i)] = *stride;
    what.extents[placeOf(i)] = dims.dimOf(op.getInput(), unsigned(dim));
    what.low[placeOf(i)] = op.getLow()[i];
  }
  return true;
}

/// A copy with its channels last that holds all pixels of all tiles.
void WinogradAxes::copyImage() {
  graph::ConvDimsAttr numbers = op.getDims();
  what.extents[0] = what.valuePlanes();
  auto extent = [&](const DimExpr &tiles, unsigned place,
                    const graph::WinogradTransform &along) {
    return tiles * DimExpr(along.tile) +
           DimExpr((along.taps - 1) * what.dilation[place]);
  };
  what.extents[1] = extent(what.tileLines, 1, what.window.down);
  what.extents[2] = extent(what.tilesPerLine, 2, what.window.across);
  SmallVector<PaddedDim> copied{PaddedDim{unsigned(numbers.getInputBatch()),
                                          what.space.lines.front().size}};
  for (unsigned i = 0; i < spatial(); ++i) {
    what.low[placeOf(i)] = 0;
    copied.push_back({unsigned(numbers.getInputSpatial()[i]),
                      what.extents[placeOf(i)], op.getLow()[i]});
  }
  copied.push_back({unsigned(numbers.getInputFeature()), what.features()});
  PlacedOperand copy = padded(what.space, op.getInput(), std::move(copied));
  what.strides[spatial() == 3 ? 0 : 1] = copy.dims[0][0].stride;
  for (unsigned i = 0; i < spatial(); ++i)
    what.strides[1 + placeOf(i)] = copy.dims[1 + i][0].stride;
  what.image = copy.source;
}

/// Tiles of all phases stay together.
void WinogradConvolution::cutLines(bool wholeLines) {
  int64_t phases = dilation[2];
  auto bundles = [&](int64_t tiles) {
    return std::max<int64_t>(1, tiles / phases);
  };
  auto perLine = tilesPerLine.constant();
  if (!perLine || *perLine == 0) {
    mostTilesOfUnit = bundles(tilesOfBlock + 4) * phases;
    mostTilesOfBlock = std::max(mostTilesOfUnit, tilesOfBlock);
    DimExpr pieces = DimExpr::ceilDiv(tilesPerLine, mostTilesOfUnit),
            ofLine = DimExpr::floorDiv(tilesPerLine, phases);
    tilesOfUnit = DimExpr::ceilDiv(ofLine, pieces) * DimExpr(phases);
    unitsPerLine = DimExpr::ceilDiv(tilesPerLine, tilesOfUnit);
    // Blocks alike.
    DimExpr all = unitsOfLayer(),
            most =
                DimExpr::max(1, DimExpr::floorDiv(tilesOfBlock, tilesOfUnit));
    unitsOfBlock =
        DimExpr::max(1, DimExpr::ceilDiv(all, DimExpr::ceilDiv(all, most)));
    return;
  }
  int64_t most = bundles(tilesOfBlock + 4), ofLine = *perLine / phases,
          pieces = wholeLines ? 1 : (ofLine + most - 1) / most,
          ofUnit = (ofLine + pieces - 1) / pieces * phases, units = 1;
  tilesOfUnit = ofUnit;
  unitsPerLine = DimExpr::ceilDiv(tilesPerLine, tilesOfUnit);
  if (pieces == 1 && ofUnit <= tilesOfBlock) {
    units = tilesOfBlock / ofUnit;
    // Blocks alike.
    if (auto all = unitsOfLayer().constant(); all && *all > 0) {
      int64_t blocks = (*all + units - 1) / units;
      units = (*all + blocks - 1) / blocks;
    }
  }
  unitsOfBlock = units;
  mostTilesOfUnit = ofUnit;
  mostTilesOfBlock = units * ofUnit;
}

/// Planes of a volume sum over each other's values: blocks of some tiles of
/// several planes evaluate few of them twice. False where a second-level cache
/// doesn't hold such a block, for which values from afar are enough then, as
/// many products need each of them.
bool WinogradAxes::layersInTasks() {
  constexpr int64_t fewestLayers = 3, mostLayers = 8;
  int64_t tiles = target.avx512 ? 16 : 8;
  double cachedBytes = target.l2Share(target.avx512 ? 1.5 : 0.625);
  WinogradConvolution layered = what;
  layered.planesAreLayers = true;
  layered.tilesOfBlock = tiles;
  layered.cutLines(/*wholeLines=*/false);
  double columns =
      std::min(estimate(what.space.columns.size), double(what.space.panel));
  double ofLayer = 4.0 * double(what.points() * layered.mostTilesOfBlock),
         values = ofLayer * estimate(what.features()),
         beside = values * double(what.planesBeside());
  double fitting = (cachedBytes - beside) / (values + ofLayer * columns);
  if (fitting < double(fewestLayers) ||
      estimate(what.planes) < double(fewestLayers))
    return false;
  int64_t layers = std::min(int64_t(fitting), mostLayers);
  // Blocks alike.
  if (auto all = what.planes.constant()) {
    int64_t blocks = (*all + layers - 1) / layers;
    layers = (*all + blocks - 1) / blocks;
  }
  layered.layersOfBlock = layers;
  what = std::move(layered);
  return true;
}

/// 1 where the run finds at least so much, else 0.
static DimExpr isAtLeast(const DimExpr &size, double least) {
  DimExpr beyond = size - DimExpr(int64_t(std::ceil(least)) - 1);
  return DimExpr::min(DimExpr::max(beyond, DimExpr(0)), DimExpr(1));
}

/// Where the second-level cache has room for the values of a block.
static double blockBytes(const TargetModel &target) {
  return target.l2Share(0.625);
}

/// 1 where the image is large enough to leave the caches on its way through
/// memory, and has blocks enough for all columns to be one task's; lines of
/// which some fit the second-level cache.
DimExpr WinogradAxes::leavesCaches() {
  constexpr double fewestBlocks = 12;
  // Processors with 512-bit vectors have second-level caches of 1 MB or more,
  // third-level ones that are slow beside them (Emerald Rapids: 30 and 137
  // GB/s).
  double cachedBytes = target.avx512 ? target.l2Share(1) : target.l3Share(1);
  double ofTile = 4.0 * double(what.points()) * estimate(what.features());
  return isAtLeast(what.blocks(), fewestBlocks) *
         isAtLeast(what.tiles(), cachedBytes / ofTile) *
         (DimExpr(1) -
          isAtLeast(what.tilesPerLine,
                    std::floor(2 * blockBytes(target) / ofTile) + 1));
}

/// All of the image first, or block by block; the values of a block must stay
/// in the second-level cache. Windows that a large one doesn't hold are read
/// again for each block: fewer ones then.
std::vector<WinogradConvolution> WinogradAxes::evaluations() {
  constexpr int64_t largeBlock = 56;
  what.cutLines(/*wholeLines=*/false);
  double ofBlock = 4.0 * double(what.points()) * estimate(what.features()) *
                   double(what.mostTilesOfBlock);
  DimExpr inTasks = ofBlock <= blockBytes(target) ? leavesCaches() : DimExpr(0);
  what.values = what.space.preparations.size();
  std::vector<WinogradConvolution> ways;
  WinogradConvolution first = what;
  // Volumes are cut by numbers.
  if (what.window.planes > 1 && !inTasks.isConstant(0) &&
      !(inTasks.isConstant(1) && what.dilation[0] == 1 && layersInTasks()))
    inTasks = 0;
  if (!inTasks.isConstant(0)) {
    what.inTasks = true;
    what.taken = what.taken * inTasks;
    ways.push_back(what);
  }
  if (!inTasks.isConstant(1)) {
    if (target.avx512) {
      first.tilesOfBlock = largeBlock;
      first.cutLines(/*wholeLines=*/false);
    }
    first.taken = first.taken * (DimExpr(1) - inTasks);
    ways.push_back(std::move(first));
  }
  return ways;
}

/// The first pixel of a tile's first result.
static Value firstOfTile(KernelBuilder &k, Value tile, int64_t results,
                         int64_t phases) {
  if (phases == 1)
    return k.mul(tile, k.index(results));
  Value apart = k.index(phases);
  return k.add(k.mul(k.div(tile, apart), k.index(results * phases)),
               k.rem(tile, apart));
}

TilePixels pixelsOfTile(KernelBuilder &k, const WinogradConvolution &what,
                        Value number, const DimExpr &planes) {
  SmallVector<Value> digits = digitsOf(
      k, number, {what.volumes, planes, what.tileLines, what.tilesPerLine});
  return {digits[0], digits[1],
          firstOfTile(k, digits[2], what.window.down.tile, what.dilation[1]),
          firstOfTile(k, digits[3], what.window.across.tile, what.dilation[2])};
}

/// Without sizes that only the run knows the pass has chosen.
static DimExpr isWorthwhile(const WinogradConvolution &what,
                            graph::ConvolutionOp op,
                            const TargetModel &target) {
  SmallVector<DimExpr> sizes;
  for (const Axis &line : what.space.lines)
    sizes.push_back(line.size);
  sizes.push_back(what.space.tile.size);
  bool known = llvm::all_of(
      sizes, [](const DimExpr &size) { return size.constant().has_value(); });
  return known ? DimExpr(1)
               : cost::isFasterWinograd(op, what.window.across.tile,
                                        /*than=*/1, target, sizes);
}

/// Each way has scratch buffers of its own.
static void renumberScratch(std::vector<WinogradConvolution> &ways) {
  unsigned first = 0;
  for (WinogradConvolution &way : ways) {
    unsigned own = winogradScratchBytes(way).size();
    renumberScratch(way.space, first);
    way.image.index += way.image.scratch ? first : 0;
    way.values += first;
    first += own;
  }
}

std::vector<WinogradConvolution>
winogradConvolutions(graph::FusionOp fusion, graph::DimAnalysis &dims,
                     const TargetModel &target) {
  auto op = dyn_cast_or_null<graph::ConvolutionOp>(contractionAnchor(fusion));
  auto window = op ? graph::matchTransformedFilter(op) : std::nullopt;
  if (!window || target.printed)
    return {};
  WinogradConvolution what;
  what.window = window->points;
  what.lineElements = target.elementsOfLine(sizeof(float));
  what.space.op = op;
  what.space.sum = sumType(getElementTypeOrSelf(op.getInput().getType()),
                           getElementTypeOrSelf(op.getType()));
  WinogradAxes axes{op, dims, target, what};
  if (!axes.placeFilter(window->matrix) || !what.space.sum.isF32())
    return {};
  axes.addRows();
  if (!axes.readsImage())
    axes.copyImage();
  what.taken = isWorthwhile(what, op, target);
  std::vector<WinogradConvolution> ways = axes.evaluations();
  renumberScratch(ways);
  return ways;
}

SmallVector<DimExpr> winogradScratchBytes(const WinogradConvolution &what) {
  SmallVector<DimExpr> bytes;
  for (const Preparation &preparation : what.space.preparations)
    bytes.push_back(preparation.bytes);
  if (!what.inTasks)
    bytes.push_back(what.pointStride(what.tiles()) *
                    DimExpr(what.points() * int64_t(sizeof(float))));
  return bytes;
}

} // namespace zenith::kernels
