// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops around the micro-kernels of one product or convolution.

#ifndef ZENITH_LOWERING_KERNELS_GEMMNEST_H
#define ZENITH_LOWERING_KERNELS_GEMMNEST_H

#include "lowering/kernels/GemmEpilogue.h"
#include "lowering/kernels/PanelWriter.h"
#include "lowering/microkernels/MicroKernel.h"
#include "lowering/schedule/GemmSchedule.h"
#include <optional>

namespace zenith::kernels {

class GemmNest {
public:
  GemmNest(KernelBuilder &kernel, const ContractionSpace &space)
      : k(kernel), space(space), epilogue(kernel, space),
        columns(tileColumns(space.sum, kernel.target)),
        heights(tileRows(space, kernel.target)),
        tasks(chooseTasks(space, kernel.target)) {}
  mlir::FailureOr<Launch> emit();

private:
  /// One tile: its place (in `place`), its height, and its arguments but for
  /// where the sums go.
  struct Tile {
    mlir::Value height, rest; ///< rest: columns from its first one on
    MicroKernelArgs args;
    mlir::Value inside; ///< no row leaves the image; null where none can
  };
  void prepareMemory();
  void prepareZeros();
  void task(mlir::Value number);
  void panel(mlir::Value panelNumber, mlir::Value firstTile,
             mlir::Value lastTile);
  void clearSums(mlir::Value first, mlir::Value last);
  void sliced(mlir::Value firstPanel, mlir::Value lastPanel,
              mlir::Value firstTile, mlir::Value lastTile);
  void slicesOfPanels(mlir::Value firstPanel, mlir::Value lastPanel,
                      mlir::Value firstTile, mlir::Value lastTile);
  void prepareCopies();
  void copyPanels(mlir::Value slice, mlir::Value firstPanel,
                  mlir::Value lastPanel);
  void widenPanels(mlir::Value slice, mlir::Value firstPanel,
                   mlir::Value lastPanel);
  void packRows(mlir::Value slice, mlir::Value firstTile, mlir::Value lastTile);
  void packDepth(mlir::Value from, mlir::Value to, const Tile &tile);
  mlir::Value toNextSlice(mlir::Value slice, mlir::Value panels,
                          const Tile &tile);
  void fetchNextSlice(mlir::Value slice, mlir::Value part,
                      mlir::Value firstPanel, mlir::Value lastPanel);
  void sweep(mlir::Value firstPanel, mlir::Value lastPanel);
  void sweepSlice(mlir::Value slice, mlir::Value firstPanel,
                  mlir::Value lastPanel);
  mlir::Value sweptSums(mlir::Value tileNumber, mlir::Value fromColumn);
  mlir::Value panelBase();
  mlir::Value tilesToDiagonal(mlir::Value lastPanel);
  graph::DimExpr panelElements() const;
  /// Panels that a tile reads side by side.
  int64_t panelsOfTile() const {
    return space.form == ContractionSpace::Panels && space.panel < columns
               ? columns / space.panel
               : 1;
  }
  bool looksAhead() const;
  bool fetchesRows() const;
  int64_t rowsAhead() const;
  mlir::Value ahead(mlir::Value number);
  void wholeTile(mlir::Value number, mlir::Value panelBase);
  void panelOfGates(mlir::Value panelNumber, mlir::Value firstTile,
                    mlir::Value lastTile);
  std::pair<mlir::Value, mlir::Value> placeOf(mlir::Value number);
  mlir::Value firstRow(mlir::Value number);
  /// From the sums of a tile's row to those of the next one, where all rows of
  /// some tiles lie in order.
  mlir::Value strideOfSums() {
    return k.size(space.rowStep() * graph::DimExpr(int64_t(columns)));
  }
  void alignTasks();
  void tilesOfColumns(mlir::Value panelBase, mlir::Value firstTile,
                      mlir::Value lastTile);
  void fetchColumns(mlir::Value firstTile, mlir::Value lastTile);
  void finishColumns(mlir::Value sums, mlir::Value firstTile,
                     mlir::Value lastTile);
  Tile locate(mlir::Value number, mlir::Value panelBase);
  void placeFilter(Tile &tile, mlir::Value slice);
  void takeSlice(Tile &tile, mlir::Value slice);
  void byFullness(mlir::Value rest, llvm::function_ref<void(bool full)> run);
  void clipLines(MicroKernelArgs &args, mlir::Value slice);
  void sumTile(const Tile &tile);
  void dispatch(const Tile &tile, bool full, unsigned panels = 1);
  void callHeights(mlir::Value height, const MicroKernelArgs &args,
                   MicroKernel shape);
  MicroKernelArgs insideOfImage(MicroKernelArgs args, MicroKernel::Form &form);
  mlir::Value isInside(mlir::Value height, const MicroKernelArgs &args);
  mlir::Value ceilDiv(mlir::Value x, int64_t y) {
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
      return *space.tile.size.constant() * sweptColumns();
    if (space.gates > 1)
      return int64_t(space.gates) * sumsOfGate();
    int64_t tiles =
        inSlices() ? tasks.tilesPerTask * panelsAtOnce() * tasks.tasksAtOnce
        : epilogue.storesColumns() ? tilesAtOnce()
                                   : 1;
    // The rows that are finished last may reach beyond them.
    int64_t beyond = epilogue.storesColumns() ? rowsAtOnce() * columns : 0;
    return tileSize() * tiles + beyond;
  }
  int64_t sumsOfGate() const { return tasks.tilesPerTask * tileSize(); }
  int64_t sweptColumns() const {
    return tasks.tasksAtOnce * tasks.panelsPerTask * columns;
  }
  /// Sums wait in memory between the slices that are added to them.
  bool inSlices() const { return tasks.slices > 1 || tasks.packsRows; }
  int64_t copiedPanelSize() const {
    return tasks.widened ? tasks.widened : tasks.sliceDepth * columns;
  }
  int64_t copiedPanels() const {
    return !tasks.widened ? tasks.panelsPerTask
           : inSlices()
               ? panelsAtOnce() * (tasks.joinsRows ? 1 : tasks.tasksAtOnce)
               : 1;
  }
  bool copiesPanels() const {
    return space.form == ContractionSpace::Copied || tasks.widened;
  }
  /// An odd number of cache lines, so that tiles are spread over its sets.
  int64_t packedTileSize() const {
    int64_t lines = (int64_t(heights) * tasks.sliceDepth + 15) / 16;
    return 16 * (lines | 1);
  }
  int64_t rowsAtOnce() const;
  int64_t tilesAtOnce() const;
  /// Panels whose sums wait side by side while their slices are added.
  int64_t panelsAtOnce() const {
    return space.taps.empty() ? tasks.panelsPerTask : 1;
  }

  KernelBuilder &k;
  const ContractionSpace &space;
  GemmEpilogue epilogue;
  unsigned columns, heights;
  GemmSchedule tasks;
  mlir::Value a, b, tileMemory, packedRows, packedPanels, zeros, lowHeight,
      higher;
  mlir::Value firstCopied; ///< panel that the task's copies begin with
  std::optional<PanelWriter> panelWriter;
  TilePlace place;
  mlir::Value aBase, bBase;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_GEMMNEST_H
