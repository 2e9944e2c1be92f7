// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops around the micro-kernel: tasks, panels, tiles of balanced height,
// then the epilogue.

#include "lowering/kernels/ContractionKernel.h"
#include "lowering/kernels/ContractionEpilogue.h"
#include "lowering/kernels/ContractionSpace.h"
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

/// Rows of A that stay in the second-level cache while panels stream by.
static constexpr double rowBlockBytes = 400 * 1024;
static constexpr double maxTilesPerTask = 512;
/// B is small where it stays in the second-level cache beside the rows.
static constexpr double smallBytes = 256 * 1024;

namespace {

class ContractionNest {
public:
  ContractionNest(KernelBuilder &kernel, const ContractionSpace &space)
      : k(kernel), space(space), epilogue(kernel, space),
        columns(tileColumns(space.sum, kernel.target)),
        heights(kernel.target.rows) {}
  FailureOr<Launch> emit();

private:
  void chooseTasks();
  void prepareMemory();
  void task(Value number);
  void panel(Value panelNumber, Value firstTile, Value lastTile);
  void tile(Value number, Value panelBase);
  void tileColumnsKnown(Value height, MicroKernelArgs args,
                        const MicroKernelArgs *edge, Value inside, Value rest);
  void clipLines(MicroKernelArgs &args);
  void dispatch(Value height, const MicroKernelArgs &args,
                const MicroKernelArgs *edge, Value inside, bool masked);
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

  KernelBuilder &k;
  const ContractionSpace &space;
  ContractionEpilogue epilogue;
  unsigned columns, heights;
  int64_t tilesPerTask = 1, panelsPerTask = 1;
  DimExpr tilesPerLine, tileCount, panelCount, rowBlocks, panelGroups;
  double costPerTask = 0;
  Value a, b, tileMemory, zeros, lowHeight, higher;
  TilePlace place;
  Value aBase, bBase;
};

void ContractionNest::chooseTasks() {
  tilesPerLine = DimExpr::ceilDiv(space.tile.size, DimExpr(int64_t(heights)));
  tileCount = space.lineCount() * tilesPerLine;
  panelCount = DimExpr::ceilDiv(space.columns.size, DimExpr(int64_t(columns)));
  double depth = std::max(1.0, estimate(space.depthOfAllTaps())),
         tiles = std::max(1.0, estimate(tileCount));
  double panels = std::max(1.0, estimate(panelCount));
  // Neighbouring rows of a convolution share most of what they read.
  double rowBytes =
      4 * (space.taps.empty() ? depth : estimate(space.depth.size));
  double perTask = rowBlockBytes / (rowBytes * heights);
  // Long rows leave no block worth the name: stream them all past each panel.
  if (perTask < 8)
    perTask = maxTilesPerTask;
  auto knownPanels = panelCount.constant();
  if (knownPanels && *knownPanels > 0 &&
      depth * panels * columns * 4 <= smallBytes &&
      tiles * heights >= 4 * panels * columns) {
    // Tall and narrow: tasks that share lines of the result would fight for
    // them.
    panelsPerTask = *knownPanels;
    perTask =
        std::max(4.0, std::min(perTask, 50e3 / (heights * depth * panels)));
  }
  tilesPerTask = int64_t(std::min(perTask, maxTilesPerTask));
  if (auto known = tileCount.constant(); known && *known > 0) {
    int64_t blocks = (*known + tilesPerTask - 1) / tilesPerTask;
    tilesPerTask = (*known + blocks - 1) / blocks;
  }
  rowBlocks = DimExpr::ceilDiv(tileCount, DimExpr(tilesPerTask));
  panelGroups = DimExpr::ceilDiv(panelCount, DimExpr(panelsPerTask));
  double tilesOfTask = std::min(double(tilesPerTask), tiles);
  costPerTask =
      depth * columns * double(panelsPerTask) * (2 * heights * tilesOfTask + 4);
}

void ContractionNest::prepareMemory() {
  auto memory = [&](const Source &source) {
    return source.scratch ? k.scratch(source.index, memoryType(source.element))
                          : k.operand(source.index);
  };
  a = memory(space.a);
  b = memory(space.b);
  tileMemory = k.b.create<memref::AllocaOp>(
      k.loc, MemRefType::get({int64_t(heights) * columns}, space.sum),
      k.b.getI64IntegerAttr(64));
  lowHeight = k.size(DimExpr::floorDiv(space.tile.size, tilesPerLine));
  higher =
      k.size(space.tile.size -
             DimExpr::floorDiv(space.tile.size, tilesPerLine) * tilesPerLine);
  if (!edgeTap())
    return;
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
  chooseTasks();
  prepareMemory();
  k.loop(k.begin(), k.end(), k.index(1), [&](Value number) { task(number); });
  if (epilogue.failed())
    return failure();
  return k.finish(space.outerCount() * rowBlocks * panelGroups, costPerTask);
}

void ContractionNest::task(Value number) {
  Value groups = k.size(panelGroups), blocks = k.size(rowBlocks);
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
  Value firstTile = k.mul(block, k.index(tilesPerTask));
  Value lastTile =
      k.min(k.add(firstTile, k.index(tilesPerTask)), k.size(tileCount));
  if (panelsPerTask == 1) {
    panel(group, firstTile, lastTile);
    return;
  }
  Value first = k.mul(group, k.index(panelsPerTask));
  Value last = k.min(k.add(first, k.index(panelsPerTask)), k.size(panelCount));
  k.loop(first, last, k.index(1),
         [&](Value p) { panel(p, firstTile, lastTile); });
}

void ContractionNest::panel(Value panelNumber, Value firstTile,
                            Value lastTile) {
  place.column = k.mul(panelNumber, k.index(columns));
  Value base;
  if (space.form == ContractionSpace::Panels) {
    Value wide = k.index(space.panel);
    base = k.add(
        k.mul(k.div(place.column, wide),
              k.size(space.depthOfAllTaps() * DimExpr(int64_t(space.panel)))),
        k.rem(place.column, wide));
  } else {
    base = k.mul(place.column, k.size(space.columns.strideB));
  }
  base = k.add(bBase, base);
  k.loop(firstTile, lastTile, k.index(1),
         [&](Value number) { tile(number, base); });
}

/// Taps whose rows leave the image altogether are not visited.
void ContractionNest::clipLines(MicroKernelArgs &args) {
  unsigned slot = 3 - space.taps.size();
  for (const TapAxis &tap : space.taps) {
    MicroKernelArgs::Tap &to = args.taps[slot++];
    to = {k.size(tap.axis.size), k.size(tap.axis.strideA),
          k.size(tap.axis.strideB)};
    if (!tap.clipped || tap.clip.line < 0)
      continue;
    const Clip &clip = tap.clip;
    Value position = k.sub(k.mul(place.lines[clip.line], k.index(clip.stride)),
                           k.index(clip.low));
    Value first =
        ceilDiv(k.max(k.sub(k.index(0), position), k.index(0)), clip.dilation);
    Value last = ceilDiv(
        k.max(k.sub(k.size(clip.extent), position), k.index(0)), clip.dilation);
    last = k.min(last, to.count);
    to.count = k.max(k.sub(last, first), k.index(0));
    args.aOffset = k.add(args.aOffset, k.mul(first, to.strideA));
    args.bOffset = k.add(args.bOffset, k.mul(first, to.strideB));
  }
}

void ContractionNest::tile(Value number, Value panelBase) {
  Value perLine = k.size(tilesPerLine);
  Value inLine = space.lines.empty() ? number : k.rem(number, perLine);
  Value line = space.lines.empty() ? k.index(0) : k.div(number, perLine);
  MicroKernelArgs args;
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
  Value height = lowHeight;
  if (k.constantOf(higher) != 0) {
    Value isHigher = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::slt,
                                               inLine, higher);
    height = k.add(height, k.b.create<arith::SelectOp>(k.loc, isHigher,
                                                       k.index(1), k.index(0)));
  }
  args.rowStride = k.size(space.tile.strideA);
  args.aOffset = k.add(args.aOffset, k.mul(place.row, args.rowStride));
  args.depth = k.size(space.depth.size);
  args.depthStrideA = k.size(space.depth.strideA);
  args.depthStrideB = k.size(space.depth.strideB);
  for (MicroKernelArgs::Tap &tap : args.taps)
    tap = {k.index(1), k.index(0), k.index(0)};
  clipLines(args);
  const TapAxis *edge = edgeTap();
  Value inside;
  if (edge) {
    args.zeros = zeros;
    args.position = k.sub(k.mul(place.row, k.index(edge->clip.stride)),
                          k.index(edge->clip.low));
    args.rowStep = k.index(edge->clip.stride);
    args.tapStep = k.index(edge->clip.dilation);
    args.extent = k.size(edge->clip.extent);
    inside = isInside(height, args);
  }
  Value rest = k.sub(k.size(space.columns.size), place.column);
  tileColumnsKnown(height, args, edge ? &args : nullptr, inside, rest);
}

/// All columns of the panel, or the last ones.
void ContractionNest::tileColumnsKnown(Value height, MicroKernelArgs args,
                                       const MicroKernelArgs *edgeArgs,
                                       Value inside, Value rest) {
  MicroKernelArgs edge;
  auto run = [&](bool full) {
    args.columns = full ? k.index(columns) : rest;
    args.c = tileMemory;
    args.cOffset = k.index(0);
    args.rowStrideC = k.index(columns);
    auto store = full ? epilogue.directStore(place) : std::nullopt;
    if (store) {
      args.c = store->memory;
      args.cOffset = store->offset;
      args.rowStrideC = store->rowStride;
    }
    edge = args;
    dispatch(height, args, edgeArgs ? &edge : nullptr, inside,
             !full && space.form == ContractionSpace::Direct);
    if (!store)
      epilogue.finish(tileMemory, place, height, full ? Value() : rest);
  };
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

void ContractionNest::dispatch(Value height, const MicroKernelArgs &args,
                               const MicroKernelArgs *edge, Value inside,
                               bool masked) {
  MicroKernel shape;
  shape.lanes = sumLanes(space.sum, k.target);
  shape.vectors = columns / shape.lanes;
  shape.masked = masked;
  shape.fma = k.target.fma;
  shape.a = space.a.element;
  shape.b = space.b.element;
  shape.sum = space.sum;
  if (space.form == ContractionSpace::Dots) {
    callDotKernel(k, shape, args, height, k.size(space.columns.strideB));
    return;
  }
  shape.form = space.taps.empty() ? MicroKernel::Product : MicroKernel::Window;
  if (!edge) {
    callHeights(height, args, shape);
    return;
  }
  auto branch = k.b.create<scf::IfOp>(k.loc, inside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPoint(branch.thenBlock()->getTerminator());
  MicroKernelArgs joined = insideOfImage(args, shape.form);
  callHeights(height, joined, shape);
  k.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  shape.form = MicroKernel::Edge;
  callHeights(height, *edge, shape);
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
