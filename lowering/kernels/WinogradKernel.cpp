// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops around the products of values at points: blocks of tiles, panels
// of columns, points, rows; then results are interpolated and finished line by
// line.

#include "lowering/builder/EmissionContext.h"
#include "lowering/kernels/GemmEpilogue.h"
#include "lowering/kernels/PackPanels.h"
#include "lowering/microkernels/MicroKernel.h"
#include "lowering/schedule/WinogradSchedule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"
#include <optional>
#include <set>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {

/// Rows that lie side by side in results are finished so many at once.
constexpr int64_t rowsAtOnce = 16;

/// The tiles of a task: those from the first to the last one of some layers.
struct TileBlock {
  Value volume, firstLayer, layers;
  Value firstUnit, lastUnit, firstTile, tiles;
};

class WinogradNest {
public:
  WinogradNest(KernelBuilder &kernel, WinogradConvolution &what)
      : k(kernel), what(what), space(what.space), epilogue(kernel, what.space),
        columns(tileColumns(space.sum, kernel.target)) {}
  FailureOr<Launch> emit();

private:
  void choosePanels();
  Value memoryOf(int64_t elements);
  void prepareMemory();
  void task(Value number);
  TileBlock blockOf(Value number);
  void evaluate(const TileBlock &block);
  void eachPanel(Value firstPanel, Value lastPanel,
                 llvm::function_ref<void()> run);
  void multiply(const TileBlock &block);
  void multiplyPoint(Value point, const TileBlock &block);
  void multiplyRows(Value rows, const MicroKernelArgs &args);
  MicroKernel product() const;
  int64_t mostTiles() const;
  bool looksAhead() const;
  void callHeights(Value height, Value number, MicroKernelArgs args);
  std::set<unsigned> heights() const;
  unsigned mostRows() const;
  void interpolate(const TileBlock &block);
  void interpolateUnit(const TileBlock &block, Value layer, Value unit);
  void interpolateTile(Value tile, Value row, Value pixel);
  void finishUnit(const TilePixels &first, Value count);

  /// Tiles of a layer's units before this one.
  Value firstTileOf(Value unit);
  int64_t rowsOfBlock() const {
    return what.mostTilesOfBlock * what.layersOfBlock;
  }
  DimExpr rowsOfPoint() const;
  Value pointStride() const { return k.size(rowsOfPoint() * DimExpr(columns)); }
  DimExpr panels() const {
    return DimExpr::ceilDiv(space.columns.size, DimExpr(columns));
  }
  int64_t lineOfPixels() const {
    return byColumns ? *space.tile.size.constant()
                     : what.mostTilesOfUnit * what.window.across.tile;
  }
  /// Values of the whole image lie plane behind plane, for all planes' tiles to
  /// be rows of one product.
  DimExpr depthOfProduct() const {
    return what.inTasks ? what.depthOfPoint() : what.features();
  }
  DimExpr rowStride() const {
    return what.features() *
           DimExpr(what.inTasks ? what.planesOfBlock() : int64_t(1));
  }
  bool wholeLines() const { return what.unitsPerLine.isConstant(1); }

  KernelBuilder &k;
  WinogradConvolution &what;
  const ContractionSpace &space;
  GemmEpilogue epilogue;
  int64_t columns;
  int64_t width = 0; ///< of the panel at hand: columns in vectors that have any
  DimExpr panelsPerTask = 1;
  bool byColumns = false;
  Value values, products, results, b;
  std::optional<WinogradInput> evaluator;
  std::optional<NonFiniteTile> exact;
  TilePlace place;
};

} // namespace

/// All panels share a block's rows, as long as enough tasks are left.
void WinogradNest::choosePanels() {
  constexpr int64_t fewestTasks = 16;
  if (what.inTasks) {
    panelsPerTask = DimExpr::max(panels(), 1);
    return;
  }
  DimExpr wanted =
      DimExpr::ceilDiv(fewestTasks, DimExpr::max(what.blocks(), 1));
  panelsPerTask = DimExpr::max(
      DimExpr::ceilDiv(panels(), DimExpr::min(panels(), wanted)), 1);
}

/// Of the products: points lie an odd number of lines of a cache apart, near
/// each other where a block has few tiles.
DimExpr WinogradNest::rowsOfPoint() const {
  DimExpr rows = DimExpr::min(what.unitsOfLayer(), what.unitsOfBlock) *
                 what.tilesOfUnit * DimExpr(what.layersOfBlock);
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
  products = memoryOf(what.points() * (rowsOfBlock() | 1) * columns);
  // The last tiles of a line may reach beyond it.
  int64_t beyond = what.window.across.tile * what.dilation[2];
  results = memoryOf(
      (what.window.down.tile * lineOfPixels() + beyond + rowsAtOnce) * columns);
  epilogue.prepare(rowsAtOnce);
  exact.emplace(k, what, b, columns);
  if (!what.inTasks) {
    values = k.scratch(what.values, k.b.getF32Type());
    return;
  }
  values =
      memoryOf(what.points() *
               *what.pointStride(DimExpr(what.valuesOfBlock())).constant());
  evaluator.emplace(k, what);
}

FailureOr<Launch> WinogradNest::emit() {
  constexpr int64_t longestLine = 512;
  if (failed(epilogue.analyse()))
    return failure();
  auto pixels = space.tile.size.constant();
  bool dense = what.dilation[1] == 1 && what.dilation[2] == 1;
  byColumns =
      epilogue.storesColumns() && dense && pixels && *pixels <= longestLine;
  what.cutLines(/*wholeLines=*/byColumns);
  choosePanels();
  prepareMemory();
  k.loop(k.begin(), k.end(), k.index(1), [&](Value number) { task(number); });
  if (epilogue.failed())
    return failure();
  return k.finish(what.blocks() * DimExpr::ceilDiv(panels(), panelsPerTask),
                  2.0 * double(what.points() * rowsOfBlock() * columns) *
                      estimate(panelsPerTask) * estimate(what.depthOfPoint()));
}

Value WinogradNest::firstTileOf(Value unit) {
  if (wholeLines())
    return k.mul(unit, k.size(what.tilesPerLine));
  Value pieces = k.size(what.unitsPerLine);
  return k.add(k.mul(k.div(unit, pieces), k.size(what.tilesPerLine)),
               k.mul(k.rem(unit, pieces), k.size(what.tilesOfUnit)));
}

TileBlock WinogradNest::blockOf(Value number) {
  SmallVector<Value> digits = digitsOf(
      k, number, {what.volumes, what.blocksOfLayers(), what.blocksOfUnits()});
  TileBlock block;
  block.volume = digits[0];
  block.firstLayer = k.mul(digits[1], k.index(what.layersOfBlock));
  block.layers = k.min(k.sub(k.size(what.layers()), block.firstLayer),
                       k.index(what.layersOfBlock));
  block.firstUnit = k.mul(digits[2], k.size(what.unitsOfBlock));
  block.lastUnit = k.min(k.add(block.firstUnit, k.size(what.unitsOfBlock)),
                         k.size(what.unitsOfLayer()));
  block.firstTile = firstTileOf(block.firstUnit);
  block.tiles = k.sub(firstTileOf(block.lastUnit), block.firstTile);
  return block;
}

void WinogradNest::task(Value number) {
  Value groups = k.size(DimExpr::ceilDiv(panels(), panelsPerTask));
  Value group = k.rem(number, groups);
  TileBlock block = blockOf(k.div(number, groups));
  if (evaluator)
    evaluate(block);
  Value firstPanel = k.mul(group, k.size(panelsPerTask));
  Value lastPanel =
      k.min(k.add(firstPanel, k.size(panelsPerTask)), k.size(panels()));
  eachPanel(firstPanel, lastPanel, [&] {
    multiply(block);
    interpolate(block);
  });
}

/// The planes behind the last layer too, which its results need.
void WinogradNest::evaluate(const TileBlock &block) {
  Value planes = k.add(block.layers, k.index(what.planesBeside()));
  DimExpr ofVolume = what.valuePlanes() * what.tilesOfPlane();
  Value first = k.add(k.mul(block.volume, k.size(ofVolume)), block.firstTile);
  Value features = k.size(what.features());
  k.loop(k.index(0), planes, k.index(1), [&](Value plane) {
    Value tile = k.add(first, k.mul(k.add(block.firstLayer, plane),
                                    k.size(what.tilesOfLayer())));
    evaluator->evaluate(
        tile, k.add(tile, block.tiles), values, k.mul(plane, features),
        k.mul(k.index(what.planesOfBlock()), features),
        k.size(what.pointStride(DimExpr(what.valuesOfBlock()))));
  });
}

/// Full panels, then the last one, which may have vectors without columns.
void WinogradNest::eachPanel(Value firstPanel, Value lastPanel,
                             llvm::function_ref<void()> run) {
  int64_t all = *space.columns.size.constant(), rest = all % columns;
  auto each = [&](Value from, Value to, int64_t computed) {
    width = computed;
    k.loop(from, to, k.index(1), [&](Value panel) {
      place.column = k.mul(panel, k.index(columns));
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
  k.loop(k.index(0), k.index(what.points()), k.index(1),
         [&](Value point) { multiplyPoint(point, block); });
}

/// Of a tile: a panel that has few vectors leaves registers to more rows.
unsigned WinogradNest::mostRows() const {
  ContractionSpace panel;
  panel.sum = panel.a.element = space.sum;
  panel.columns.size = width;
  panel.tile.strideA = rowStride();
  return tileRows(panel, k.target);
}

/// Rows of a block by a panel of a point, layer by layer.
void WinogradNest::multiplyPoint(Value point, const TileBlock &block) {
  Value features = k.size(what.features());
  // All values of a panel, then those of the window itself.
  Value panel = k.mul(place.column, k.size(what.depthOfPanel()));
  Value ofPoint = k.size(what.depthOfPoint() * DimExpr(columns));
  MicroKernelArgs args;
  args.a = values, args.b = b, args.c = products;
  args.bOffset =
      k.add(k.size(space.b.offset), k.add(panel, k.mul(point, ofPoint)));
  args.depth = k.size(depthOfProduct());
  args.rowStride = k.size(rowStride());
  args.depthStrideA = k.index(1);
  args.depthStrideB = args.rowStrideC = k.index(columns);
  args.columns = k.index(columns);
  for (MicroKernelArgs::Tap &tap : args.taps)
    tap = {k.index(1), k.index(0), k.index(0)};
  DimExpr nextPlane = DimExpr(what.dilation[0]) * what.tilesOfPlane();
  args.taps[2] = {k.index(what.window.planes),
                  k.size(nextPlane * what.features()),
                  k.mul(features, k.index(columns))};
  DimExpr tiles = evaluator ? DimExpr(what.valuesOfBlock()) : what.tiles();
  args.aOffset = k.mul(point, k.size(what.pointStride(tiles)));
  args.cOffset = k.mul(point, pointStride());
  if (!evaluator) {
    DimExpr ofVolume = what.valuePlanes() * what.tilesOfPlane();
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

/// In tiles of balanced height.
void WinogradNest::multiplyRows(Value rows, const MicroKernelArgs &args) {
  int64_t most = mostRows();
  Value count = k.div(k.add(rows, k.index(most - 1)), k.index(most));
  Value low = k.div(rows, count), higher = k.rem(rows, count);
  k.loop(k.index(0), count, k.index(1), [&](Value number) {
    Value row = k.add(k.mul(number, low), k.min(number, higher));
    Value isHigher = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::slt,
                                               number, higher);
    Value height = k.add(low, k.b.create<arith::SelectOp>(
                                  k.loc, isHigher, k.index(1), k.index(0)));
    MicroKernelArgs own = args;
    own.aOffset = k.add(args.aOffset, k.mul(row, args.rowStride));
    own.cOffset = k.add(args.cOffset, k.mul(row, k.index(columns)));
    callHeights(height, number, own);
  });
}

/// Heights of tiles that blocks may have.
std::set<unsigned> WinogradNest::heights() const {
  unsigned most = mostRows();
  std::set<unsigned> possible;
  auto perLine = what.tilesPerLine.constant(),
       units = what.unitsOfLayer().constant();
  auto addRows = [&](int64_t rows) {
    if (rows == 0)
      return;
    int64_t count = (rows + most - 1) / most;
    possible.insert(
        {unsigned(rows / count), unsigned((rows + count - 1) / count)});
  };
  if (perLine && units && *units > 0) {
    int64_t ofUnit = what.mostTilesOfUnit,
            ofBlock = what.mostTilesOfBlock / ofUnit;
    addRows(std::min(*units, ofBlock) * ofUnit);
    addRows(*units % ofBlock * ofUnit);
    addRows(*perLine % ofUnit);
  }
  if (possible.empty())
    for (unsigned height = 1; height <= most; ++height)
      possible.insert(height);
  return possible;
}

MicroKernel WinogradNest::product() const {
  MicroKernel shape;
  if (what.window.planes > 1 && !what.inTasks)
    shape.form = MicroKernel::Window;
  shape.lanes = sumLanes(space.sum, k.target);
  shape.height = mostRows();
  shape.vectors = width / shape.lanes;
  shape.fma = k.target.fma;
  shape.a = shape.b = shape.sum = space.sum;
  return shape;
}

/// Of a block's rows by a panel.
int64_t WinogradNest::mostTiles() const {
  int64_t rows = rowsOfBlock(), height = mostRows();
  if (auto all = (what.planes * what.tilesOfPlane()).constant())
    rows = std::max<int64_t>(1, std::min(rows, *all));
  return (rows + height - 1) / height;
}

/// A window's values at a point come from memory while those at the point
/// before it are multiplied: each tile asks for its share of them.
bool WinogradNest::looksAhead() const {
  double bytes = 4 * double(what.points()) * estimate(what.depthOfPoint()) *
                 estimate(space.columns.size);
  return k.target.avx512 && width == columns && bytes > k.target.l2Share(0.5);
}

void WinogradNest::callHeights(Value height, Value number,
                               MicroKernelArgs args) {
  constexpr int64_t lineElements = 16;
  MicroKernel shape = product();
  if (looksAhead()) {
    int64_t lines = depthsOfRound(shape) * columns / lineElements,
            tiles = mostTiles();
    shape.looksAhead = true;
    shape.linesAhead = unsigned((lines + tiles - 1) / tiles);
    Value line =
        k.rem(k.mul(number, k.index(shape.linesAhead)), k.index(lines));
    args.ahead = k.add(k.size(what.depthOfPoint() * DimExpr(columns)),
                       k.mul(line, k.index(lineElements)));
  }
  std::set<unsigned> possible = heights();
  callMicroKernelOfHeight(
      k, shape, args, height,
      SmallVector<unsigned>(possible.rbegin(), possible.rend()));
}

void WinogradNest::interpolate(const TileBlock &block) {
  k.loop(k.index(0), block.layers, k.index(1), [&](Value layer) {
    k.loop(block.firstUnit, block.lastUnit, k.index(1),
           [&](Value unit) { interpolateUnit(block, layer, unit); });
  });
}

/// A line of tiles, or a piece of one, gives some lines of pixels.
void WinogradNest::interpolateUnit(const TileBlock &block, Value layer,
                                   Value unit) {
  Value first = firstTileOf(unit), perLine = k.size(what.tilesPerLine);
  Value count =
      k.min(k.sub(perLine, k.rem(first, perLine)), k.size(what.tilesOfUnit));
  Value firstRow =
      k.add(k.mul(layer, block.tiles), k.sub(first, block.firstTile));
  // By its number among the tiles of all volumes.
  DimExpr ofVolume = what.planes * what.tilesOfPlane();
  first = k.add(
      k.add(k.mul(block.volume, k.size(ofVolume)),
            k.mul(k.add(block.firstLayer, layer), k.size(what.tilesOfLayer()))),
      first);
  TilePixels start = pixelsOfTile(k, what, first, what.planes);
  // What the last tiles write beyond their lines, the first ones write again.
  k.loop(k.index(0), count, k.index(1), [&](Value done) {
    Value number = k.sub(k.sub(count, k.index(1)), done);
    Value tile = k.add(first, number);
    Value pixel = pixelsOfTile(k, what, tile, what.planes).pixel;
    interpolateTile(tile, k.add(firstRow, number), k.sub(pixel, start.pixel));
  });
  finishUnit(start, k.mul(count, k.index(what.window.across.tile)));
}

/// From the products of `row` to the results of so many pixels from `pixel` on.
void WinogradNest::interpolateTile(Value tile, Value row, Value pixel) {
  Value stride = pointStride(), apart = k.index(columns);
  SquarePlace to{results, k.mul(pixel, apart),
                 k.index(lineOfPixels() * columns),
                 k.index(what.dilation[2] * columns)};
  callInterpolate(k, what.window, sumLanes(space.sum, k.target),
                  {products, k.mul(row, apart),
                   k.mul(k.index(what.window.across.size), stride), stride},
                  to, k.index(width));
  exact->recomputeTile(tile, place.column, width, to);
}

void WinogradNest::finishUnit(const TilePixels &first, Value count) {
  int64_t apart = what.dilation[1];
  Value left = k.sub(k.size(what.lines), first.line);
  Value lines = k.min(k.div(k.add(left, k.index(apart - 1)), k.index(apart)),
                      k.index(what.window.down.tile));
  int64_t all = *space.columns.size.constant();
  Value rest = all < columns     ? k.index(all)
               : width < columns ? k.sub(k.index(all), place.column)
                                 : Value();
  if (byColumns) {
    Value pixels = k.size(space.tile.size);
    Value planes = k.add(k.mul(first.volume, k.size(what.planes)), first.plane);
    Value line = k.add(k.mul(planes, k.size(what.lines)), first.line);
    epilogue.finishColumns(results, k.index(0), place, k.mul(line, pixels),
                           k.mul(lines, pixels), rest);
    return;
  }
  Value rows = k.min(count, k.sub(k.size(space.tile.size), first.pixel));
  size_t spatial = space.lines.size();
  k.loop(k.index(0), lines, k.index(1), [&](Value number) {
    Value line = k.add(first.line, k.mul(number, k.index(apart)));
    Value digits[] = {first.volume, first.plane, line};
    auto own = ArrayRef(digits).slice(spatial == 3 ? 0 : 1, spatial);
    place.lines.assign(own.begin(), own.end());
    place.row = first.pixel;
    Value offset = k.mul(number, k.index(lineOfPixels() * columns));
    epilogue.finish(results, offset, k.index(columns), place, rows, rest);
  });
}

LogicalResult emitWinogradConvolution(KernelPlan &plan,
                                      WinogradConvolution what,
                                      graph::FusionOp fusion,
                                      graph::DimAnalysis &dims,
                                      const TargetModel &target,
                                      ModuleOp kernels, StringRef name) {
  auto add = [&](FailureOr<Launch> launch) {
    if (succeeded(launch))
      launch->tasks = launch->tasks * what.taken;
    return addLaunch(plan, std::move(launch));
  };
  for (const Preparation &preparation : what.space.preparations)
    if (!add(emitPreparation(
            preparation, what.space, fusion, dims, target, kernels,
            (name + "_prepare" + Twine(preparation.scratch)).str())))
      return failure();
  if (!what.inTasks) {
    KernelBuilder kernel(fusion, dims, target, kernels,
                         (name + "_values").str());
    add(emitInputTransform(kernel, what));
  }
  KernelBuilder kernel(fusion, dims, target, kernels, name);
  return success(add(WinogradNest(kernel, what).emit()));
}

} // namespace zenith::kernels
