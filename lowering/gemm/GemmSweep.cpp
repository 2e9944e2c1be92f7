// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block of K by block of K of B, from left to right, into the accumulators of
// all columns of a task.

#include "lowering/gemm/GemmSweep.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

int64_t sweptColumns(const GemmContext &gemm) {
  const GemmSchedule &schedule = gemm.schedule;
  return schedule.joined.count * schedule.panelsPerTask * gemm.nr;
}

GemmSweep::GemmSweep(const GemmContext &gemm, GemmTiles &tiles,
                     const GemmTileKernel &kernel)
    : gemm(gemm), k(gemm.k), space(gemm.space), swept(*gemm.schedule.sweptK()),
      tiles(tiles), kernel(kernel), columns(sweptColumns(gemm)) {}

/// Where the accumulators of a tile begin.
Value GemmSweep::sumsOf(Value tile, Value column) {
  Value row = k.mul(tiles.firstRow(tile), k.index(columns));
  return k.add(row, column);
}

/// Adds a block of K of `count` panels side by side.
void GemmSweep::addPanels(Value kBlock, Value panel, Value firstPanel,
                          unsigned count, bool full) {
  tiles.setColumn(k.mul(panel, k.index(gemm.nr)));
  Value base = tiles.panelBase();
  Value at = k.mul(k.sub(panel, firstPanel), k.index(gemm.nr));
  k.loop(k.index(0), k.size(gemm.schedule.tileCount), k.index(1),
         [&](Value which) {
           GemmTile tile = tiles.locate(which, base);
           tiles.takeKBlock(tile, kBlock);
           tile.args.c = gemm.accumulators;
           tile.args.cOffset = sumsOf(which, at);
           tile.args.rowStrideC = k.index(columns);
           kernel.sum(tile, full, count);
         });
}

/// Several panels at once as long as the tile has registers for them, then one
/// at a time.
void GemmSweep::addBlock(Value kBlock, Value firstPanel, Value lastPanel) {
  int64_t atOnce = swept.panelsPerStep;
  Value fullPanels =
      k.size(DimExpr::floorDiv(space.columns.size, DimExpr(gemm.nr)));
  Value lastFull = k.max(firstPanel, k.min(lastPanel, fullPanels));
  Value count = k.sub(lastFull, firstPanel), step = k.index(atOnce);
  Value whole = k.sub(lastFull, k.rem(count, step));
  k.loop(firstPanel, whole, step, [&](Value panel) {
    addPanels(kBlock, panel, firstPanel, unsigned(atOnce), true);
  });
  if (atOnce > 1)
    k.loop(whole, lastFull, k.index(1),
           [&](Value panel) { addPanels(kBlock, panel, firstPanel, 1, true); });
  if (auto known = space.columns.size.constant(); !known || *known % gemm.nr)
    k.loop(lastFull, lastPanel, k.index(1), [&](Value panel) {
      addPanels(kBlock, panel, firstPanel, 1, false);
    });
}

void GemmSweep::task(Value firstPanel, Value lastPanel) {
  gemm.clearSums(k.index(0), k.size(space.rowAxis.size * DimExpr(columns)));
  k.loop(k.index(0), k.index(swept.blocks), k.index(1),
         [&](Value kBlock) { addBlock(kBlock, firstPanel, lastPanel); });
  k.loop(firstPanel, lastPanel, k.index(1), [&](Value panel) {
    tiles.setColumn(k.mul(panel, k.index(gemm.nr)));
    Value base = tiles.panelBase();
    Value at = k.mul(k.sub(panel, firstPanel), k.index(gemm.nr));
    k.loop(k.index(0), k.size(gemm.schedule.tileCount), k.index(1),
           [&](Value which) {
             GemmTile tile = tiles.locate(which, base);
             gemm.byFullness(tile.columns, [&](bool full) {
               gemm.epilogue.finish(gemm.accumulators, sumsOf(which, at),
                                    k.index(columns), tiles.coordinates(),
                                    tile.rows, full ? Value() : tile.columns);
             });
           });
  });
}

} // namespace zenith::kernels
