// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the micro-kernel that sums a tile: by its height, by what its
// operands are and how they come from memory, inside of an image and at its
// edge.

#include "lowering/kernels/GemmNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

/// No row of the tile leaves the image at any tap.
Value GemmNest::isInside(Value height, const MicroKernelArgs &args) {
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
MicroKernelArgs GemmNest::insideOfImage(MicroKernelArgs args,
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

/// One or two rows past narrow panels: memory is the limit, and a window of
/// instructions that are half widening reaches half as far (measured with 256
/// bits: 1.1 to 1.2 times as fast with requests ahead; with 512 bits 13.3 GB/s
/// instead of 10.6).
static bool streamsNarrow(const ContractionSpace &space,
                          const TargetModel &target) {
  auto rows = (space.lineCount() * space.tile.size).constant();
  return space.form == ContractionSpace::Panels && space.taps.empty() && rows &&
         *rows <= 2 && !target.printed &&
         (isa<FloatType>(space.sum) || space.group > 1) &&
         space.b.element.getIntOrFloatBitWidth() <
             space.sum.getIntOrFloatBitWidth();
}

/// Few rows past panels that no second-level cache holds: two tiles are not
/// enough to ask for all of the next panel. An estimate of no rows is that of a
/// difference of sizes that only the run knows.
static bool streamsPanels(const ContractionSpace &space,
                          const GemmSchedule &tasks,
                          const TargetModel &target) {
  double bytes = estimate(space.depth.size) * estimate(space.columns.size) *
                 elementSize(space.b.element);
  return space.form == ContractionSpace::Panels && space.taps.empty() &&
         !target.printed && isa<FloatType>(space.sum) &&
         bytes > target.l2Share(0.75) && estimate(tasks.tileCount) < 4 &&
         estimate(space.lineCount() * space.tile.size) >= 1;
}

/// B that is read where it lies has an end to its columns. Panels have zeros
/// there: only whole vectors of these are worth other code.
void GemmNest::sumTile(const Tile &tile) {
  int64_t lanes = sumLanes(space.sum, k.target), width = columns;
  auto known = space.columns.size.constant();
  bool isShorter =
      known && *known > width && *known % width != 0 &&
      int64_t(llvm::divideCeil(*known % width, lanes)) < width / lanes;
  if (space.form == ContractionSpace::Direct || isShorter)
    byFullness(tile.rest, [&](bool full) { dispatch(tile, full); });
  else
    dispatch(tile, true);
}

void GemmNest::dispatch(const Tile &tile, bool full, unsigned panels) {
  MicroKernel shape;
  shape.lanes = sumLanes(space.sum, k.target);
  shape.vectors = panels * (columns / shape.lanes);
  auto known = space.columns.size.constant();
  bool only = known && *known <= columns;
  // The last panel may have vectors without columns.
  if (known && panels == 1 && (only || !full))
    shape.vectors = unsigned(std::max<int64_t>(
        1, llvm::divideCeil(only ? *known : *known % columns, shape.lanes)));
  // Whole vectors of the last panel need no mask.
  bool whole = known && *known % shape.lanes == 0;
  shape.masked = !full && !whole && space.form == ContractionSpace::Direct;
  shape.continues = inSlices();
  shape.fma = k.target.fma;
  constexpr int64_t fewDepths = 32;
  auto depth = space.depthOfAllTaps().constant();
  shape.inOrder = depth && *depth <= fewDepths;
  shape.a = space.a.element;
  shape.b = tasks.widened ? space.sum : space.elementOfB();
  shape.sum = space.sum;
  shape.pairs = multipliesPairs(space, k.target);
  shape.group = space.group;
  shape.vnni = k.target.vnni;
  if (shape.vectors * shape.lanes > space.panel && panelsOfTile() > 1)
    shape.vectorsOfPanel = space.panel / shape.lanes;
  bool narrow = streamsNarrow(space, k.target);
  shape.prefetches = narrow || streamsPanels(space, tasks, k.target);
  // One or two rows are done with a line before memory has the next one, and
  // requests would only delay it.
  shape.fewestRowsAhead = narrow ? 1 : 3;
  shape.looksAhead = looksAhead();
  shape.fetchesRows = fetchesRows();
  MicroKernelArgs args = tile.args;
  args.columns = full ? k.index(columns) : tile.rest;
  if (space.tiledDots) {
    shape.alongDepth = true;
    shape.vectors = unsigned(*known);
    args.depthStrideB = k.size(space.columns.strideB);
  } else if (space.form == ContractionSpace::Dots) {
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
void GemmNest::callHeights(Value height, const MicroKernelArgs &args,
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
  callMicroKernelOfHeight(k, shape, args, height, possible);
}

} // namespace zenith::kernels
