// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the micro-kernel that sums a tile: by its height, by the types and
// layout of its operands, and by whether its rows read padding.

#include "lowering/gemm/GemmTileKernel.h"
#include "lowering/gemm/GemmPrefetch.h"
#include "lowering/microkernels/Int8Dot.h"
#include "lowering/microkernels/MicroKernelCalls.h"
#include "lowering/schedule/gemm/TileHeights.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;

namespace zenith::kernels {

GemmTileKernel::GemmTileKernel(const GemmContext &gemm)
    : gemm(gemm), k(gemm.k), space(gemm.space) {}

/// Where no row reads padding, the innermost tap and its channels may be one
/// run.
MicroKernelArgs GemmTileKernel::insideOfInput(MicroKernelArgs args,
                                              MicroKernel &kernel) const {
  const Axis &tap = space.taps.back().axis;
  if (tap.strideA == space.kAxis.size * space.kAxis.strideA &&
      tap.strideB == space.kAxis.size * space.kAxis.strideB) {
    args.kSize = k.mul(args.kSize, args.taps[2].count);
    args.taps[2].count = k.index(1);
    if (space.taps.size() == 1)
      kernel.loops = MicroKernel::Loops::K;
  }
  return args;
}

/// Whether vectors of the last panel that have no columns are computed like
/// others: where only a run knows the rows, other code for them would be a
/// micro-kernel for each of many heights, and the panel is one of many. The
/// second of two panels side by side need not exist.
bool GemmTileKernel::computesPadding(int64_t panel) const {
  constexpr int64_t manyPanels = 16;
  auto known = space.columns.size.constant();
  return !space.rowAxis.size.constant() && known &&
         *known >= manyPanels * panel &&
         (panelsOfTile(gemm) == 1 || panel == int64_t(space.panel)) &&
         space.form != ContractionSpace::Direct;
}

/// A row-major B ends with its columns. Panels are padded with zeros: only
/// whole vectors of padding are worth other code.
void GemmTileKernel::sum(const GemmTile &tile) const {
  int64_t lanes = sumLanes(space.sum, k.target), width = gemm.nr;
  auto known = space.columns.size.constant();
  bool isShorter =
      known && *known > width && *known % width != 0 &&
      !computesPadding(gemm.nr) &&
      int64_t(llvm::divideCeil(*known % width, lanes)) < width / lanes;
  if (space.form == ContractionSpace::Direct || isShorter)
    gemm.byFullness(tile.columns, [&](bool full) { sum(tile, full); });
  else
    sum(tile, true);
}

decltype(MicroKernel::form) GemmTileKernel::formFor(const MicroKernel &kernel,
                                                    bool masked) const {
  if (space.form == ContractionSpace::TiledDots)
    return AlongK();
  if (multipliesKPairs(space, k.target)) {
    if (space.kInterleave > 1)
      return InterleavedK{InterleavedK::Group(space.kInterleave),
                          vnniLanes(k.target)};
    return PairedK{masked};
  }
  OuterProduct form;
  if (masked)
    form.columns = OuterProduct::Masked();
  else if (panelsOfTile(gemm) > 1 &&
           kernel.vectors * kernel.lanes > space.panel)
    form.columns = OuterProduct::HalfPanels{space.panel / kernel.lanes};
  return form;
}

MicroKernel GemmTileKernel::kernelFor(bool full, unsigned panels) const {
  MicroKernel kernel;
  kernel.lanes = sumLanes(space.sum, k.target);
  kernel.vectors = panels * (gemm.nr / kernel.lanes);
  auto known = space.columns.size.constant();
  bool only = known && *known <= gemm.nr;
  // The last panel may have vectors without columns.
  if (known && panels == 1 && (only || (!full && !computesPadding(gemm.nr))))
    kernel.vectors = unsigned(std::max<int64_t>(
        1, llvm::divideCeil(only ? *known : *known % gemm.nr, kernel.lanes)));
  // Whole vectors of the last panel need no mask.
  bool whole = known && *known % kernel.lanes == 0;
  bool masked = !full && !whole && space.form == ContractionSpace::Direct;
  kernel.form = formFor(kernel, masked);
  if (kernel.isAlongK())
    kernel.vectors = unsigned(*known);
  kernel.skipsRows = skipsRows(space, k.target);
  kernel.skipsVectors =
      masked && !known && kernel.vectors > 1 && kernel.skipsRows;
  kernel.accumulates = gemm.schedule.storesAccumulators();
  kernel.fma = k.target.fma;
  kernel.sets = gemm.schedule.accumulatorSets();
  if (auto ofTap = space.kAxis.size.constant();
      ofTap && *ofTap > 0 && !clippedK(space))
    kernel.kMultiple = unsigned(std::gcd(*ofTap, gemm.schedule.kc()));
  kernel.a = space.a.element;
  kernel.b = gemm.schedule.widens() ? space.sum : space.elementOfB();
  kernel.sum = space.sum;
  kernel.prefetch = policyOf(gemm.schedule.prefetch.tiles);
  kernel.loops =
      space.taps.empty() ? MicroKernel::Loops::K : MicroKernel::Loops::Taps;
  return kernel;
}

void GemmTileKernel::sum(const GemmTile &tile, bool full,
                         unsigned panels) const {
  MicroKernel kernel = kernelFor(full, panels);
  MicroKernelArgs args = tile.args;
  args.columns = full ? k.index(gemm.nr) : tile.columns;
  if (space.form == ContractionSpace::Dots) {
    callDotKernel(k, kernel, args, tile.rows, k.size(space.columns.strideB));
    return;
  }
  if (kernel.isAlongK())
    args.kStrideB = k.size(space.columns.strideB);
  if (tile.inside && space.isSeldom)
    kernel.loops = MicroKernel::Loops::ClippedTaps;
  if (!tile.inside || space.isSeldom) {
    callByHeight(tile.rows, args, kernel);
    return;
  }
  auto branch =
      k.b.create<scf::IfOp>(k.loc, tile.inside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPoint(branch.thenBlock()->getTerminator());
  MicroKernel joinedKernel = kernel;
  MicroKernelArgs joined = insideOfInput(args, joinedKernel);
  callByHeight(tile.rows, joined, joinedKernel);
  k.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  kernel.loops = MicroKernel::Loops::ClippedTaps;
  callByHeight(tile.rows, args, kernel);
}

/// A full tile at once, fewer rows by half panels. A last panel of one half has
/// no tile of its own.
void GemmTileKernel::callByHalves(Value rows, const MicroKernelArgs &args,
                                  const MicroKernel &kernel) const {
  auto full = unsigned(gemm.mr);
  unsigned vectors = space.panel / kernel.lanes;
  OpBuilder::InsertionGuard guard(k.b);
  bool ofHalf = kernel.vectors <= vectors;
  if (!ofHalf) {
    Value isFull = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::eq,
                                             rows, k.index(full));
    auto branch = k.b.create<scf::IfOp>(k.loc, isFull, /*withElseRegion=*/true);
    k.b.setInsertionPoint(branch.thenBlock()->getTerminator());
    MicroKernel whole = kernel;
    whole.mr = full;
    callMicroKernel(k, whole, args);
    k.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  }
  MicroKernel half = kernel;
  half.form = OuterProduct();
  half.prefetch = policyOf(gemm.schedule.prefetch.rest);
  unsigned most = ofHalf ? full : full - 1;
  auto heights = llvm::to_vector_of<unsigned>(gemm.schedule.heights);
  // The tallest one is the lowest that is enough.
  while (heights.size() > 1 && heights[1] >= most)
    heights.erase(heights.begin());
  MicroKernelArgs part = args;
  for (unsigned first = 0; first < kernel.vectors; first += vectors) {
    half.vectors = computesPadding(space.panel)
                       ? vectors
                       : std::min(vectors, kernel.vectors - first);
    callMicroKernelUpTo(k, half, part, rows, heights,
                        /*highestIsFull=*/false);
    part.bOffset = k.add(part.bOffset, part.panelStride);
    part.cOffset = k.add(part.cOffset, k.index(space.panel));
  }
}

/// Chooses the micro-kernel by the rows of the tile, for which few numbers are
/// possible where M is known. Of balanced tiles, the highest are no more
/// frequent than others.
void GemmTileKernel::callByHeight(Value height, const MicroKernelArgs &args,
                                  const MicroKernel &kernel) const {
  auto rows = space.rowAxis.size.constant();
  if (hasFreeHeights(space)) {
    if (endsInHalfPanels(space, gemm.schedule, k.target))
      callByHalves(height, args, kernel);
    else
      callMicroKernelUpTo(k, kernel, args, height,
                          llvm::to_vector_of<unsigned>(gemm.schedule.heights),
                          /*highestIsFull=*/!balancesTiles(space));
    return;
  }
  SmallVector<unsigned> possible;
  int64_t tiles = rows ? (*rows + gemm.mr - 1) / gemm.mr : 1,
          most = !rows   ? gemm.mr
                 : tiles ? (*rows + tiles - 1) / tiles
                         : 0;
  for (int64_t h = most; h >= 1 && h >= (rows ? *rows / tiles : 1); --h)
    possible.push_back(unsigned(h));
  callMicroKernelByHeight(k, kernel, args, height, possible);
}

} // namespace zenith::kernels
