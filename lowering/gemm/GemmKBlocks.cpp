// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block of K by block of K: copies, tiles of all panels, then the epilogue.

#include "lowering/gemm/GemmKBlocks.h"
#include "lowering/gemm/GemmPrefetch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

GemmKBlocks::GemmKBlocks(const GemmContext &gemm, GemmTiles &tiles,
                         const GemmTileKernel &kernel, GemmPanelCopies *copies,
                         GemmRowPacking *packing)
    : gemm(gemm), k(gemm.k), space(gemm.space), schedule(gemm.schedule),
      tiles(tiles), kernel(kernel), copies(copies), packing(packing) {}

void GemmKBlocks::task(const TaskRange &task) {
  if (panelsPerKBlock(gemm) == schedule.panelsPerTask) {
    panels(task);
    return;
  }
  k.loop(task.firstPanel, task.lastPanel, k.index(1), [&](Value panel) {
    panels({panel, k.add(panel, k.index(1)), task.firstTile, task.lastTile});
  });
}

/// Where the accumulators of a tile of a panel begin.
Value GemmKBlocks::sumsOf(const TaskRange &task, Value panel, Value tile) {
  bool joinsRows = schedule.joins(JoinedTasks::RowBlocks);
  int64_t count =
      schedule.tilesPerTask * (joinsRows ? schedule.joined.count : 1);
  Value before = k.mul(k.sub(panel, task.firstPanel), k.index(count));
  return k.add(
      k.mul(before, k.index(gemm.tileSize())),
      k.mul(k.sub(tiles.firstRow(tile), tiles.firstRow(task.firstTile)),
            k.index(gemm.nr)));
}

void GemmKBlocks::forTiles(
    const TaskRange &task,
    function_ref<void(GemmTile tile, Value number, Value sums)> run) {
  auto both = [&](Value panel, Value number) {
    tiles.setColumn(k.mul(panel, k.index(gemm.nr)));
    run(tiles.locate(number, tiles.panelBase()), number,
        sumsOf(task, panel, number));
  };
  bool tilesFirst = schedule.reuses(BlockedK::Tile);
  Value one = k.index(1);
  k.loop(tilesFirst ? task.firstTile : task.firstPanel,
         tilesFirst ? task.lastTile : task.lastPanel, one, [&](Value outer) {
           k.loop(tilesFirst ? task.firstPanel : task.firstTile,
                  tilesFirst ? task.lastPanel : task.lastTile, one,
                  [&](Value inner) {
                    both(tilesFirst ? inner : outer,
                         tilesFirst ? outer : inner);
                  });
         });
}

/// From what a tile reads of a block of one of `panels` panels to what the
/// task, or the next one, reads there next.
Value GemmKBlocks::toNextBlock(Value kBlock, Value panels,
                               const GemmTile &tile) {
  Value block = k.mul(k.index(schedule.kc()), tile.args.kStrideB);
  Value nextTask = k.sub(k.mul(panels, k.size(space.panelElements())),
                         k.mul(k.index(schedule.kBlocks() - 1), block));
  Value isLast = k.b.create<arith::CmpIOp>(
      k.loc, arith::CmpIPredicate::eq, kBlock, k.index(schedule.kBlocks() - 1));
  return k.b.create<arith::SelectOp>(k.loc, isLast, nextTask, block);
}

/// Prefetches one of as many parts of the next block as there are tiles. Blocks
/// read a line or two of each row; more than two lines are too far apart for
/// hardware prefetchers.
void GemmKBlocks::prefetchNextBlock(Value kBlock, Value part,
                                    const TaskRange &task) {
  constexpr int64_t nearLines = 2;
  Value parts = k.mul(k.sub(task.lastPanel, task.firstPanel),
                      k.index(schedule.tilesPerTask));
  Value rows = k.div(k.add(k.index(schedule.kc() - 1), parts), parts);
  Value next = k.mul(k.add(kBlock, k.index(1)), k.index(schedule.kc()));
  Value first = k.add(next, k.mul(part, rows));
  Value last = k.min(k.add(first, rows), k.size(space.kAxis.size));
  auto prefetch = [&](Value memory, Type element, Value base,
                      const Axis &across, const DimExpr &stride, Value from,
                      Value to) {
    int64_t line = k.target.elementsOfLine(elementSize(element));
    if (*across.size.constant() <= nearLines * line)
      return;
    k.loop(first, last, k.index(1), [&](Value row) {
      Value start = k.add(base, k.mul(row, k.size(stride)));
      k.loop(from, to, k.index(line), [&](Value at) {
        k.b.create<memref::PrefetchOp>(k.loc, memory, k.add(start, at),
                                       /*isWrite=*/false, /*localityHint=*/2,
                                       /*isDataCache=*/true);
      });
    });
  };
  prefetch(gemm.a, space.a.element, gemm.aBase, space.rowAxis,
           space.kAxis.strideA, k.index(0), k.size(space.rowAxis.size));
  if (space.columns.strideB.isConstant(1))
    prefetch(gemm.b, space.b.element, gemm.bBase, space.columns,
             space.kAxis.strideB, k.mul(task.firstPanel, k.index(gemm.nr)),
             k.min(k.mul(task.lastPanel, k.index(gemm.nr)),
                   k.size(space.columns.size)));
}

void GemmKBlocks::addBlock(Value kBlock, const TaskRange &task) {
  if (packing)
    packing->pack(tiles, kBlock, task.firstTile, task.lastTile);
  if (copies)
    copies->copy(kBlock, task.firstPanel, task.lastPanel);
  forTiles(task, [&](GemmTile tile, Value number, Value sums) {
    tiles.takeKBlock(tile, kBlock);
    if (schedule.reuses(BlockedK::Tile) && tile.args.ahead)
      tile.args.ahead =
          k.add(tile.args.ahead,
                toNextBlock(kBlock,
                            k.mul(k.sub(task.lastPanel, task.firstPanel),
                                  k.index(panelsOfTile(gemm))),
                            tile));
    if (schedule.reuses(BlockedK::ShortBlocks)) {
      Value panel = k.sub(k.div(tiles.coordinates().column, k.index(gemm.nr)),
                          task.firstPanel);
      prefetchNextBlock(kBlock,
                        k.add(k.mul(panel, k.index(schedule.tilesPerTask)),
                              k.sub(number, task.firstTile)),
                        task);
    }
    if (packing)
      packing->redirect(tile, number, task.firstTile);
    tile.args.c = gemm.accumulators;
    tile.args.cOffset = sums;
    tile.args.rowStrideC = gemm.rowStrideOfSums();
    kernel.sum(tile);
  });
}

void GemmKBlocks::finish(const TaskRange &task) {
  if (gemm.epilogue.storesColumns()) {
    GemmColumnStores stores(gemm, tiles, kernel);
    k.loop(task.firstPanel, task.lastPanel, k.index(1), [&](Value panel) {
      tiles.setColumn(k.mul(panel, k.index(gemm.nr)));
      stores.finish(sumsOf(task, panel, task.firstTile), task.firstTile,
                    task.lastTile);
    });
    return;
  }
  forTiles(task, [&](GemmTile tile, Value, Value sums) {
    gemm.byFullness(tile.columns, [&](bool full) {
      gemm.epilogue.finish(gemm.accumulators, sums, gemm.rowStrideOfSums(),
                           tiles.coordinates(), tile.rows,
                           full ? Value() : tile.columns);
    });
  });
}

/// Block by block over all tiles.
void GemmKBlocks::panels(const TaskRange &task) {
  Value one = k.index(1);
  // The last task may have fewer tiles than a panel has accumulators for.
  k.loop(task.firstPanel, task.lastPanel, one, [&](Value panel) {
    gemm.clearSums(sumsOf(task, panel, task.firstTile),
                   sumsOf(task, panel, task.lastTile));
  });
  k.loop(k.index(0), k.index(schedule.kBlocks()), one,
         [&](Value kBlock) { addBlock(kBlock, task); });
  finish(task);
}

} // namespace zenith::kernels
