// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops around the micro-kernel: tasks, panels, tiles of balanced height,
// then the epilogue.

#include "lowering/kernels/ContractionKernel.h"
#include "lowering/kernels/ContractionEpilogue.h"
#include "lowering/kernels/ContractionTasks.h"
#include "lowering/kernels/MicroKernel.h"
#include "lowering/kernels/PackPanelKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {

class ContractionNest {
public:
  ContractionNest(KernelBuilder &kernel, const ContractionSpace &space)
      : k(kernel), space(space), epilogue(kernel, space),
        columns(tileColumns(space.sum, kernel.target)),
        heights(kernel.target.rows),
        tasks(chooseTasks(space, heights, columns)) {}
  FailureOr<Launch> emit();

private:
  /// One tile: its place (in `place`), its height, and its arguments but for
  /// where the sums go.
  struct Tile {
    Value height, rest; ///< rest: columns from its first one on
    MicroKernelArgs args;
    Value inside; ///< no row leaves the image; null where none can
  };
  void prepareMemory();
  void prepareZeros();
  void task(Value number);
  void panel(Value panelNumber, Value firstTile, Value lastTile);
  void clearSums(Value count);
  void slicedPanel(Value base, Value firstTile, Value lastTile);
  void sweep(Value firstPanel, Value lastPanel);
  void sweepSlice(Value slice, Value firstPanel, Value lastPanel);
  Value panelBase();
  void wholeTile(Value number, Value panelBase);
  Tile locate(Value number, Value panelBase);
  void placeWindow(Tile &tile, Value slice);
  void takeSlice(Tile &tile, Value slice);
  void byFullness(Value rest, function_ref<void(bool full)> run);
  void clipLines(MicroKernelArgs &args, Value slice);
  void dispatch(const Tile &tile, bool full, unsigned panels = 1);
  void callHeights(Value height, const MicroKernelArgs &args,
                   MicroKernel shape);
  MicroKernelArgs insideOfImage(MicroKernelArgs args, MicroKernel::Form &form);
  Value isInside(Value height, const MicroKernelArgs &args);
  Value ceilDiv(Value x, int64_t y) {
    return k.div(k.add(x, k.index(y - 1)), k.index(y));
  }
  const TapAxis *edgeTap() const {
    return !space.taps.empty() && space.taps.back().clipped &&
                   space.taps.back().clip.line < 0
               ? &space.taps.back()
               : nullptr;
  }
  int64_t tileSize() const { return int64_t(heights) * columns; }
  int64_t sumsOfTask() const {
    if (tasks.sweeps)
      return *space.tile.size.constant() * tasks.panelsPerTask * columns;
    return tileSize() * (tasks.slices > 1 ? tasks.tilesPerTask : 1);
  }

  KernelBuilder &k;
  const ContractionSpace &space;
  ContractionEpilogue epilogue;
  unsigned columns, heights;
  ContractionTasks tasks;
  Value a, b, tileMemory, zeros, lowHeight, higher;
  TilePlace place;
  Value aBase, bBase;
};

void ContractionNest::prepareMemory() {
  auto memory = [&](const Source &source) {
    return source.scratch ? k.scratch(source.index, memoryType(source.element))
                          : k.operand(source.index);
  };
  a = memory(space.a);
  b = memory(space.b);
  tileMemory = k.b.create<memref::AllocaOp>(
      k.loc, MemRefType::get({sumsOfTask()}, space.sum),
      k.b.getI64IntegerAttr(64));
  DimExpr low = DimExpr::floorDiv(space.tile.size, tasks.tilesPerLine);
  lowHeight = k.size(low);
  higher = k.size(space.tile.size - low * tasks.tilesPerLine);
  if (edgeTap())
    prepareZeros();
}

void ContractionNest::prepareZeros() {
  Type element = memoryType(space.a.element);
  int64_t count = std::max<int64_t>(1, *space.depth.size.constant());
  Value row = k.b.create<memref::AllocaOp>(
      k.loc, MemRefType::get({count}, element), k.b.getI64IntegerAttr(64));
  Value zero = isa<FloatType>(element) ? k.constant(element, 0.0)
                                       : k.integer(element, 0);
  k.loop(k.index(0), k.index(count), k.index(1),
         [&](Value i) { k.b.create<memref::StoreOp>(k.loc, zero, row, i); });
  zeros = asMemory(k.b, k.loc, row);
}

FailureOr<Launch> ContractionNest::emit() {
  if (failed(epilogue.analyse()))
    return failure();
  prepareMemory();
  k.loop(k.begin(), k.end(), k.index(1), [&](Value number) { task(number); });
  if (epilogue.failed())
    return failure();
  return k.finish(space.outerCount() * tasks.rowBlocks * tasks.panelGroups,
                  tasks.costPerTask);
}

void ContractionNest::task(Value number) {
  Value groups = k.size(tasks.panelGroups), blocks = k.size(tasks.rowBlocks);
  Value group = k.rem(number, groups);
  Value rest = k.div(number, groups);
  Value block = k.rem(rest, blocks);
  Value flat = k.div(rest, blocks);
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
  Value firstTile = k.mul(block, k.index(tasks.tilesPerTask));
  Value lastTile = k.min(k.add(firstTile, k.index(tasks.tilesPerTask)),
                         k.size(tasks.tileCount));
  if (tasks.panelsPerTask == 1) {
    panel(group, firstTile, lastTile);
    return;
  }
  Value first = k.mul(group, k.index(tasks.panelsPerTask));
  Value last = k.min(k.add(first, k.index(tasks.panelsPerTask)),
                     k.size(tasks.panelCount));
  if (tasks.sweeps)
    sweep(first, last);
  else
    k.loop(first, last, k.index(1),
           [&](Value p) { panel(p, firstTile, lastTile); });
}

/// Where the columns of a panel begin in B.
Value ContractionNest::panelBase() {
  if (space.form != ContractionSpace::Panels)
    return k.add(bBase, k.mul(place.column, k.size(space.columns.strideB)));
  Value wide = k.index(space.panel);
  DimExpr panelSize = space.depthOfAllTaps() * DimExpr(int64_t(space.panel));
  Value base = k.mul(k.div(place.column, wide), k.size(panelSize));
  if (space.panel != columns)
    base = k.add(base, k.rem(place.column, wide));
  return k.add(bBase, base);
}

void ContractionNest::panel(Value panelNumber, Value firstTile,
                            Value lastTile) {
  place.column = k.mul(panelNumber, k.index(columns));
  Value base = panelBase();
  if (tasks.slices > 1)
    slicedPanel(base, firstTile, lastTile);
  else
    k.loop(firstTile, lastTile, k.index(1),
           [&](Value number) { wholeTile(number, base); });
}

void ContractionNest::clearSums(Value count) {
  auto type =
      VectorType::get({int64_t(sumLanes(space.sum, k.target))}, space.sum);
  Value zero =
      isa<FloatType>(space.sum) ? k.constant(type, 0.0) : k.integer(type, 0);
  k.loop(k.index(0), count, k.index(type.getNumElements()), [&](Value at) {
    k.b.create<vector::StoreOp>(k.loc, zero, tileMemory, at);
  });
}

/// Slice by slice over all tiles, whose sums wait in memory.
void ContractionNest::slicedPanel(Value base, Value firstTile, Value lastTile) {
  auto slot = [&](Value number) {
    return k.mul(k.sub(number, firstTile), k.index(tileSize()));
  };
  clearSums(slot(lastTile));
  k.loop(k.index(0), k.index(tasks.slices), k.index(1), [&](Value slice) {
    k.loop(firstTile, lastTile, k.index(1), [&](Value number) {
      Tile tile = locate(number, base);
      takeSlice(tile, slice);
      tile.args.c = tileMemory;
      tile.args.cOffset = slot(number);
      tile.args.rowStrideC = k.index(columns);
      // Only B that is read where it lies has an end to its columns.
      if (space.form == ContractionSpace::Direct)
        byFullness(tile.rest, [&](bool full) { dispatch(tile, full); });
      else
        dispatch(tile, true);
    });
  });
  k.loop(firstTile, lastTile, k.index(1), [&](Value number) {
    Tile tile = locate(number, base);
    byFullness(tile.rest, [&](bool full) {
      epilogue.finish(tileMemory, slot(number), k.index(columns), place,
                      tile.height, full ? Value() : tile.rest);
    });
  });
}

/// Some rows of B past the sums of all columns: several panels at once as long
/// as the tile has registers for them, then one at a time.
void ContractionNest::sweepSlice(Value slice, Value firstPanel,
                                 Value lastPanel) {
  int64_t vectors = columns / sumLanes(space.sum, k.target);
  int64_t atOnce = std::max<int64_t>(
      1, 8 / (vectors * std::max<int64_t>(1, *space.tile.size.constant())));
  auto run = [&](Value number, unsigned panels, bool full) {
    place.column = k.mul(number, k.index(columns));
    Tile tile = locate(k.index(0), panelBase());
    takeSlice(tile, slice);
    tile.args.c = tileMemory;
    tile.args.cOffset = k.mul(k.sub(number, firstPanel), k.index(columns));
    tile.args.rowStrideC = k.index(tasks.panelsPerTask * columns);
    dispatch(tile, full, panels);
  };
  Value fullPanels =
      k.size(DimExpr::floorDiv(space.columns.size, DimExpr(int64_t(columns))));
  Value lastFull = k.max(firstPanel, k.min(lastPanel, fullPanels));
  Value count = k.sub(lastFull, firstPanel), step = k.index(atOnce);
  Value whole = k.sub(lastFull, k.rem(count, step));
  k.loop(firstPanel, whole, step,
         [&](Value number) { run(number, atOnce, true); });
  if (atOnce > 1)
    k.loop(whole, lastFull, k.index(1),
           [&](Value number) { run(number, 1, true); });
  if (auto known = space.columns.size.constant(); !known || *known % columns)
    k.loop(lastFull, lastPanel, k.index(1),
           [&](Value number) { run(number, 1, false); });
}

void ContractionNest::sweep(Value firstPanel, Value lastPanel) {
  clearSums(k.index(sumsOfTask()));
  k.loop(k.index(0), k.index(tasks.slices), k.index(1),
         [&](Value slice) { sweepSlice(slice, firstPanel, lastPanel); });
  k.loop(firstPanel, lastPanel, k.index(1), [&](Value number) {
    place.column = k.mul(number, k.index(columns));
    Tile tile = locate(k.index(0), panelBase());
    Value at = k.mul(k.sub(number, firstPanel), k.index(columns));
    byFullness(tile.rest, [&](bool full) {
      epilogue.finish(tileMemory, at, k.index(tasks.panelsPerTask * columns),
                      place, tile.height, full ? Value() : tile.rest);
    });
  });
}

/// Taps whose rows leave the image altogether are not visited.
void ContractionNest::clipLines(MicroKernelArgs &args, Value slice) {
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

ContractionNest::Tile ContractionNest::locate(Value number, Value panelBase) {
  Value perLine = k.size(tasks.tilesPerLine);
  Value inLine = space.lines.empty() ? number : k.rem(number, perLine);
  Value line = space.lines.empty() ? k.index(0) : k.div(number, perLine);
  Tile tile;
  MicroKernelArgs &args = tile.args;
  args.a = a, args.b = b;
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
  args.depthStrideB = k.size(space.depth.strideB);
  tile.rest = k.sub(k.size(space.columns.size), place.column);
  return tile;
}

void ContractionNest::placeWindow(Tile &tile, Value slice) {
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

void ContractionNest::takeSlice(Tile &tile, Value slice) {
  if (!space.taps.empty()) {
    placeWindow(tile, slice);
    return;
  }
  MicroKernelArgs &args = tile.args;
  Value first = k.mul(slice, k.index(tasks.sliceDepth));
  args.depth = k.min(k.sub(args.depth, first), k.index(tasks.sliceDepth));
  args.aOffset = k.add(args.aOffset, k.mul(first, args.depthStrideA));
  args.bOffset = k.add(args.bOffset, k.mul(first, args.depthStrideB));
}

/// Runs for a panel with all its columns, or for the last one.
void ContractionNest::byFullness(Value rest,
                                 function_ref<void(bool full)> run) {
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

void ContractionNest::wholeTile(Value number, Value panelBase) {
  Tile tile = locate(number, panelBase);
  placeWindow(tile, {});
  byFullness(tile.rest, [&](bool full) {
    tile.args.c = tileMemory;
    tile.args.cOffset = k.index(0);
    tile.args.rowStrideC = k.index(columns);
    auto store = full ? epilogue.directStore(place) : std::nullopt;
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

/// No row of the tile leaves the image at any tap.
Value ContractionNest::isInside(Value height, const MicroKernelArgs &args) {
  Value lastRow = k.mul(k.sub(height, k.index(1)), args.rowStep);
  Value lastTap = k.mul(k.sub(args.taps[2].count, k.index(1)), args.tapStep);
  Value last = k.add(args.position, k.add(lastRow, lastTap));
  Value low = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::sge,
                                        args.position, k.index(0));
  Value high = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::slt, last,
                                         args.extent);
  return k.b.create<arith::AndIOp>(k.loc, low, high);
}

/// Inside of the image, the innermost tap and its channels may be one run.
MicroKernelArgs ContractionNest::insideOfImage(MicroKernelArgs args,
                                               MicroKernel::Form &form) {
  const Axis &tap = space.taps.back().axis;
  if (tap.strideA == space.depth.size * space.depth.strideA &&
      tap.strideB == space.depth.size * space.depth.strideB) {
    args.depth = k.mul(args.depth, args.taps[2].count);
    args.taps[2].count = k.index(1);
    if (space.taps.size() == 1)
      form = MicroKernel::Product;
  }
  return args;
}

/// Integers of 16 bits everywhere, bf16 where there is an instruction for it.
static bool multipliesPairs(const ContractionSpace &space,
                            const KernelTarget &target) {
  Type a = space.a.element, b = space.b.element;
  // Printed kernels have no loads that look at two elements as one.
  if (!space.depth.strideA.isConstant(1) || target.opencl)
    return false;
  if (a.isBF16() && b.isBF16() && space.sum.isF32())
    return target.avx512bf16;
  return a.isInteger(16) && !a.isUnsignedInteger() && space.sum.isInteger(32) &&
         b.isInteger() && b.getIntOrFloatBitWidth() <= 16 &&
         !b.isUnsignedInteger(16);
}

/// One or two rows past narrow panels: memory is the limit, and a window of
/// instructions that are half widening reaches half as far (measured with 256
/// bits: 1.1 to 1.2 times as fast with requests ahead; 512 bits do without).
static bool streamsNarrow(const ContractionSpace &space,
                          const KernelTarget &target) {
  auto rows = (space.lineCount() * space.tile.size).constant();
  return space.form == ContractionSpace::Panels && space.taps.empty() && rows &&
         *rows <= 2 && !target.avx512 && !target.opencl &&
         isa<FloatType>(space.sum) &&
         space.b.element.getIntOrFloatBitWidth() <
             space.sum.getIntOrFloatBitWidth();
}

void ContractionNest::dispatch(const Tile &tile, bool full, unsigned panels) {
  MicroKernel shape;
  shape.lanes = sumLanes(space.sum, k.target);
  shape.vectors = panels * (columns / shape.lanes);
  shape.masked = !full && space.form == ContractionSpace::Direct;
  shape.continues = tasks.slices > 1;
  shape.fma = k.target.fma;
  shape.a = space.a.element;
  shape.b = space.b.element;
  shape.sum = space.sum;
  shape.pairs = multipliesPairs(space, k.target);
  shape.prefetches = streamsNarrow(space, k.target);
  MicroKernelArgs args = tile.args;
  args.columns = full ? k.index(columns) : tile.rest;
  if (space.form == ContractionSpace::Dots) {
    callDotKernel(k, shape, args, tile.height, k.size(space.columns.strideB));
    return;
  }
  shape.form = space.taps.empty() ? MicroKernel::Product : MicroKernel::Window;
  if (!tile.inside) {
    callHeights(tile.height, args, shape);
    return;
  }
  auto branch =
      k.b.create<scf::IfOp>(k.loc, tile.inside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPoint(branch.thenBlock()->getTerminator());
  MicroKernel joinedShape = shape;
  MicroKernelArgs joined = insideOfImage(args, joinedShape.form);
  callHeights(tile.height, joined, joinedShape);
  k.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  shape.form = MicroKernel::Edge;
  callHeights(tile.height, args, shape);
}

/// Chooses the micro-kernel by the height of the tile, of which few are
/// possible where the rows are known.
void ContractionNest::callHeights(Value height, const MicroKernelArgs &args,
                                  MicroKernel shape) {
  SmallVector<unsigned> possible;
  auto rows = space.tile.size.constant();
  for (unsigned h = heights; h >= 1; --h) {
    if (rows) {
      int64_t tiles = (*rows + heights - 1) / heights;
      int64_t least = tiles ? *rows / tiles : 0,
              most = tiles ? (*rows + tiles - 1) / tiles : 0;
      if (h < least || h > most)
        continue;
    }
    possible.push_back(h);
  }
  OpBuilder::InsertionGuard guard(k.b);
  for (auto [i, h] : llvm::enumerate(possible)) {
    shape.height = h;
    if (i + 1 == possible.size()) {
      callMicroKernel(k, shape, args);
      return;
    }
    Value equal = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::eq,
                                            height, k.index(h));
    auto branch = k.b.create<scf::IfOp>(k.loc, equal, /*withElseRegion=*/true);
    k.b.setInsertionPoint(branch.thenBlock()->getTerminator());
    callMicroKernel(k, shape, args);
    k.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  }
}

} // namespace

FailureOr<KernelPlan> emitContraction(graph::FusionOp fusion,
                                      graph::DimAnalysis &dims,
                                      const KernelTarget &target,
                                      ModuleOp kernels, StringRef name) {
  auto space = contractionSpace(fusion, dims, target);
  if (failed(space))
    return failure();
  KernelPlan plan;
  for (const Preparation &preparation : space->preparations) {
    std::string ownName =
        (name + "_prepare" + Twine(preparation.scratch)).str();
    auto launch = emitPreparation(preparation, *space, fusion, dims, target,
                                  kernels, ownName);
    if (failed(launch))
      return failure();
    plan.launches.push_back(*launch);
    plan.scratchBytes.push_back(preparation.bytes);
  }
  KernelBuilder kernel(fusion, dims, target, kernels, name);
  auto launch = ContractionNest(kernel, *space).emit();
  if (failed(launch))
    return failure();
  plan.launches.push_back(*launch);
  return plan;
}

SmallVector<DimExpr> contractionScratchBytes(graph::FusionOp fusion,
                                             graph::DimAnalysis &dims,
                                             const KernelTarget &target) {
  // What goes wrong here goes wrong, and is reported, when the kernels are
  // emitted.
  ScopedDiagnosticHandler silence(fusion.getContext(),
                                  [](Diagnostic &) { return success(); });
  auto space = contractionSpace(fusion, dims, target);
  SmallVector<DimExpr> bytes;
  if (succeeded(space))
    for (const Preparation &preparation : space->preparations)
      bytes.push_back(preparation.bytes);
  return bytes;
}

} // namespace zenith::kernels
