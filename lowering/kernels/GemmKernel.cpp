// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops around the micro-kernel: tasks, panels, tiles of balanced height,
// then the epilogue.

#include "lowering/kernels/GemmKernel.h"
#include "lowering/builder/EmissionContext.h"
#include "lowering/kernels/GemmNest.h"
#include "lowering/kernels/PackPanels.h"
#include "lowering/kernels/SyrkMirror.h"
#include "lowering/schedule/SmallM.h"
#include "lowering/schedule/WinogradSchedule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

void GemmNest::prepareMemory() {
  auto memory = [&](const Source &source) {
    return source.scratch ? k.scratch(source.index, memoryType(source.element))
                          : k.operand(source.index);
  };
  a = memory(space.a);
  b = memory(space.b);
  tileMemory = k.b.create<memref::AllocaOp>(
      k.loc, MemRefType::get({sumsOfTask()}, space.sum),
      k.b.getI64IntegerAttr(k.target.lineBytes));
  DimExpr low = DimExpr::floorDiv(space.tile.size, tasks.tilesPerLine);
  epilogue.prepare(rowsAtOnce());
  lowHeight = k.size(low);
  higher = k.size(space.tile.size - low * tasks.tilesPerLine);
  if (edgeTap())
    prepareZeros();
  if (tasks.packsRows)
    packedRows =
        asMemory(k.b, k.loc,
                 k.b.create<memref::AllocaOp>(
                     k.loc,
                     MemRefType::get({tasks.tilesPerTask * packedTileSize()},
                                     memoryType(space.a.element)),
                     k.b.getI64IntegerAttr(k.target.lineBytes)));
  if (copiesPanels())
    prepareCopies();
}

void GemmNest::prepareZeros() {
  Type element = memoryType(space.a.element);
  int64_t count = std::max<int64_t>(1, *space.depth.size.constant());
  Value row =
      k.b.create<memref::AllocaOp>(k.loc, MemRefType::get({count}, element),
                                   k.b.getI64IntegerAttr(k.target.lineBytes));
  Value zero = isa<FloatType>(element) ? k.constant(element, 0.0)
                                       : k.integer(element, 0);
  k.loop(k.index(0), k.index(count), k.index(1),
         [&](Value i) { k.b.create<memref::StoreOp>(k.loc, zero, row, i); });
  zeros = asMemory(k.b, k.loc, row);
}

FailureOr<Launch> GemmNest::emit() {
  if (failed(epilogue.analyse()))
    return failure();
  alignTasks();
  prepareMemory();
  k.loop(k.begin(), k.end(), k.index(tasks.tasksAtOnce),
         [&](Value number) { task(number); });
  if (epilogue.failed())
    return failure();
  return k.finish(space.outerCount() * tasks.rowBlocks * tasks.panelGroups,
                  tasks.costPerTask);
}

void GemmNest::task(Value number) {
  Value groups = k.size(tasks.panelGroups), blocks = k.size(tasks.rowBlocks);
  Value group = k.rem(number, groups);
  Value rest = k.div(number, groups);
  Value block = k.rem(rest, blocks);
  Value flat = k.div(rest, blocks);
  if (tasks.groupsInside) {
    Value count = k.size(space.outerCount());
    block = k.div(rest, count);
    flat = k.rem(rest, count);
  }
  place.outer.assign(space.outer.size(), Value());
  aBase = k.size(space.a.offset);
  bBase = k.size(space.b.offset);
  for (unsigned i = space.outer.size(); i-- > 0;) {
    const Axis &axis = space.outer[i].axis;
    place.outer[i] = i ? k.rem(flat, k.size(axis.size)) : flat;
    flat = i ? k.div(flat, k.size(axis.size)) : flat;
    aBase = k.add(aBase, k.mul(place.outer[i], k.size(axis.strideA)));
    bBase = k.add(bBase, k.mul(place.outer[i], k.size(axis.strideB)));
  }
  Value one = k.index(1);
  Value behind = k.min(k.add(number, k.index(tasks.tasksAtOnce)), k.end());
  // Where only the run knows the number of tiles, blocks of it are as high as
  // each other too: two threads take 200 rows by 768x768 in 0.87 of the time.
  bool evens = !tasks.tileCount.constant() && !space.tileIsOutermost &&
               !epilogue.storesColumns();
  Value tilesOfBlock =
      k.size(evens ? DimExpr::ceilDiv(tasks.tileCount, tasks.rowBlocks)
                   : DimExpr(tasks.tilesPerTask));
  Value firstTile = k.mul(block, tilesOfBlock);
  Value lastTile =
      k.min(k.mul(tasks.joinsRows ? behind : k.add(block, one), tilesOfBlock),
            k.size(tasks.tileCount));
  Value first = k.mul(group, k.index(tasks.panelsPerTask));
  Value last = k.add(first, k.index(tasks.panelsPerTask));
  if (tasks.tasksAtOnce > 1 && !tasks.joinsRows)
    last = k.mul(behind, k.index(tasks.panelsPerTask));
  if (tasks.panelsPerTask > 1)
    last = k.min(last, k.size(tasks.panelCount));
  if (space.symmetric)
    lastTile = k.max(firstTile, k.min(lastTile, tilesToDiagonal(last)));
  if (copiesPanels() && !inSlices() && !tasks.widened)
    copyPanels(k.index(0), first, last);
  if (tasks.sweeps)
    sweep(first, last);
  else if (inSlices())
    sliced(first, last, firstTile, lastTile);
  else if (tasks.panelsPerTask == 1)
    panel(group, firstTile, lastTile);
  else
    k.loop(first, last, one, [&](Value p) { panel(p, firstTile, lastTile); });
}

/// Tiles that reach the diagonal, or what is above it, in a panel before
/// `lastPanel`.
Value GemmNest::tilesToDiagonal(Value lastPanel) {
  Value lastColumn = k.sub(k.mul(lastPanel, k.index(columns)), k.index(1));
  return k.add(k.div(lastColumn, lowHeight), k.index(1));
}

DimExpr GemmNest::panelElements() const {
  DimExpr group = int64_t(space.group),
          depth = space.panelRows.value_or(space.depthOfAllTaps());
  if (space.group > 1)
    depth = DimExpr::ceilDiv(depth, group) * group;
  return depth * DimExpr(int64_t(space.panel));
}

/// Each panel comes from memory once, and the tiles that read it first would
/// wait: those before them ask for it, a line each in each round of depths.
bool GemmNest::looksAhead() const {
  double bytes = estimate(space.depthOfAllTaps()) *
                 estimate(space.columns.size) *
                 std::max(1u, space.b.element.getIntOrFloatBitWidth() / 8);
  return space.form == ContractionSpace::Panels && !tasks.widened &&
         !k.target.printed && bytes > k.target.l2Share(0.5) &&
         estimate(tasks.tileCount) >= 4;
}

/// A tall A of short rows is read once, from end to end, but a processor sees a
/// row for each one of a tile, all of which end soon.
bool GemmNest::fetchesRows() const {
  constexpr double longestRow = 2048;
  double rowBytes = estimate(space.depth.size) * elementSize(space.a.element);
  return space.taps.empty() && space.lines.empty() && !k.target.printed &&
         tasks.panelCount.isConstant(1) && space.depth.strideA.isConstant(1) &&
         space.tile.strideA == space.depth.size && rowBytes <= longestRow &&
         rowBytes * estimate(space.tile.size) > k.target.l2Share(1);
}

/// As far as memory takes to answer, and not less than a tile or two.
int64_t GemmNest::rowsAhead() const {
  constexpr double bytesAhead = 8192;
  double rowBytes = estimate(space.depth.size) * elementSize(space.a.element);
  return std::max(2 * int64_t(heights), int64_t(bytesAhead / rowBytes));
}

/// From what a tile reads of B to the lines that it asks for.
Value GemmNest::ahead(Value number) {
  int64_t lineBytes = k.target.lineBytes;
  MicroKernel shape;
  shape.height = heights;
  shape.vectors = columns / sumLanes(space.sum, k.target);
  int64_t elementBytes =
      std::max(1u, space.b.element.getIntOrFloatBitWidth() / 8);
  int64_t lines = std::max<int64_t>(1, depthsOfRound(shape) * columns *
                                           elementBytes / lineBytes);
  bool byTaps = tasks.slices > 1 && !space.taps.empty();
  int64_t panels = panelsOfTile();
  DimExpr next = byTaps             ? space.taps.front().axis.strideB
                 : tasks.tilesFirst ? DimExpr(0)
                                    : panelElements() * DimExpr(panels);
  Value line = k.rem(number, k.index(lines)), from = k.size(next);
  if (panels > 1) {
    Value ofPanel = k.index(lines / panels);
    from = k.add(from, k.mul(k.div(line, ofPanel), k.size(panelElements())));
    line = k.rem(line, ofPanel);
  }
  return k.add(from, k.mul(line, k.index(lineBytes / elementBytes)));
}

/// Where the columns of a panel begin in B.
Value GemmNest::panelBase() {
  if (copiesPanels()) {
    Value number = k.div(place.column, k.index(columns));
    return k.mul(k.sub(number, firstCopied), k.index(copiedPanelSize()));
  }
  if (space.form != ContractionSpace::Panels)
    return k.add(bBase, k.mul(place.column, k.size(space.columns.strideB)));
  Value wide = k.index(space.panel);
  Value base = k.mul(k.div(place.column, wide), k.size(panelElements()));
  if (space.panel > columns)
    base = k.add(base, k.mul(k.rem(place.column, wide), k.index(space.group)));
  return k.add(bBase, base);
}

void GemmNest::panel(Value panelNumber, Value firstTile, Value lastTile) {
  if (space.gates > 1) {
    panelOfGates(panelNumber, firstTile, lastTile);
    return;
  }
  place.column = k.mul(panelNumber, k.index(columns));
  if (tasks.widened)
    copyPanels(k.index(0), panelNumber, k.add(panelNumber, k.index(1)));
  Value base = panelBase();
  if (epilogue.storesColumns()) {
    tilesOfColumns(base, firstTile, lastTile);
    return;
  }
  k.loop(firstTile, lastTile, k.index(1),
         [&](Value number) { wholeTile(number, base); });
}

/// Which tile of its line it is, and which line that is.
std::pair<Value, Value> GemmNest::placeOf(Value number) {
  if (space.lines.empty())
    return {number, k.index(0)};
  Value count =
      k.size(space.tileIsOutermost ? space.lineCount() : tasks.tilesPerLine);
  Value inner = k.rem(number, count), outer = k.div(number, count);
  return space.tileIsOutermost ? std::make_pair(outer, inner)
                               : std::make_pair(inner, outer);
}

/// Rows of all lines before the first one of a tile.
Value GemmNest::firstRow(Value number) {
  auto [inLine, line] = placeOf(number);
  Value row = k.add(k.mul(inLine, lowHeight), k.min(inLine, higher));
  if (space.tileIsOutermost)
    return k.add(k.mul(row, k.size(space.lineCount())), line);
  return k.add(k.mul(line, k.size(space.tile.size)), row);
}

/// Rows that are finished at once where results are stored column by column: a
/// cache line of each, whose second half would find it gone where columns lie a
/// power of two apart. Blocks of slices have few rows, and seldom fill lines.
int64_t GemmNest::rowsAtOnce() const {
  constexpr int64_t lineBits = 512;
  int64_t lanes = sumLanes(space.sum, k.target);
  return inSlices() ? lanes
                    : std::max<int64_t>(
                          lanes, lineBits / space.sum.getIntOrFloatBitWidth());
}

/// Tiles that are finished together, column by column: lines of the image that
/// fill cache lines, where few do.
int64_t GemmNest::tilesAtOnce() const {
  constexpr int64_t sums = 1536, mostSums = 4096;
  int64_t several = std::max<int64_t>(4, sums / tileSize());
  if (space.tileIsOutermost)
    return *space.lineCount().constant();
  auto perLine = tasks.tilesPerLine.constant(),
       rows = space.tile.size.constant();
  if (space.lines.empty() || !perLine || !rows || *rows == 0)
    return several;
  int64_t atOnce = rowsAtOnce();
  int64_t tiles = atOnce / std::gcd(*rows, atOnce) * *perLine;
  return tiles * tileSize() > mostSums
             ? several
             : tiles * std::max<int64_t>(1, several / tiles);
}

/// Tasks of whole groups of such tiles, where there are several.
void GemmNest::alignTasks() {
  int64_t several = tilesAtOnce();
  if (!epilogue.storesColumns() || inSlices() || tasks.sweeps ||
      tasks.tilesPerTask < 2 * several)
    return;
  tasks.tilesPerTask = int64_t(llvm::alignTo(tasks.tilesPerTask, several));
  tasks.rowBlocks =
      DimExpr::ceilDiv(tasks.tileCount, DimExpr(tasks.tilesPerTask));
}

void GemmNest::fetchColumns(Value firstTile, Value lastTile) {
  Value first = firstRow(firstTile);
  epilogue.fetchColumns(place, first, k.sub(firstRow(lastTile), first));
}

void GemmNest::finishColumns(Value sums, Value firstTile, Value lastTile) {
  Value first = firstRow(firstTile);
  Value rest = k.sub(k.size(space.columns.size), place.column);
  byFullness(rest, [&](bool full) {
    epilogue.finishColumns(tileMemory, sums, place, first,
                           k.sub(firstRow(lastTile), first),
                           full ? Value() : rest);
  });
}

/// Some tiles at a time, whose rows lie side by side in the results.
void GemmNest::tilesOfColumns(Value panelBase, Value firstTile,
                              Value lastTile) {
  Value step = k.index(tilesAtOnce());
  k.loop(firstTile, lastTile, step, [&](Value from) {
    Value to = k.min(k.add(from, step), lastTile);
    fetchColumns(from, to);
    k.loop(from, to, k.index(1), [&](Value number) {
      Tile tile = locate(number, panelBase);
      placeFilter(tile, {});
      tile.args.c = tileMemory;
      tile.args.cOffset =
          k.mul(k.sub(firstRow(number), firstRow(from)), k.index(columns));
      tile.args.rowStrideC = strideOfSums();
      sumTile(tile);
    });
    finishColumns(k.index(0), from, to);
  });
}

/// Taps whose rows leave the image altogether are not visited.
void GemmNest::clipLines(MicroKernelArgs &args, Value slice) {
  unsigned slot = 3 - space.taps.size();
  for (const TapAxis &tap : space.taps) {
    MicroKernelArgs::Tap &to = args.taps[slot++];
    to = {k.size(tap.axis.size), k.size(tap.axis.strideA),
          k.size(tap.axis.strideB)};
    Value first = k.index(0), last = to.count;
    if (tap.clipped && tap.clip.line >= 0) {
      const Clip &clip = tap.clip;
      Value position =
          k.sub(k.mul(place.lines[clip.line], k.index(clip.stride)),
                k.index(clip.low));
      first = ceilDiv(k.max(k.sub(k.index(0), position), k.index(0)),
                      clip.dilation);
      last = k.min(
          last, ceilDiv(k.max(k.sub(k.size(clip.extent), position), k.index(0)),
                        clip.dilation));
    }
    if (slice && &tap == &space.taps.front()) {
      first = k.max(first, slice);
      last = k.min(last, k.add(slice, k.index(1)));
    }
    to.count = k.max(k.sub(last, first), k.index(0));
    args.aOffset = k.add(args.aOffset, k.mul(first, to.strideA));
    args.bOffset = k.add(args.bOffset, k.mul(first, to.strideB));
  }
}

GemmNest::Tile GemmNest::locate(Value number, Value panelBase) {
  auto [inLine, line] = placeOf(number);
  Tile tile;
  MicroKernelArgs &args = tile.args;
  args.a = a, args.b = copiesPanels() ? packedPanels : b;
  args.aOffset = aBase, args.bOffset = panelBase;
  place.lines.assign(space.lines.size(), Value());
  for (unsigned i = space.lines.size(); i-- > 0;) {
    Value size = k.size(space.lines[i].size);
    place.lines[i] = i ? k.rem(line, size) : line;
    line = i ? k.div(line, size) : line;
    args.aOffset = k.add(args.aOffset,
                         k.mul(place.lines[i], k.size(space.lines[i].strideA)));
  }
  // The first `higher` tiles have a row more.
  place.row = k.add(k.mul(inLine, lowHeight), k.min(inLine, higher));
  tile.height = lowHeight;
  if (k.constantOf(higher) != 0) {
    Value isHigher = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::slt,
                                               inLine, higher);
    tile.height =
        k.add(tile.height, k.b.create<arith::SelectOp>(k.loc, isHigher,
                                                       k.index(1), k.index(0)));
  }
  args.rowStride = k.size(space.tile.strideA);
  args.aOffset = k.add(args.aOffset, k.mul(place.row, args.rowStride));
  args.depth = k.size(space.depth.size);
  args.depthStrideA = k.size(space.depth.strideA);
  args.depthStrideB =
      copiesPanels() ? k.index(columns) : k.size(space.depth.strideB);
  tile.rest = k.sub(k.size(space.columns.size), place.column);
  if (panelsOfTile() > 1)
    args.panelStride = k.size(panelElements());
  if (looksAhead())
    args.ahead = ahead(number);
  else if (fetchesRows())
    args.ahead = k.mul(k.index(rowsAhead()), args.rowStride);
  return tile;
}

void GemmNest::placeFilter(Tile &tile, Value slice) {
  MicroKernelArgs &args = tile.args;
  for (MicroKernelArgs::Tap &tap : args.taps)
    tap = {k.index(1), k.index(0), k.index(0)};
  clipLines(args, slice);
  const TapAxis *edge = edgeTap();
  if (!edge)
    return;
  args.zeros = zeros;
  args.position = k.sub(k.mul(place.row, k.index(edge->clip.stride)),
                        k.index(edge->clip.low));
  args.rowStep = k.index(edge->clip.stride);
  args.tapStep = k.index(edge->clip.dilation);
  args.extent = k.size(edge->clip.extent);
  tile.inside = isInside(tile.height, args);
}

/// Runs for a panel with all its columns, or for the last one.
void GemmNest::byFullness(Value rest, function_ref<void(bool full)> run) {
  auto known = space.columns.size.constant();
  if (known && (*known % columns == 0 || *known < columns)) {
    run(*known >= columns);
    return;
  }
  Value full = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::sge, rest,
                                         k.index(columns));
  auto branch = k.b.create<scf::IfOp>(k.loc, full, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPoint(branch.thenBlock()->getTerminator());
  run(true);
  k.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  run(false);
}

void GemmNest::wholeTile(Value number, Value panelBase) {
  Tile tile = locate(number, panelBase);
  placeFilter(tile, {});
  auto known = space.columns.size.constant();
  byFullness(tile.rest, [&](bool full) {
    tile.args.c = tileMemory;
    tile.args.cOffset = k.index(0);
    tile.args.rowStrideC = k.index(columns);
    // Whole vectors that are all columns there are end where the row does.
    bool whole = known && *known <= columns &&
                 *known % int64_t(sumLanes(space.sum, k.target)) == 0;
    auto store = full || whole ? epilogue.directStore(place) : std::nullopt;
    if (store) {
      tile.args.c = store->memory;
      tile.args.cOffset = store->offset;
      tile.args.rowStrideC = store->rowStride;
    }
    dispatch(tile, full);
    if (!store)
      epilogue.finish(tileMemory, k.index(0), k.index(columns), place,
                      tile.height, full ? Value() : tile.rest);
  });
}

namespace {
/// The ways in which a fusion's product may be computed, of which the run takes
/// one: by the values of a window, or by numbers as they are.
struct GemmVariants {
  std::vector<WinogradConvolution> transformed;
  DimExpr plain = 1; ///< 1 where no other one is taken, else 0
  TargetModel target;
  FailureOr<ContractionSpace> space = failure();
  SmallVector<DimExpr> scratchBytes;

  /// Failure has been reported at the op.
  GemmVariants(graph::FusionOp fusion, graph::DimAnalysis &dims,
               const TargetModel &machine)
      : transformed(winogradConvolutions(fusion, dims, machine)),
        target(tileTarget(fusion, machine)) {
    for (const WinogradConvolution &way : transformed) {
      llvm::append_range(scratchBytes, winogradScratchBytes(way));
      plain = plain - way.taken;
    }
    if (plain.isConstant(0) ||
        failed(space = contractionSpace(fusion, dims, target)))
      return;
    renumberScratch(*space, scratchBytes.size());
    for (const Preparation &preparation : space->preparations)
      scratchBytes.push_back(preparation.bytes * plain);
  }
};
} // namespace

FailureOr<KernelPlan> emitContraction(graph::FusionOp fusion,
                                      graph::DimAnalysis &dims,
                                      const TargetModel &machine,
                                      ModuleOp kernels, StringRef name) {
  GemmVariants ways(fusion, dims, machine);
  const TargetModel &target = ways.target;
  bool onlyOne = ways.plain.isConstant(0) && ways.transformed.size() == 1;
  KernelPlan plan;
  plan.scratchBytes = ways.scratchBytes;
  for (auto [number, way] : llvm::enumerate(ways.transformed)) {
    std::string own =
        onlyOne ? name.str() : (name + "_points" + Twine(number)).str();
    if (failed(emitWinogradConvolution(plan, way, fusion, dims, machine,
                                       kernels, own)))
      return failure();
  }
  if (ways.plain.isConstant(0))
    return plan;
  auto &space = ways.space;
  if (failed(space))
    return failure();
  auto add = [&](FailureOr<Launch> launch, const DimExpr &taken) {
    if (succeeded(launch))
      launch->tasks = launch->tasks * taken;
    return addLaunch(plan, std::move(launch));
  };
  for (const Preparation &preparation : space->preparations)
    if (!add(emitPreparation(
                 preparation, *space, fusion, dims, target, kernels,
                 (name + "_prepare" + Twine(preparation.scratch)).str()),
             ways.plain))
      return failure();
  auto emitNest = [&](const ContractionSpace &space, const TargetModel &target,
                      StringRef name, const DimExpr &taken) {
    KernelBuilder kernel(fusion, dims, target, kernels, name);
    return add(GemmNest(kernel, space).emit(), taken);
  };
  auto few = smallMVariant(fusion, dims, *space, target);
  if (few &&
      !emitNest(few->space, few->target, (name + "_few").str(), few->taken))
    return failure();
  if (!emitNest(*space, target, name,
                few ? DimExpr(1) - few->taken : ways.plain))
    return failure();
  if (space->symmetric)
    plan.launches.push_back(emitMirror(fusion, dims, target, kernels,
                                       (name + "_mirror").str(), *space));
  return plan;
}

SmallVector<DimExpr> contractionScratchBytes(graph::FusionOp fusion,
                                             graph::DimAnalysis &dims,
                                             const TargetModel &machine) {
  // What goes wrong here goes wrong, and is reported, when the kernels are
  // emitted.
  ScopedDiagnosticHandler silence(fusion.getContext(),
                                  [](Diagnostic &) { return success(); });
  return GemmVariants(fusion, dims, machine).scratchBytes;
}

} // namespace zenith::kernels
