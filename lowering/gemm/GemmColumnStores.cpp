// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums tiles of neighbouring rows until they fill cache lines of the columns.

#include "lowering/gemm/GemmColumnStores.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

/// A cache line of each column, whose second half would find it evicted where
/// columns are a power of two apart. Blocks of K have few rows, which seldom
/// fill lines.
int64_t rowsPerColumnStore(const GemmContext &gemm) {
  int64_t lineBits = 8 * gemm.k.target.lineBytes;
  Type sum = gemm.space.sum;
  int64_t lanes = sumLanes(sum, gemm.k.target);
  return gemm.schedule.storesAccumulators()
             ? lanes
             : std::max<int64_t>(lanes, lineBits / sum.getIntOrFloatBitWidth());
}

/// As many outer rows as fill cache lines, where few do.
int64_t tilesPerColumnStore(const GemmContext &gemm) {
  // Sums wait in the first-level cache: in 3/16 of it, or half at most.
  const auto sums = int64_t(gemm.k.target.l1Share(3.0 / 16) / sizeof(float)),
             mostSums = int64_t(gemm.k.target.l1Share(0.5) / sizeof(float));
  const ContractionSpace &space = gemm.space;
  int64_t several = std::max<int64_t>(4, sums / gemm.tileSize());
  if (space.rowAxisIsOutermost)
    return *space.outerRowCount().constant();
  auto perRowAxis = gemm.schedule.tilesPerRowAxis.constant(),
       rows = space.rowAxis.size.constant();
  if (space.outerRows.empty() || !perRowAxis || !rows || *rows == 0)
    return several;
  int64_t atOnce = rowsPerColumnStore(gemm);
  int64_t tiles = atOnce / std::gcd(*rows, atOnce) * *perRowAxis;
  return tiles * gemm.tileSize() > mostSums
             ? several
             : tiles * std::max<int64_t>(1, several / tiles);
}

void alignTasksToColumnStores(GemmContext &gemm) {
  GemmSchedule &schedule = gemm.schedule;
  int64_t several = tilesPerColumnStore(gemm);
  if (!gemm.epilogue.storesColumns() || schedule.storesAccumulators() ||
      schedule.tilesPerTask < 2 * several)
    return;
  schedule.tilesPerTask =
      int64_t(llvm::alignTo(schedule.tilesPerTask, several));
  schedule.rowBlocks =
      DimExpr::ceilDiv(schedule.tileCount, DimExpr(schedule.tilesPerTask));
}

void GemmColumnStores::prefetchResults(Value firstTile, Value lastTile) {
  Value first = tiles.firstRow(firstTile);
  gemm.epilogue.prefetchColumns(tiles.coordinates(), first,
                                k.sub(tiles.firstRow(lastTile), first));
}

void GemmColumnStores::finish(Value sums, Value firstTile, Value lastTile) {
  Value first = tiles.firstRow(firstTile);
  const TileCoordinates &at = tiles.coordinates();
  Value rest = k.sub(k.size(space.columns.size), at.column);
  gemm.byFullness(rest, [&](bool full) {
    gemm.epilogue.finishColumns(gemm.accumulators, sums, at, first,
                                k.sub(tiles.firstRow(lastTile), first),
                                full ? Value() : rest);
  });
}

void GemmColumnStores::panel(Value panelBase, Value firstTile, Value lastTile) {
  Value step = k.index(tilesPerColumnStore(gemm));
  k.loop(firstTile, lastTile, step, [&](Value from) {
    Value to = k.min(k.add(from, step), lastTile);
    prefetchResults(from, to);
    k.loop(from, to, k.index(1), [&](Value number) {
      GemmTile tile = tiles.locate(number, panelBase);
      tiles.setTaps(tile, {});
      tile.args.c = gemm.accumulators;
      tile.args.cOffset =
          k.mul(k.sub(tiles.firstRow(number), tiles.firstRow(from)),
                k.index(gemm.nr));
      tile.args.rowStrideC = gemm.rowStrideOfSums();
      kernel.sum(tile);
    });
    finish(k.index(0), from, to);
  });
}

} // namespace zenith::kernels
