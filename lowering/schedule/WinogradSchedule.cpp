// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the variants of a convolution with a Winograd-transformed filter, by
// what fits the caches.

#include "lowering/schedule/WinogradSchedule.h"
#include "ir/dims/OneFactor.h"
#include "lowering/builder/MachineClasses.h"
#include "lowering/builder/SizeChoice.h"
#include "lowering/microkernels/MicroKernel.h"
#include "passes/cost/WinogradCycles.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

/// Results along a side of the tiles that small feature maps take where larger
/// ones are stored, and how many of them such a map has: they need more memory
/// than larger ones.
static constexpr int64_t nestedTile = 2, mostNestedTiles = 1024;

namespace {

struct WinogradAxes {
  graph::ConvolutionOp op;
  graph::DimAnalysis &dims;
  const TargetModel &target;
  WinogradSchedule &schedule;

  unsigned spatial() { return op.getStrides().size(); }
  /// Which of planes, rows and positions (0, 1, 2) a spatial dimension is.
  unsigned axisOf(unsigned i) { return 3 - spatial() + i; }
  bool locateFilter(const EncodedB &filter);
  void addRows();
  bool readsInputInPlace();
  void copyInput();
  bool layersInTasks();
  DimExpr leavesCaches();
  std::vector<WinogradSchedule> variants();
};

} // namespace

/// A single panel is a row-major matrix.
static bool isOnePanel(const LocatedOperand &matrix, unsigned panel) {
  if (matrix.panel)
    return false;
  StridedDim rows = matrix.dims[0], columns = matrix.dims[1];
  coalesce(rows);
  coalesce(columns);
  return rows.size() == 1 && columns.size() == 1 &&
         rows[0].stride.isConstant(panel) && columns[0].stride.isConstant(1) &&
         columns[0].size.provablyAtMost(DimExpr(int64_t(panel)));
}

bool WinogradAxes::locateFilter(const EncodedB &filter) {
  ContractionSpace &space = schedule.space;
  LocatedOperand located = filter.transformed(op);
  unsigned panel = nrOf(space.sum, target);
  bool inPanels = located.panel == panel && located.kInterleave == 1;
  if (!located.source.element.isF32() ||
      (!inPanels && !isOnePanel(located, panel)))
    return false;
  space.b = located.source;
  space.panel = panel;
  space.form = ContractionSpace::Panels;
  graph::ConvDimsAttr dimNumbers = op.getDims();
  auto sizeOf = [&](int64_t dim) {
    return dims.dimOf(op.getKernel(), unsigned(dim));
  };
  space.kAxis = {sizeOf(dimNumbers.getKernelInput()), DimExpr(1),
                 DimExpr(int64_t(panel))};
  space.columns = {sizeOf(dimNumbers.getKernelOutput()), DimExpr(0),
                   DimExpr(1)};
  return true;
}

void WinogradAxes::addRows() {
  ContractionSpace &space = schedule.space;
  graph::ConvDimsAttr dimNumbers = op.getDims();
  DimExpr *sizes[] = {&schedule.planes, &schedule.rows, &space.rowAxis.size};
  auto rowOf = [&](int64_t dim) {
    space.rowDims.push_back(unsigned(dim));
    return Axis{dims.dimOf(op.getResult(), unsigned(dim)), DimExpr(0),
                DimExpr(0)};
  };
  space.outerRows.push_back(rowOf(dimNumbers.getOutputBatch()));
  (spatial() == 3 ? schedule.volumes : schedule.planes) =
      space.outerRows[0].size;
  for (unsigned i = 0; i < spatial(); ++i) {
    space.outerRows.push_back(rowOf(dimNumbers.getOutputSpatial()[i]));
    *sizes[axisOf(i)] = space.outerRows.back().size;
    schedule.dilation[axisOf(i)] = op.getKernelDilation()[i];
  }
  space.rowAxis = space.outerRows.pop_back_val();
  space.columnDims.push_back(unsigned(dimNumbers.getOutputFeature()));
  auto tilesAlong = [&](unsigned place, int64_t tile) {
    DimExpr phases = schedule.dilation[place];
    DimExpr ofPhase = DimExpr::ceilDiv(*sizes[place], phases * DimExpr(tile));
    return graph::oneFactor(ofPhase) * phases;
  };
  schedule.tileRows = tilesAlong(1, schedule.filter.down.tile);
  schedule.tilesPerRow = tilesAlong(2, schedule.filter.across.tile);
}

/// An input whose channels are contiguous is read where it lies; false where it
/// must be copied.
bool WinogradAxes::readsInputInPlace() {
  graph::ConvDimsAttr dimNumbers = op.getDims();
  LocatedOperand located =
      locateLhs(schedule.space, schedule.space.columns.size, dims, target);
  auto strideOf = [&](int64_t dim) -> std::optional<DimExpr> {
    StridedDim digits = located.dims[dim];
    coalesce(digits);
    return digits.size() == 1 ? std::optional(digits[0].stride) : std::nullopt;
  };
  auto features = strideOf(dimNumbers.getInputFeature()),
       batch = strideOf(dimNumbers.getInputBatch());
  if (!features || !features->isConstant(1) || !batch ||
      !located.source.element.isF32())
    return false;
  schedule.input = located.source;
  schedule.strides[spatial() == 3 ? 0 : 1] = *batch;
  for (unsigned i = 0; i < spatial(); ++i) {
    int64_t dim = dimNumbers.getInputSpatial()[i];
    auto stride = strideOf(dim);
    if (!stride)
      return false;
    schedule.strides[1 + axisOf(i)] = *stride;
    schedule.extents[axisOf(i)] = dims.dimOf(op.getInput(), unsigned(dim));
    schedule.low[axisOf(i)] = op.getLow()[i];
  }
  return true;
}

/// Plans a channels-last copy that holds all positions of all tiles.
void WinogradAxes::copyInput() {
  graph::ConvDimsAttr dimNumbers = op.getDims();
  schedule.extents[0] = schedule.inputPlanes();
  auto extent = [&](const DimExpr &tiles, unsigned place,
                    const graph::WinogradTransform &along) {
    return tiles * DimExpr(along.tile) +
           DimExpr((along.taps - 1) * schedule.dilation[place]);
  };
  schedule.extents[1] = extent(schedule.tileRows, 1, schedule.filter.down);
  schedule.extents[2] = extent(schedule.tilesPerRow, 2, schedule.filter.across);
  SmallVector<PaddedDim> copied{
      PaddedDim{unsigned(dimNumbers.getInputBatch()),
                schedule.space.outerRows.front().size}};
  for (unsigned i = 0; i < spatial(); ++i) {
    schedule.low[axisOf(i)] = 0;
    copied.push_back({unsigned(dimNumbers.getInputSpatial()[i]),
                      schedule.extents[axisOf(i)], op.getLow()[i]});
  }
  copied.push_back(
      {unsigned(dimNumbers.getInputFeature()), schedule.features()});
  LocatedOperand copy =
      padded(schedule.space, op.getInput(), std::move(copied));
  schedule.strides[spatial() == 3 ? 0 : 1] = copy.dims[0][0].stride;
  for (unsigned i = 0; i < spatial(); ++i)
    schedule.strides[1 + axisOf(i)] = copy.dims[1 + i][0].stride;
  schedule.input = copy.source;
}

/// Tiles of all phases of a dilation stay together.
void WinogradSchedule::divideRows(bool wholeRows) {
  int64_t phases = dilation[2];
  auto bundles = [&](int64_t tiles) {
    return std::max<int64_t>(1, tiles / phases);
  };
  auto perRow = tilesPerRow.constant();
  if (!perRow || *perRow == 0) {
    mostTilesOfUnit = bundles(tilesOfBlock + 4) * phases;
    mostTilesOfBlock = std::max(mostTilesOfUnit, tilesOfBlock);
    DimExpr pieces = DimExpr::ceilDiv(tilesPerRow, mostTilesOfUnit),
            ofRow = DimExpr::floorDiv(tilesPerRow, phases);
    tilesOfUnit = graph::oneFactor(DimExpr::ceilDiv(ofRow, pieces)) * phases;
    unitsPerRow = graph::oneFactor(DimExpr::ceilDiv(tilesPerRow, tilesOfUnit));
    // Blocks of equal size.
    DimExpr all = graph::oneFactor(unitsOfLayer()),
            most =
                DimExpr::max(1, DimExpr::floorDiv(tilesOfBlock, tilesOfUnit));
    unitsOfBlock =
        DimExpr::max(1, DimExpr::ceilDiv(all, DimExpr::ceilDiv(all, most)));
    return;
  }
  int64_t most = bundles(tilesOfBlock + 4), ofRow = *perRow / phases,
          pieces = wholeRows ? 1 : (ofRow + most - 1) / most,
          ofUnit = (ofRow + pieces - 1) / pieces * phases, units = 1;
  tilesOfUnit = ofUnit;
  unitsPerRow = DimExpr::ceilDiv(tilesPerRow, tilesOfUnit);
  if (pieces == 1 && ofUnit <= tilesOfBlock) {
    units = tilesOfBlock / ofUnit;
    // Blocks of equal size.
    if (auto all = unitsOfLayer().constant(); all && *all > 0) {
      int64_t blocks = (*all + units - 1) / units;
      units = (*all + blocks - 1) / blocks;
    }
  }
  unitsOfBlock = units;
  mostTilesOfUnit = ofUnit;
  mostTilesOfBlock = units * ofUnit;
}

void WinogradSchedule::setBlocks(int64_t tiles, int64_t planesOfBlock,
                                 bool inTasks) {
  tilesOfBlock = tiles;
  layersOfBlock = planesOfBlock;
  transformsInTasks = inTasks;
  planesAreLayers = inTasks && filter.planes > 1;
  divideRows(/*wholeRows=*/false);
}

double WinogradSchedule::taskBytes() const {
  double ofRow = double(points()) * sizeof(float),
         rows = double(mostTilesOfBlock * layersOfBlock),
         transformedInput = transformsInTasks ? double(inputTilesOfBlock()) *
                                                    estimate(features())
                                              : 0;
  return ofRow * (rows * double(space.panel) + transformedInput);
}

/// Makes planes the layers of blocks: the results of a plane need the
/// transformed tiles of neighbouring planes, and blocks with several planes
/// transform few of them twice. False where the second-level cache does not
/// hold such a block; a transformed input in memory is fast enough then, since
/// many multiplications need each element.
bool WinogradAxes::layersInTasks() {
  constexpr int64_t fewestLayers = 3, mostLayers = 8;
  // A vector of tiles; a quarter of the cache is left to the filter.
  int64_t tiles = std::max<int64_t>(8, target.lanes);
  double cachedBytes = 0.75 * wholeSecondLevel(target);
  WinogradSchedule layered = schedule;
  layered.setBlocks(tiles, 1, /*inTasks=*/true);
  double columns = std::min(estimate(schedule.space.columns.size),
                            double(schedule.space.panel));
  double ofLayer = 4.0 * double(schedule.points() * layered.mostTilesOfBlock),
         inputBytes = ofLayer * estimate(schedule.features()),
         haloBytes = inputBytes * double(schedule.haloPlanes());
  double fitting = (cachedBytes - haloBytes) / (inputBytes + ofLayer * columns);
  if (fitting < double(fewestLayers) ||
      estimate(schedule.planes) < double(fewestLayers))
    return false;
  int64_t layers = std::min(int64_t(fitting), mostLayers);
  // Blocks of equal size.
  if (auto all = schedule.planes.constant()) {
    int64_t blocks = (*all + layers - 1) / layers;
    layers = (*all + blocks - 1) / blocks;
  }
  layered.setBlocks(tiles, layers, /*inTasks=*/true);
  schedule = std::move(layered);
  return true;
}

/// Room in the second-level cache for the transformed input of a block.
static double blockBytes(const TargetModel &target) {
  return target.l2Share(0.625);
}

/// 1 where the transformed input would leave the caches, there are blocks
/// enough for a task to have all columns, and several rows of tiles fit the
/// second-level cache; else 0.
DimExpr WinogradAxes::leavesCaches() {
  // Most cores have a block.
  const double fewestBlocks = target.unitShare(0.75);
  // Vectors that fill lines outrun the third level.
  double cachedBytes =
      vectorsFillLines(target) ? target.l2Share(1) : target.l3Share(1);
  double ofTile =
      4.0 * double(schedule.points()) * estimate(schedule.features());
  // Of unknown sizes, nearly as many blocks as these tiles fill.
  DimExpr blocks = schedule.blocks();
  if (!blocks.constant())
    blocks = DimExpr::ceilDiv(graph::oneFactor(schedule.tiles()),
                              schedule.mostTilesOfBlock);
  return isAtLeast(blocks, int64_t(std::ceil(fewestBlocks))) *
         isAtLeast(schedule.tiles(), int64_t(std::ceil(cachedBytes / ofTile))) *
         isAtMost(schedule.tilesPerRow,
                  int64_t(2 * blockBytes(target) / ofTile));
}

/// Transforms all of the input first, or block by block where the transformed
/// input of a block stays in the second-level cache. Each block reads the
/// transformed filter again, so blocks are larger, and fewer, where the input
/// is transformed first.
std::vector<WinogradSchedule> WinogradAxes::variants() {
  constexpr int64_t largeBlock = 56;
  schedule.divideRows(/*wholeRows=*/false);
  double ofBlock = 4.0 * double(schedule.points()) *
                   estimate(schedule.features()) *
                   double(schedule.mostTilesOfBlock);
  // Nested tiles are for maps that are too small to leave the caches.
  bool mayLeave = ofBlock <= blockBytes(target) && !schedule.filter.isNested();
  DimExpr inTasks = mayLeave ? leavesCaches() : DimExpr(0);
  std::vector<WinogradSchedule> variants;
  WinogradSchedule first = schedule;
  // Blocks of layers need static sizes.
  if (schedule.filter.planes > 1 && !inTasks.isConstant(0) &&
      !(inTasks.isConstant(1) && schedule.dilation[0] == 1 && layersInTasks()))
    inTasks = 0;
  if (!inTasks.isConstant(0)) {
    schedule.transformsInTasks = true;
    schedule.guard = graph::oneFactor(schedule.guard * inTasks);
    variants.push_back(schedule);
  }
  if (!inTasks.isConstant(1)) {
    if (vectorsFillLines(target)) {
      first.tilesOfBlock = largeBlock;
      first.divideRows(/*wholeRows=*/false);
    }
    first.guard = graph::oneFactor(first.guard * (DimExpr(1) - inTasks));
    variants.push_back(std::move(first));
  }
  return variants;
}

/// Sizes of the result, if only a run knows some of them: the pass that
/// transformed the filter has chosen the tile for static ones.
static SmallVector<DimExpr> unknownSizes(graph::ConvolutionOp op,
                                         graph::DimAnalysis &dims) {
  SmallVector<DimExpr> sizes{
      dims.dimOf(op.getResult(), unsigned(op.getDims().getOutputBatch()))};
  for (int64_t dim : op.getDims().getOutputSpatial())
    sizes.push_back(dims.dimOf(op.getResult(), unsigned(dim)));
  if (llvm::all_of(sizes, [](const DimExpr &size) {
        return size.constant().has_value();
      }))
    sizes.clear();
  return sizes;
}

/// The transformed filter at a point comes from memory while the point before
/// it is multiplied: each register tile prefetches its share.
static bool missesCaches(const WinogradSchedule &schedule,
                         const TargetModel &target) {
  double bytes = 4 * double(schedule.filter.storedPoints()) *
                 estimate(schedule.kOfPoint()) *
                 estimate(schedule.space.columns.size);
  return vectorsFillLines(target) && bytes > target.l2Share(0.5);
}

/// What is left once blocks are known.
static void chooseTasks(WinogradSchedule &schedule, const TargetModel &target) {
  schedule.prefetchesNextPoint = missesCaches(schedule, target);
  if (schedule.transformsInTasks)
    return;
  // A task for each core.
  schedule.fewestTasks = target.units;
  int64_t ofTile =
      schedule.points() * schedule.features().constant().value_or(1);
  schedule.tilesPerTransform =
      std::max<int64_t>(1, elementsOfMovement(target) / ofTile);
}

/// Tiles of a kernel's transformed input, as one factor of its sizes.
static DimExpr transformedTiles(const WinogradSchedule &schedule) {
  DimExpr tiles = graph::oneFactor(schedule.tiles());
  return schedule.filter.isNested() ? DimExpr::min(tiles, mostNestedTiles)
                                    : tiles;
}

namespace {
/// Finds the variants of a convolution with a transformed filter.
struct WinogradVariants {
  graph::ConvolutionOp op;
  graph::DimAnalysis &dims;
  const TargetModel &target;
  EncodedB filter;

  std::optional<WinogradSchedule>
  scheduleOf(const graph::WinogradFilter &points);
  std::vector<WinogradSchedule> chosen();
  std::vector<WinogradSchedule> given(Attribute schedule);
};
} // namespace

std::optional<WinogradSchedule>
WinogradVariants::scheduleOf(const graph::WinogradFilter &points) {
  std::optional<WinogradSchedule> found(std::in_place);
  WinogradSchedule &schedule = *found;
  schedule.filter = points;
  schedule.lineElements = target.elementsOfLine(sizeof(float));
  schedule.space.op = op;
  schedule.space.sum = sumType(getElementTypeOrSelf(op.getInput().getType()),
                               getElementTypeOrSelf(op.getType()));
  WinogradAxes axes{op, dims, target, schedule};
  if (!axes.locateFilter(filter) || !schedule.space.sum.isF32())
    return std::nullopt;
  axes.addRows();
  if (!axes.readsInputInPlace())
    axes.copyInput();
  schedule.transformed = schedule.space.preparations.size();
  return found;
}

std::vector<WinogradSchedule> WinogradVariants::chosen() {
  std::vector<WinogradSchedule> variants;
  auto add = [&](WinogradSchedule &schedule, const DimExpr &guard) {
    schedule.guard = guard;
    llvm::append_range(variants,
                       WinogradAxes{op, dims, target, schedule}.variants());
  };
  auto stored = scheduleOf(*filter.filter);
  if (!stored)
    return {};
  constexpr int64_t direct = 1;
  int64_t tile = filter.filter->across.tile;
  SmallVector<DimExpr> sizes = unknownSizes(op, dims);
  auto isFaster = [&](int64_t own, int64_t than) {
    return cost::isFasterWinograd(op, own, than, target, sizes);
  };
  DimExpr takesNested = 0;
  std::optional<WinogradSchedule> nested;
  if (!sizes.empty() && tile != nestedTile) {
    nested = scheduleOf(filter.filter->nested(nestedTile));
    takesNested = graph::oneFactor(
        isAtMost(graph::oneFactor(nested->tiles()), mostNestedTiles) *
        isFaster(nestedTile, direct) *
        (DimExpr(1) - isFaster(tile, nestedTile)));
  }
  add(*stored, sizes.empty() ? DimExpr(1)
                             : graph::oneFactor((DimExpr(1) - takesNested) *
                                                isFaster(tile, direct)));
  if (!takesNested.isConstant(0))
    add(*nested, takesNested);
  for (WinogradSchedule &variant : variants)
    chooseTasks(variant, target);
  return variants;
}

/// The Winograd variants of a schedule; none where one leaves its blocks open.
static SmallVector<sched::GuardedVariant, 2>
winogradVariants(Attribute schedule) {
  SmallVector<sched::GuardedVariant, 2> variants;
  for (sched::GuardedVariant &variant : sched::guardedVariants(schedule)) {
    auto conv = dyn_cast_or_null<sched::ConvAttr>(variant.schedule);
    if (!conv || conv.getForm().kind != sched::ConvForm::Winograd)
      continue;
    if (!conv.getBlock() || conv.getOperands().a.form == sched::Operand::Open)
      return {};
    variants.push_back(std::move(variant));
  }
  return variants;
}

/// What an attribute says beside blocks; what the variant has no use for stays
/// as it is.
static void takeKeys(WinogradSchedule &schedule, sched::ConvAttr given,
                     const TargetModel &target) {
  using sched::Prefetch;
  switch (given.getPrefetch().tiles.kind) {
  case Prefetch::None:
    schedule.prefetchesNextPoint = false;
    break;
  case Prefetch::Panel:
    schedule.prefetchesNextPoint = target.prefetches;
    break;
  case Prefetch::Open:
  case Prefetch::Lines:
  case Prefetch::Rows:
    break;
  }
  if (schedule.transformsInTasks)
    return;
  if (given.getFewestTasks())
    schedule.fewestTasks = given.getFewestTasks();
  if (given.getInputTiles())
    schedule.tilesPerTransform = given.getInputTiles();
}

std::vector<WinogradSchedule> WinogradVariants::given(Attribute schedule) {
  std::vector<WinogradSchedule> variants;
  int64_t tile = filter.filter->across.tile;
  for (sched::GuardedVariant &variant : winogradVariants(schedule)) {
    auto conv = cast<sched::ConvAttr>(variant.schedule);
    int64_t results = conv.getForm().results;
    // Smaller tiles have memory for few of them only, which a guard counts.
    bool isNested = results == nestedTile && isa<sched::ChoiceAttr>(schedule);
    if (results != tile && !isNested)
      return {};
    auto own = scheduleOf(results == tile ? *filter.filter
                                          : filter.filter->nested(results));
    if (!own)
      return {};
    own->setBlocks(conv.getBlock()[0], conv.getBlock()[1],
                   conv.getOperands().a.form == sched::Operand::Copied);
    own->guard = variant.guard;
    chooseTasks(*own, target);
    takeKeys(*own, conv, target);
    variants.push_back(std::move(*own));
  }
  return variants;
}

std::vector<WinogradSchedule> winogradSchedules(graph::FusionOp fusion,
                                                graph::DimAnalysis &dims,
                                                const TargetModel &target,
                                                Attribute schedule) {
  auto op = dyn_cast_or_null<graph::ConvolutionOp>(contractionAnchor(fusion));
  auto filter = op ? encodedB(op) : std::nullopt;
  if (!filter || !filter->filter || !target.stackArrays)
    return {};
  WinogradVariants found{op, dims, target, *filter};
  if (schedule && !sched::guardsNameData(schedule)) {
    auto variants = found.given(schedule);
    if (!variants.empty())
      return variants;
  }
  return found.chosen();
}

SmallVector<DimExpr> winogradScratchBytes(const WinogradSchedule &schedule) {
  SmallVector<DimExpr> bytes;
  for (const Preparation &preparation : schedule.space.preparations)
    bytes.push_back(preparation.bytes);
  if (!schedule.transformsInTasks)
    bytes.push_back(schedule.pointStride(transformedTiles(schedule)) *
                    DimExpr(schedule.points() * int64_t(sizeof(float))));
  return bytes;
}

} // namespace zenith::kernels
