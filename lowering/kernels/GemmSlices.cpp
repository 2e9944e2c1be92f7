// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Long sums by slices: each slice of B stays in cache while all tiles of a task
// add it to their sums, which wait in memory.

#include "lowering/kernels/GemmNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

void GemmNest::clearSums(Value first, Value last) {
  auto type =
      VectorType::get({int64_t(sumLanes(space.sum, k.target))}, space.sum);
  Value zero =
      isa<FloatType>(space.sum) ? k.constant(type, 0.0) : k.integer(type, 0);
  k.loop(first, last, k.index(type.getNumElements()), [&](Value at) {
    k.b.create<vector::StoreOp>(k.loc, zero, tileMemory, at);
  });
}

/// Copies one depth of a tile's rows, which then lie side by side.
void GemmNest::packDepth(Value from, Value to, const Tile &tile) {
  auto byElement = [&] {
    k.loop(k.index(0), tile.height, k.index(1), [&](Value row) {
      Value x = k.b.create<memref::LoadOp>(
          k.loc, a, k.add(from, k.mul(row, tile.args.rowStride)));
      k.b.create<memref::StoreOp>(k.loc, x, packedRows, k.add(to, row));
    });
  };
  if (!space.tile.strideA.isConstant(1)) {
    byElement();
    return;
  }
  // As many rows as the highest tile has, where so many follow in memory.
  Value fits = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::sle,
                                         k.add(place.row, k.index(heights)),
                                         k.size(space.tile.size));
  auto branch = k.b.create<scf::IfOp>(k.loc, fits, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPoint(branch.thenBlock()->getTerminator());
  for (int64_t row = 0, size; row < heights; row += size) {
    size = int64_t(llvm::bit_floor(uint64_t(heights - row)));
    auto type = VectorType::get({size}, memoryType(space.a.element));
    Value x =
        k.b.create<vector::LoadOp>(k.loc, type, a, k.add(from, k.index(row)));
    k.b.create<vector::StoreOp>(k.loc, x, packedRows, k.add(to, k.index(row)));
  }
  k.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  byElement();
}

/// Copies a slice of A's rows in the order in which they lie in memory.
void GemmNest::packRows(Value slice, Value firstTile, Value lastTile) {
  constexpr int64_t depthsAhead = 8;
  place.column = k.index(0);
  Value one = k.index(1);
  auto tileAt = [&](Value number) {
    Tile tile = locate(number, bBase);
    takeSlice(tile, slice);
    return tile;
  };
  k.loop(k.index(0), tileAt(firstTile).args.depth, one, [&](Value depth) {
    k.loop(firstTile, lastTile, one, [&](Value number) {
      Tile tile = tileAt(number);
      Value from =
          k.add(tile.args.aOffset, k.mul(depth, tile.args.depthStrideA));
      // The next depths are on other pages, which no processor looks ahead to.
      Value ahead = k.mul(k.index(depthsAhead), tile.args.depthStrideA);
      k.b.create<memref::PrefetchOp>(k.loc, a, k.add(from, ahead),
                                     /*isWrite=*/false, /*localityHint=*/3,
                                     /*isDataCache=*/true);
      Value to = k.mul(k.sub(number, firstTile), k.index(packedTileSize()));
      packDepth(from, k.add(to, k.mul(depth, k.index(heights))), tile);
    });
  });
}

void GemmNest::prepareCopies() {
  int64_t size = copiedPanels() * copiedPanelSize();
  Type element = tasks.widened ? space.sum : memoryType(space.copied);
  packedPanels = asMemory(
      k.b, k.loc,
      k.b.create<memref::AllocaOp>(k.loc, MemRefType::get({size}, element),
                                   k.b.getI64IntegerAttr(k.target.lineBytes)));
  Axis across = space.columns;
  if (tasks.widened)
    across = {DimExpr(int64_t(columns)), DimExpr(0), DimExpr(1)};
  panelWriter.emplace(k, PanelWriter::Place{b, space.b.element, across,
                                            space.depth, packedPanels, element,
                                            columns, copiedPanelSize()});
}

/// Copies a slice of some panels, whose rows lie side by side in both places.
void GemmNest::widenPanels(Value slice, Value firstPanel, Value lastPanel) {
  Value size = k.index(tasks.widened), one = k.index(1);
  Value first = k.mul(slice, size), all = k.size(panelElements());
  Value rows = k.div(k.min(k.sub(all, first), size), k.index(int64_t(columns)));
  k.loop(firstPanel, lastPanel, one, [&](Value panel) {
    Value from = k.add(k.add(bBase, k.mul(panel, all)), first);
    panelWriter->panels(from, k.index(0), one, /*most=*/1,
                        k.mul(k.sub(panel, firstPanel), size), rows);
  });
}

/// Copies a slice of some panels.
void GemmNest::copyPanels(Value slice, Value firstPanel, Value lastPanel) {
  firstCopied = firstPanel;
  if (tasks.widened) {
    widenPanels(slice, firstPanel, lastPanel);
    return;
  }
  Value first = k.mul(slice, k.index(tasks.sliceDepth));
  Value depths =
      k.min(k.sub(k.size(space.depth.size), first), k.index(tasks.sliceDepth));
  Value base = k.add(bBase, k.mul(first, k.size(space.depth.strideB)));
  panelWriter->panels(base, firstPanel, lastPanel, tasks.panelsPerTask,
                      k.index(0), depths);
}

/// From a slice of one of so many panels to what the task, or the one behind
/// it, reads there next.
Value GemmNest::toNextSlice(Value slice, Value panels, const Tile &tile) {
  Value depths = k.mul(k.index(tasks.sliceDepth), tile.args.depthStrideB);
  Value behind = k.sub(k.mul(panels, k.size(panelElements())),
                       k.mul(k.index(tasks.slices - 1), depths));
  Value isLast = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::eq,
                                           slice, k.index(tasks.slices - 1));
  return k.b.create<arith::SelectOp>(k.loc, isLast, behind, depths);
}

/// Asks for one of as many parts of the next slice as there are tiles. These
/// read a line or two of each row, and more than two lines are too far apart
/// for a processor to look ahead.
void GemmNest::fetchNextSlice(Value slice, Value part, Value firstPanel,
                              Value lastPanel) {
  constexpr int64_t nearLines = 2;
  Value parts =
      k.mul(k.sub(lastPanel, firstPanel), k.index(tasks.tilesPerTask));
  Value depths = k.div(k.add(k.index(tasks.sliceDepth - 1), parts), parts);
  Value next = k.mul(k.add(slice, k.index(1)), k.index(tasks.sliceDepth));
  Value first = k.add(next, k.mul(part, depths));
  Value last = k.min(k.add(first, depths), k.size(space.depth.size));
  auto fetch = [&](Value memory, Type element, Value base, const Axis &across,
                   const DimExpr &stride, Value from, Value to) {
    int64_t line = k.target.elementsOfLine(elementSize(element));
    if (*across.size.constant() <= nearLines * line)
      return;
    k.loop(first, last, k.index(1), [&](Value depth) {
      Value start = k.add(base, k.mul(depth, k.size(stride)));
      k.loop(from, to, k.index(line), [&](Value at) {
        k.b.create<memref::PrefetchOp>(k.loc, memory, k.add(start, at),
                                       /*isWrite=*/false, /*localityHint=*/2,
                                       /*isDataCache=*/true);
      });
    });
  };
  fetch(a, space.a.element, aBase, space.tile, space.depth.strideA, k.index(0),
        k.size(space.tile.size));
  if (space.columns.strideB.isConstant(1))
    fetch(
        b, space.b.element, bBase, space.columns, space.depth.strideB,
        k.mul(firstPanel, k.index(columns)),
        k.min(k.mul(lastPanel, k.index(columns)), k.size(space.columns.size)));
}

/// Slice by slice over all tiles.
void GemmNest::slicesOfPanels(Value firstPanel, Value lastPanel,
                              Value firstTile, Value lastTile) {
  Value one = k.index(1);
  auto slot = [&](Value panel, Value number) {
    int64_t tiles =
        tasks.tilesPerTask * (tasks.joinsRows ? tasks.tasksAtOnce : 1);
    Value before = k.mul(k.sub(panel, firstPanel), k.index(tiles));
    return k.add(
        k.mul(before, k.index(tileSize())),
        k.mul(k.sub(firstRow(number), firstRow(firstTile)), k.index(columns)));
  };
  auto forTiles =
      [&](function_ref<void(Tile tile, Value number, Value slot)> run) {
        auto both = [&](Value panel, Value number) {
          place.column = k.mul(panel, k.index(columns));
          run(locate(number, panelBase()), number, slot(panel, number));
        };
        bool tiles = tasks.tilesFirst;
        k.loop(tiles ? firstTile : firstPanel, tiles ? lastTile : lastPanel,
               one, [&](Value outer) {
                 k.loop(tiles ? firstPanel : firstTile,
                        tiles ? lastPanel : lastTile, one, [&](Value inner) {
                          both(tiles ? inner : outer, tiles ? outer : inner);
                        });
               });
      };
  // There may be fewer tiles than a panel's sums have room for.
  k.loop(firstPanel, lastPanel, one, [&](Value panel) {
    clearSums(slot(panel, firstTile), slot(panel, lastTile));
  });
  k.loop(k.index(0), k.index(tasks.slices), one, [&](Value slice) {
    if (tasks.packsRows)
      packRows(slice, firstTile, lastTile);
    if (copiesPanels())
      copyPanels(slice, firstPanel, lastPanel);
    forTiles([&](Tile tile, Value number, Value slot) {
      takeSlice(tile, slice);
      if (tasks.tilesFirst && tile.args.ahead)
        tile.args.ahead = k.add(tile.args.ahead,
                                toNextSlice(slice,
                                            k.mul(k.sub(lastPanel, firstPanel),
                                                  k.index(panelsOfTile())),
                                            tile));
      if (tasks.shortSlices) {
        Value panel = k.sub(k.div(place.column, k.index(columns)), firstPanel);
        fetchNextSlice(slice,
                       k.add(k.mul(panel, k.index(tasks.tilesPerTask)),
                             k.sub(number, firstTile)),
                       firstPanel, lastPanel);
      }
      if (tasks.packsRows) {
        tile.args.a = packedRows;
        tile.args.aOffset =
            k.mul(k.sub(number, firstTile), k.index(packedTileSize()));
        tile.args.rowStride = one;
        tile.args.depthStrideA = k.index(heights);
      }
      tile.args.c = tileMemory;
      tile.args.cOffset = slot;
      tile.args.rowStrideC = strideOfSums();
      sumTile(tile);
    });
  });
  if (epilogue.storesColumns()) {
    k.loop(firstPanel, lastPanel, one, [&](Value panel) {
      place.column = k.mul(panel, k.index(columns));
      finishColumns(slot(panel, firstTile), firstTile, lastTile);
    });
    return;
  }
  forTiles([&](Tile tile, Value, Value slot) {
    byFullness(tile.rest, [&](bool full) {
      epilogue.finish(tileMemory, slot, strideOfSums(), place, tile.height,
                      full ? Value() : tile.rest);
    });
  });
}

void GemmNest::sliced(Value firstPanel, Value lastPanel, Value firstTile,
                      Value lastTile) {
  if (panelsAtOnce() == tasks.panelsPerTask) {
    slicesOfPanels(firstPanel, lastPanel, firstTile, lastTile);
    return;
  }
  k.loop(firstPanel, lastPanel, k.index(1), [&](Value panel) {
    slicesOfPanels(panel, k.add(panel, k.index(1)), firstTile, lastTile);
  });
}

void GemmNest::takeSlice(Tile &tile, Value slice) {
  if (!space.taps.empty()) {
    placeFilter(tile, slice);
    if (tasks.widened)
      tile.args.bOffset =
          k.sub(tile.args.bOffset, k.mul(slice, k.index(tasks.widened)));
    return;
  }
  MicroKernelArgs &args = tile.args;
  Value first = k.mul(slice, k.index(tasks.sliceDepth));
  args.depth = k.min(k.sub(args.depth, first), k.index(tasks.sliceDepth));
  args.aOffset = k.add(args.aOffset, k.mul(first, args.depthStrideA));
  // Copies hold the slice alone.
  if (!copiesPanels())
    args.bOffset = k.add(args.bOffset, k.mul(first, args.depthStrideB));
}

/// Sums of a tile among those of a sweep.
Value GemmNest::sweptSums(Value tileNumber, Value fromColumn) {
  Value row = k.mul(firstRow(tileNumber), k.index(sweptColumns()));
  return k.add(row, fromColumn);
}

/// Some rows of B past the sums of all columns: several panels at once as long
/// as the tile has registers for them, then one at a time.
void GemmNest::sweepSlice(Value slice, Value firstPanel, Value lastPanel) {
  int64_t atOnce = tasks.panelsOfStep;
  auto run = [&](Value number, unsigned panels, bool full) {
    place.column = k.mul(number, k.index(columns));
    Value base = panelBase();
    Value at = k.mul(k.sub(number, firstPanel), k.index(columns));
    k.loop(k.index(0), k.size(tasks.tileCount), k.index(1), [&](Value which) {
      Tile tile = locate(which, base);
      takeSlice(tile, slice);
      tile.args.c = tileMemory;
      tile.args.cOffset = sweptSums(which, at);
      tile.args.rowStrideC = k.index(sweptColumns());
      dispatch(tile, full, panels);
    });
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

void GemmNest::sweep(Value firstPanel, Value lastPanel) {
  clearSums(k.index(0), k.index(sumsOfTask()));
  k.loop(k.index(0), k.index(tasks.slices), k.index(1),
         [&](Value slice) { sweepSlice(slice, firstPanel, lastPanel); });
  k.loop(firstPanel, lastPanel, k.index(1), [&](Value number) {
    place.column = k.mul(number, k.index(columns));
    Value base = panelBase();
    Value at = k.mul(k.sub(number, firstPanel), k.index(columns));
    k.loop(k.index(0), k.size(tasks.tileCount), k.index(1), [&](Value which) {
      Tile tile = locate(which, base);
      byFullness(tile.rest, [&](bool full) {
        epilogue.finish(tileMemory, sweptSums(which, at),
                        k.index(sweptColumns()), place, tile.height,
                        full ? Value() : tile.rest);
      });
    });
  });
}

} // namespace zenith::kernels
