// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums tiles of neighbouring rows until they fill cache lines of the columns.

#include "lowering/gemm/GemmColumnStores.h"

using namespace mlir;

namespace zenith::kernels {

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
  Value step = k.index(gemm.schedule.columnStores->tiles);
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
