// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops around the GEMMs of a Winograd convolution: blocks of tiles, panels of
// columns, points, rows; then the output transform and the epilogue, row by
// row.

#include "lowering/gemm/WinogradKernel.h"
#include "lowering/builder/RowTasks.h"
#include "lowering/builder/SharedFunction.h"
#include "lowering/gemm/GemmEpilogue.h"
#include "lowering/gemm/NonFiniteTile.h"
#include "lowering/gemm/WinogradInput.h"
#include "lowering/microkernels/MicroKernelCalls.h"
#include "lowering/packing/PackPanels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"
#include <optional>
#include <set>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {

/// Rows that are finished at once where they are contiguous in the results.
constexpr int64_t rowsAtOnce = 16;

/// The tiles of a task: the same range of tiles of some layers.
struct TileBlock {
  Value volume, firstLayer, layers;
  Value firstUnit, lastUnit, firstTile, tiles;
};

class WinogradNest {
public:
  WinogradNest(KernelBuilder &kernel, WinogradSchedule &schedule,
               const EpilogueForm &form)
      : k(kernel), schedule(schedule), space(schedule.space),
        epilogue(kernel, schedule.space, form),
        columns(nrOf(space.sum, kernel.target)) {}
  FailureOr<Launch> emit();

private:
  void choosePanels();
  Value memoryOf(int64_t elements);
  void prepareMemory();
  void task(Value number);
  TileBlock blockOf(Value number);
  void transformInput(const TileBlock &block);
  void eachPanel(Value firstPanel, Value lastPanel,
                 llvm::function_ref<void()> run);
  void multiply(const TileBlock &block);
  Value storedPoint(Value point);
  void multiplyPoint(Value point, const TileBlock &block);
  void multiplyRows(Value rows, const MicroKernelArgs &args);
  MicroKernel microKernel() const;
  int64_t mostTiles() const;
  void callByHeight(Value rows, Value number, MicroKernelArgs args);
  std::set<unsigned> possibleMR() const;
  unsigned mr() const;
  void transformOutput(const TileBlock &block);
  void transformOutputOfUnit(const TileBlock &block, Value layer, Value unit);
  void transformOutputTile(Value tile, Value row, Value x);
  void finishUnit(const SpatialPosition &first, Value count);

  /// Tiles of the layer's units before `unit`.
  Value firstTileOf(Value unit);
  int64_t rowsOfBlock() const {
    return schedule.mostTilesOfBlock * schedule.layersOfBlock;
  }
  DimExpr rowsOfPoint() const;
  Value pointStride() const { return k.size(rowsOfPoint() * DimExpr(columns)); }
  DimExpr panels() const {
    return DimExpr::ceilDiv(space.columns.size, DimExpr(columns));
  }
  int64_t positionsOfRow() const {
    return byColumns ? *space.rowAxis.size.constant()
                     : schedule.mostTilesOfUnit * schedule.filter.across.tile;
  }
  /// K of one loop. The transformed input in scratch is stored plane after
  /// plane, so that tiles of all planes are rows of one GEMM with the planes as
  /// taps.
  DimExpr kOfGemm() const {
    return schedule.transformsInTasks ? schedule.kOfPoint()
                                      : schedule.features();
  }
  DimExpr rowStride() const {
    return schedule.features() * DimExpr(schedule.transformsInTasks
                                             ? schedule.planesOfBlock()
                                             : int64_t(1));
  }
  bool wholeRows() const { return schedule.unitsPerRow.isConstant(1); }

  KernelBuilder &k;
  WinogradSchedule &schedule;
  const ContractionSpace &space;
  GemmEpilogue epilogue;
  int64_t columns;
  int64_t width = 0; ///< columns of the current panel, in whole vectors
  DimExpr panelsPerTask = 1;
  bool byColumns = false;
  Value transformed, gemmTiles, outputTiles, b;
  std::optional<WinogradInput> inputTransform;
  std::optional<NonFiniteTile> fallback;
  TileCoordinates at;
};

} // namespace

/// All panels share a block's rows, as long as enough tasks are left.
void WinogradNest::choosePanels() {
  if (schedule.transformsInTasks || panels().isConstant(1)) {
    panelsPerTask = DimExpr::max(panels(), 1);
    return;
  }
  DimExpr wanted = DimExpr::ceilDiv(schedule.fewestTasks,
                                    DimExpr::max(schedule.blocks(), 1));
  panelsPerTask = DimExpr::max(
      DimExpr::ceilDiv(panels(), DimExpr::min(panels(), wanted)), 1);
}

/// Rows of GEMM results per point: an odd number, so that points are spread
/// over the sets of the cache.
DimExpr WinogradNest::rowsOfPoint() const {
  DimExpr rows = DimExpr::min(schedule.unitsOfLayer(), schedule.unitsOfBlock) *
                 schedule.tilesOfUnit * DimExpr(schedule.layersOfBlock);
  return rows.constant()
             ? DimExpr(rowsOfBlock() | 1)
             : DimExpr::floorDiv(rows, DimExpr(2)) * DimExpr(2) + DimExpr(1);
}

Value WinogradNest::memoryOf(int64_t elements) {
  return asMemory(k.b, k.loc,
                  k.b.create<memref::AllocaOp>(
                      k.loc, MemRefType::get({elements}, k.b.getF32Type()),
                      k.b.getI64IntegerAttr(k.target.lineBytes)));
}

void WinogradNest::prepareMemory() {
  b = k.operand(space.b.index);
  gemmTiles = memoryOf(schedule.points() * (rowsOfBlock() | 1) * columns);
  // The last tiles of a row may reach beyond it.
  int64_t beyond = schedule.filter.across.tile * schedule.dilation[2];
  outputTiles = memoryOf(
      (schedule.filter.down.tile * positionsOfRow() + beyond + rowsAtOnce) *
      columns);
  epilogue.prepare(rowsAtOnce);
  fallback.emplace(k, schedule, b, columns);
  if (!schedule.transformsInTasks) {
    transformed = k.scratch(schedule.transformed, k.b.getF32Type());
    return;
  }
  transformed = memoryOf(
      schedule.points() *
      *schedule.pointStride(DimExpr(schedule.inputTilesOfBlock())).constant());
  inputTransform.emplace(k, schedule);
}

FailureOr<Launch> WinogradNest::emit() {
  constexpr int64_t longestRow = 512;
  auto positions = space.rowAxis.size.constant();
  bool dense = schedule.dilation[1] == 1 && schedule.dilation[2] == 1;
  byColumns = epilogue.storesColumns() && dense && positions &&
              *positions <= longestRow;
  schedule.divideRows(/*wholeRows=*/byColumns);
  choosePanels();
  prepareMemory();
  k.loop(k.begin(), k.end(), k.index(1), [&](Value number) { task(number); });
  if (epilogue.failed())
    return failure();
  return k.finish(schedule.blocks() * DimExpr::ceilDiv(panels(), panelsPerTask),
                  2.0 * double(schedule.points() * rowsOfBlock() * columns) *
                      estimate(panelsPerTask) * estimate(schedule.kOfPoint()));
}

Value WinogradNest::firstTileOf(Value unit) {
  if (wholeRows())
    return k.mul(unit, k.size(schedule.tilesPerRow));
  Value pieces = k.size(schedule.unitsPerRow);
  return k.add(k.mul(k.div(unit, pieces), k.size(schedule.tilesPerRow)),
               k.mul(k.rem(unit, pieces), k.size(schedule.tilesOfUnit)));
}

TileBlock WinogradNest::blockOf(Value number) {
  SmallVector<Value> digits = digitsOf(
      k, number,
      {schedule.volumes, schedule.blocksOfLayers(), schedule.blocksOfUnits()});
  TileBlock block;
  block.volume = digits[0];
  block.firstLayer = k.mul(digits[1], k.index(schedule.layersOfBlock));
  block.layers = k.min(k.sub(k.size(schedule.layers()), block.firstLayer),
                       k.index(schedule.layersOfBlock));
  block.firstUnit = k.mul(digits[2], k.size(schedule.unitsOfBlock));
  block.lastUnit = k.min(k.add(block.firstUnit, k.size(schedule.unitsOfBlock)),
                         k.size(schedule.unitsOfLayer()));
  block.firstTile = firstTileOf(block.firstUnit);
  block.tiles = k.sub(firstTileOf(block.lastUnit), block.firstTile);
  return block;
}

void WinogradNest::task(Value number) {
  Value groups = k.size(DimExpr::ceilDiv(panels(), panelsPerTask));
  Value group = k.rem(number, groups);
  TileBlock block = blockOf(k.div(number, groups));
  if (inputTransform)
    transformInput(block);
  Value firstPanel = k.mul(group, k.size(panelsPerTask));
  Value lastPanel =
      k.min(k.add(firstPanel, k.size(panelsPerTask)), k.size(panels()));
  eachPanel(firstPanel, lastPanel, [&] {
    multiply(block);
    transformOutput(block);
  });
}

/// Includes the halo planes after the last layer.
void WinogradNest::transformInput(const TileBlock &block) {
  Value planes = k.add(block.layers, k.index(schedule.haloPlanes()));
  DimExpr ofVolume = schedule.inputPlanes() * schedule.tilesOfPlane();
  Value first = k.add(k.mul(block.volume, k.size(ofVolume)), block.firstTile);
  Value features = k.size(schedule.features());
  k.loop(k.index(0), planes, k.index(1), [&](Value plane) {
    Value tile = k.add(first, k.mul(k.add(block.firstLayer, plane),
                                    k.size(schedule.tilesOfLayer())));
    inputTransform->transform(
        tile, k.add(tile, block.tiles), transformed, k.mul(plane, features),
        k.mul(k.index(schedule.planesOfBlock()), features),
        k.size(schedule.pointStride(DimExpr(schedule.inputTilesOfBlock()))));
  });
}

/// Full panels, then the last one, which may have vectors without columns.
void WinogradNest::eachPanel(Value firstPanel, Value lastPanel,
                             llvm::function_ref<void()> run) {
  int64_t all = *space.columns.size.constant(), rest = all % columns;
  auto each = [&](Value from, Value to, int64_t computed) {
    width = computed;
    k.loop(from, to, k.index(1), [&](Value panel) {
      at.column = k.mul(panel, k.index(columns));
      run();
    });
  };
  Value full = k.index(all / columns);
  if (all >= columns)
    each(firstPanel, rest ? k.min(lastPanel, full) : lastPanel, columns);
  if (rest)
    each(all >= columns ? k.max(firstPanel, full) : firstPanel, lastPanel,
         int64_t(llvm::alignTo(rest, sumLanes(space.sum, k.target))));
}

void WinogradNest::multiply(const TileBlock &block) {
  k.loop(k.index(0), k.index(schedule.points()), k.index(1),
         [&](Value point) { multiplyPoint(point, block); });
}

/// MR: a panel with few vectors leaves registers to more rows.
unsigned WinogradNest::mr() const {
  ContractionSpace panel;
  panel.sum = panel.a.element = space.sum;
  panel.columns.size = width;
  panel.rowAxis.strideA = rowStride();
  return mrOf(panel, k.target);
}

/// The number among the stored points of one of those that are evaluated: the
/// last one along a dimension is infinity in either.
Value WinogradNest::storedPoint(Value point) {
  const graph::WinogradFilter &filter = schedule.filter;
  auto along = [&](const graph::WinogradTransform &transform, Value own) {
    if (transform.unused.empty())
      return own;
    Value isLast = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::eq,
                                             own, k.index(transform.size - 1));
    Value last = k.index(transform.storedSize() - 1);
    return k.b.create<arith::SelectOp>(k.loc, isLast, last, own).getResult();
  };
  if (!filter.isNested())
    return point;
  Value ofRow = k.index(filter.across.size);
  return k.add(k.mul(along(filter.down, k.div(point, ofRow)),
                     k.index(filter.across.storedSize())),
               along(filter.across, k.rem(point, ofRow)));
}

/// Multiplies the rows of a block by the panel of a point, layer by layer.
void WinogradNest::multiplyPoint(Value point, const TileBlock &block) {
  Value features = k.size(schedule.features());
  // A panel has all stored points, then the filter itself.
  Value panel = k.mul(at.column, k.size(schedule.kOfPanel()));
  Value ofPoint = k.size(schedule.kOfPoint() * DimExpr(columns)),
        stored = storedPoint(point);
  MicroKernelArgs args;
  args.a = transformed, args.b = b, args.c = gemmTiles;
  args.bOffset =
      k.add(k.size(space.b.offset), k.add(panel, k.mul(stored, ofPoint)));
  args.ahead = ofPoint;
  if (stored != point)
    args.ahead =
        k.mul(k.sub(storedPoint(k.add(point, k.index(1))), stored), ofPoint);
  args.kSize = k.size(kOfGemm());
  args.rowStride = k.size(rowStride());
  args.kStrideA = k.index(1);
  args.kStrideB = args.rowStrideC = k.index(columns);
  args.columns = k.index(columns);
  for (MicroKernelArgs::Tap &tap : args.taps)
    tap = {k.index(1), k.index(0), k.index(0)};
  DimExpr nextPlane = DimExpr(schedule.dilation[0]) * schedule.tilesOfPlane();
  args.taps[2] = {k.index(schedule.filter.planes),
                  k.size(nextPlane * schedule.features()),
                  k.mul(features, k.index(columns))};
  DimExpr tiles =
      inputTransform ? DimExpr(schedule.inputTilesOfBlock()) : schedule.tiles();
  args.aOffset = k.mul(point, k.size(schedule.pointStride(tiles)));
  args.cOffset = k.mul(point, pointStride());
  if (!inputTransform) {
    DimExpr ofVolume = schedule.inputPlanes() * schedule.tilesOfPlane();
    Value first = k.add(k.mul(block.volume, k.size(ofVolume)), block.firstTile);
    args.aOffset = k.add(args.aOffset, k.mul(first, features));
  }
  k.loop(k.index(0), block.layers, k.index(1), [&](Value layer) {
    MicroKernelArgs own = args;
    own.aOffset = k.add(args.aOffset, k.mul(layer, features));
    own.cOffset =
        k.add(args.cOffset, k.mul(k.mul(layer, block.tiles), k.index(columns)));
    multiplyRows(block.tiles, own);
  });
}

/// Divides rows into tiles, of balanced height where few heights are possible.
void WinogradNest::multiplyRows(Value rows, const MicroKernelArgs &args) {
  int64_t most = mr();
  Value count = k.div(k.add(rows, k.index(most - 1)), k.index(most));
  bool balances = !possibleMR().empty();
  Value low = balances ? k.div(rows, count) : k.index(most),
        higher = balances ? k.rem(rows, count) : Value();
  k.loop(k.index(0), count, k.index(1), [&](Value number) {
    Value row = k.mul(number, low), height = low;
    if (balances) {
      row = k.add(row, k.min(number, higher));
      Value isHigher = k.b.create<arith::CmpIOp>(
          k.loc, arith::CmpIPredicate::slt, number, higher);
      height = k.add(low, k.b.create<arith::SelectOp>(k.loc, isHigher,
                                                      k.index(1), k.index(0)));
    } else {
      height = k.min(low, k.sub(rows, row));
    }
    MicroKernelArgs own = args;
    own.aOffset = k.add(args.aOffset, k.mul(row, args.rowStride));
    own.cOffset = k.add(args.cOffset, k.mul(row, k.index(columns)));
    callByHeight(height, number, own);
  });
}

/// Rows that a tile of a block may have; empty where only a run knows.
std::set<unsigned> WinogradNest::possibleMR() const {
  unsigned most = mr();
  std::set<unsigned> possible;
  auto perRow = schedule.tilesPerRow.constant(),
       units = schedule.unitsOfLayer().constant();
  auto addRows = [&](int64_t rows) {
    if (rows == 0)
      return;
    int64_t count = (rows + most - 1) / most;
    possible.insert(
        {unsigned(rows / count), unsigned((rows + count - 1) / count)});
  };
  if (perRow && units && *units > 0) {
    int64_t ofUnit = schedule.mostTilesOfUnit,
            ofBlock = schedule.mostTilesOfBlock / ofUnit;
    addRows(std::min(*units, ofBlock) * ofUnit);
    addRows(*units % ofBlock * ofUnit);
    addRows(*perRow % ofUnit);
  }
  return possible;
}

MicroKernel WinogradNest::microKernel() const {
  MicroKernel kernel;
  if (schedule.filter.planes > 1 && !schedule.transformsInTasks)
    kernel.loops = MicroKernel::Loops::Taps;
  kernel.lanes = sumLanes(space.sum, k.target);
  kernel.mr = mr();
  kernel.vectors = width / kernel.lanes;
  kernel.sets = accumulatorSets(kernel.tileVectors());
  kernel.fma = k.target.fma;
  kernel.a = kernel.b = kernel.sum = space.sum;
  return kernel;
}

/// Upper bound for the register tiles of a block's rows by a panel.
int64_t WinogradNest::mostTiles() const {
  // Where only a run knows the tiles, the micro-kernels of all variants are
  // those of the smallest blocks.
  constexpr int64_t fewRows = 24;
  int64_t rows = rowsOfBlock(), most = mr();
  if (auto all = (schedule.planes * schedule.tilesOfPlane()).constant())
    rows = std::max<int64_t>(1, std::min(rows, *all));
  else
    rows = std::min(rows, fewRows);
  return (rows + most - 1) / most;
}

void WinogradNest::callByHeight(Value rows, Value number,
                                MicroKernelArgs args) {
  int64_t lineElements = schedule.lineElements;
  MicroKernel kernel = microKernel();
  if (schedule.prefetchesNextPoint && width == columns) {
    int64_t lines = kUnroll(kernel) * columns / lineElements,
            tiles = mostTiles();
    auto perTile = unsigned((lines + tiles - 1) / tiles);
    kernel.prefetch = PrefetchNextPanel{perTile};
    Value line = k.rem(k.mul(number, k.index(perTile)), k.index(lines));
    args.ahead = k.add(args.ahead, k.mul(line, k.index(lineElements)));
  }
  std::set<unsigned> possible = possibleMR();
  if (possible.empty()) {
    constexpr unsigned everyOther = 2;
    callMicroKernelUpTo(k, kernel, args, rows, everyHeight(mr(), everyOther));
    return;
  }
  callMicroKernelByHeight(
      k, kernel, args, rows,
      SmallVector<unsigned>(possible.rbegin(), possible.rend()));
}

void WinogradNest::transformOutput(const TileBlock &block) {
  k.loop(k.index(0), block.layers, k.index(1), [&](Value layer) {
    k.loop(block.firstUnit, block.lastUnit, k.index(1),
           [&](Value unit) { transformOutputOfUnit(block, layer, unit); });
  });
}

/// Transforms a row of tiles, or a part of one, into rows of the result.
void WinogradNest::transformOutputOfUnit(const TileBlock &block, Value layer,
                                         Value unit) {
  Value first = firstTileOf(unit), perRow = k.size(schedule.tilesPerRow);
  Value count =
      k.min(k.sub(perRow, k.rem(first, perRow)), k.size(schedule.tilesOfUnit));
  Value firstRow =
      k.add(k.mul(layer, block.tiles), k.sub(first, block.firstTile));
  // Number among the tiles of all volumes.
  DimExpr ofVolume = schedule.planes * schedule.tilesOfPlane();
  first = k.add(k.add(k.mul(block.volume, k.size(ofVolume)),
                      k.mul(k.add(block.firstLayer, layer),
                            k.size(schedule.tilesOfLayer()))),
                first);
  SpatialPosition start = positionOfTile(k, schedule, first, schedule.planes);
  // From last to first: tiles overwrite what later ones wrote beyond their row.
  k.loop(k.index(0), count, k.index(1), [&](Value done) {
    Value number = k.sub(k.sub(count, k.index(1)), done);
    Value tile = k.add(first, number);
    Value x = positionOfTile(k, schedule, tile, schedule.planes).x;
    transformOutputTile(tile, k.add(firstRow, number), k.sub(x, start.x));
  });
  finishUnit(start, k.mul(count, k.index(schedule.filter.across.tile)));
}

/// Transforms row `row` of the GEMM results at all points into the output tile
/// `tile`, whose first position is `x` in the row.
void WinogradNest::transformOutputTile(Value tile, Value row, Value x) {
  Value stride = pointStride(), apart = k.index(columns);
  TileView to{outputTiles, k.mul(x, apart), k.index(positionsOfRow() * columns),
              k.index(schedule.dilation[2] * columns)};
  callOutputTransform(k, schedule.filter, sumLanes(space.sum, k.target),
                      {gemmTiles, k.mul(row, apart),
                       k.mul(k.index(schedule.filter.across.size), stride),
                       stride},
                      to, k.index(width));
  fallback->recomputeTile(tile, at.column, width, to);
}

void WinogradNest::finishUnit(const SpatialPosition &first, Value count) {
  int64_t apart = schedule.dilation[1];
  Value left = k.sub(k.size(schedule.rows), first.y);
  Value tileRows = k.min(k.div(k.add(left, k.index(apart - 1)), k.index(apart)),
                         k.index(schedule.filter.down.tile));
  int64_t all = *space.columns.size.constant();
  Value rest = all < columns     ? k.index(all)
               : width < columns ? k.sub(k.index(all), at.column)
                                 : Value();
  Value planes =
      k.add(k.mul(first.volume, k.size(schedule.planes)), first.plane);
  if (byColumns) {
    Value positions = k.size(space.rowAxis.size);
    Value y = k.add(k.mul(planes, k.size(schedule.rows)), first.y);
    epilogue.finishColumns(outputTiles, k.index(0), at, k.mul(y, positions),
                           k.mul(tileRows, positions), rest);
    return;
  }
  Value positions = k.size(space.rowAxis.size),
        rows = k.min(count, k.sub(positions, first.x));
  size_t spatial = space.outerRows.size();
  k.loop(k.index(0), tileRows, k.index(1), [&](Value number) {
    Value y = k.add(first.y, k.mul(number, k.index(apart)));
    Value offset = k.mul(number, k.index(positionsOfRow() * columns));
    if (epilogue.storesColumns()) {
      Value line = k.add(k.mul(planes, k.size(schedule.rows)), y);
      epilogue.finishColumns(outputTiles, offset, at,
                             k.add(k.mul(line, positions), first.x), rows,
                             rest);
      return;
    }
    Value digits[] = {first.volume, first.plane, y};
    auto own = ArrayRef(digits).slice(spatial == 3 ? 0 : 1, spatial);
    at.outerRows.assign(own.begin(), own.end());
    at.row = first.x;
    epilogue.finish(outputTiles, offset, k.index(columns), at, rows, rest);
  });
}

LogicalResult emitWinogradConvolution(KernelPlan &plan,
                                      const ScheduledWinograd &variant,
                                      const EmissionContext &context,
                                      StringRef name) {
  WinogradSchedule schedule = variant.schedule;
  auto add = [&](FailureOr<Launch> launch) {
    if (succeeded(launch))
      launch->guard = schedule.guard;
    return addLaunch(plan, std::move(launch));
  };
  for (const Preparation &preparation : schedule.space.preparations)
    if (!add(emitPreparation(
            preparation, schedule.space, context.fusion, context.dims,
            context.target, context.kernels,
            (name + "_prepare" + Twine(preparation.scratch)).str())))
      return failure();
  if (!schedule.transformsInTasks) {
    KernelBuilder kernel(context.fusion, context.dims, context.target,
                         context.kernels, (name + "_transform_input").str());
    add(emitInputTransform(kernel, schedule));
  }
  KernelBuilder kernel(context.fusion, context.dims, context.target,
                       context.kernels, name);
  return success(add(WinogradNest(kernel, schedule, variant.form).emit()));
}

} // namespace zenith::kernels
