// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses prefetches by what comes from memory and what hardware prefetchers do
// not foresee.

#include "lowering/gemm/GemmPrefetch.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

int64_t panelsOfTile(const GemmContext &gemm) {
  const ContractionSpace &space = gemm.space;
  return space.form == ContractionSpace::Panels && space.panel < gemm.nr
             ? gemm.nr / space.panel
             : 1;
}

/// Whether one or two rows meet panels of a narrow type. Memory bounds them,
/// and the reorder buffer, half full of widening instructions, covers half as
/// many loads.
static bool streamsNarrow(const ContractionSpace &space,
                          const TargetModel &target) {
  auto rows = (space.outerRowCount() * space.rowAxis.size).constant();
  return space.form == ContractionSpace::Panels && space.taps.empty() && rows &&
         *rows <= 2 && target.prefetches &&
         (isa<FloatType>(space.sum) || space.kInterleave > 1) &&
         space.b.element.getIntOrFloatBitWidth() <
             space.sum.getIntOrFloatBitWidth();
}

/// Whether few rows meet panels that no second-level cache holds: too few tiles
/// to prefetch all of the next panel. An estimate of zero rows comes from a
/// difference of dynamic sizes.
static bool streamsPanels(const ContractionSpace &space,
                          const DimExpr &tileCount, const TargetModel &target) {
  double bytes = estimate(space.kAxis.size) * estimate(space.columns.size) *
                 elementSize(space.b.element);
  return space.form == ContractionSpace::Panels && space.taps.empty() &&
         target.prefetches && isa<FloatType>(space.sum) &&
         bytes > target.l2Share(0.75) && estimate(tileCount) < 4 &&
         estimate(space.outerRowCount() * space.rowAxis.size) >= 1;
}

decltype(MicroKernel::prefetch) prefetchOfFewTiles(const GemmContext &gemm) {
  constexpr unsigned fewestRows = 3;
  if (streamsPanels(gemm.space, 1, gemm.k.target))
    return PrefetchB{fewestRows};
  return NoPrefetch();
}

/// Each panel comes from memory once, and the tiles that read it first would
/// wait. The tiles before them prefetch it, a cache line in each round of k.
static bool prefetchesNextPanel(const GemmContext &gemm) {
  const ContractionSpace &space = gemm.space;
  double bytes = estimate(space.totalK()) * estimate(space.columns.size) *
                 std::max(1u, space.b.element.getIntOrFloatBitWidth() / 8);
  return space.form == ContractionSpace::Panels && !gemm.schedule.widens() &&
         gemm.k.target.prefetches && bytes > gemm.k.target.l2Share(0.5) &&
         estimate(gemm.schedule.tileCount) >= 4;
}

/// A is tall with short rows: the hardware prefetcher tracks one stream per
/// tile row, and each is short: it ends before memory has answered.
static bool prefetchesNextRows(const GemmContext &gemm) {
  const auto longestRow = double(gemm.k.target.prefetchBytes);
  const ContractionSpace &space = gemm.space;
  double rowBytes = estimate(space.kAxis.size) * elementSize(space.a.element);
  return space.taps.empty() && space.outerRows.empty() &&
         gemm.k.target.prefetches && gemm.schedule.panelCount.isConstant(1) &&
         space.kAxis.strideA.isConstant(1) &&
         space.rowAxis.strideA == space.kAxis.size && rowBytes <= longestRow &&
         rowBytes * estimate(space.rowAxis.size) > gemm.k.target.l2Share(1);
}

decltype(MicroKernel::prefetch) choosePrefetch(const GemmContext &gemm) {
  // One or two rows are done with a line before memory has the next one, and
  // prefetches would only delay it.
  if (streamsNarrow(gemm.space, gemm.k.target))
    return PrefetchB{1};
  if (streamsPanels(gemm.space, gemm.schedule.tileCount, gemm.k.target))
    return prefetchOfFewTiles(gemm);
  if (prefetchesNextPanel(gemm))
    return PrefetchNextPanel();
  if (prefetchesNextRows(gemm))
    return PrefetchNextRows();
  return NoPrefetch();
}

/// As many rows as memory latency takes, and not less than two tiles.
static int64_t rowsAhead(const GemmContext &gemm) {
  const double bytesAhead = 4.0 * double(gemm.k.target.prefetchBytes);
  double rowBytes =
      estimate(gemm.space.kAxis.size) * elementSize(gemm.space.a.element);
  return std::max(2 * gemm.mr, int64_t(bytesAhead / rowBytes));
}

/// Tile number `tile` prefetches its share of the lines of the next panel.
static Value nextPanel(const GemmContext &gemm, Value tile) {
  int64_t lineBytes = gemm.k.target.lineBytes;
  KernelBuilder &k = gemm.k;
  const ContractionSpace &space = gemm.space;
  MicroKernel kernel;
  kernel.mr = gemm.mr;
  kernel.vectors = gemm.nr / sumLanes(space.sum, k.target);
  int64_t elementBytes =
      std::max(1u, space.b.element.getIntOrFloatBitWidth() / 8);
  int64_t lines = std::max<int64_t>(1, kUnroll(kernel) * gemm.nr *
                                           elementBytes / lineBytes);
  bool byTaps = gemm.schedule.kBlocks() > 1 && !space.taps.empty();
  int64_t panels = panelsOfTile(gemm);
  DimExpr next = byTaps ? space.taps.front().axis.strideB
                 : gemm.schedule.reuses(BlockedK::Tile)
                     ? DimExpr(0)
                     : space.panelElements() * DimExpr(panels);
  Value line = k.rem(tile, k.index(lines)), from = k.size(next);
  if (panels > 1) {
    Value ofPanel = k.index(lines / panels);
    from =
        k.add(from, k.mul(k.div(line, ofPanel), k.size(space.panelElements())));
    line = k.rem(line, ofPanel);
  }
  return k.add(from, k.mul(line, k.index(lineBytes / elementBytes)));
}

Value prefetchDistance(const GemmContext &gemm, Value tile) {
  if (prefetchesNextPanel(gemm))
    return nextPanel(gemm, tile);
  if (!prefetchesNextRows(gemm))
    return {};
  return gemm.k.mul(gemm.k.index(rowsAhead(gemm)),
                    gemm.k.size(gemm.space.rowAxis.strideA));
}

} // namespace zenith::kernels
