// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of a task over blocks of K.

#ifndef ZENITH_LOWERING_GEMM_GEMMKBLOCKS_H
#define ZENITH_LOWERING_GEMM_GEMMKBLOCKS_H

#include "lowering/gemm/GemmColumnStores.h"
#include "lowering/gemm/GemmRowPacking.h"

namespace zenith::kernels {

/// Panels and tiles of a task: first ones and ends.
struct TaskRange {
  mlir::Value firstPanel, lastPanel, firstTile, lastTile;
};

/// Each block of B stays in cache while all tiles of a task add it to their
/// accumulators, which wait in memory. Only where the schedule is a BlockedK.
class GemmKBlocks {
public:
  /// `copies` and `packing` are null where tasks copy no panels or rows.
  GemmKBlocks(const GemmContext &gemm, GemmTiles &tiles,
              const GemmTileKernel &kernel, GemmPanelCopies *copies,
              GemmRowPacking *packing);
  void task(const TaskRange &task);

private:
  void panels(const TaskRange &task);
  void addBlock(mlir::Value kBlock, const TaskRange &task);
  void finish(const TaskRange &task);
  void forTiles(const TaskRange &task,
                llvm::function_ref<void(GemmTile tile, mlir::Value number,
                                        mlir::Value sums)>
                    run);
  mlir::Value sumsOf(const TaskRange &task, mlir::Value panel,
                     mlir::Value tile);
  mlir::Value toNextBlock(mlir::Value kBlock, mlir::Value panels,
                          const GemmTile &tile);
  void prefetchNextBlock(mlir::Value kBlock, mlir::Value part,
                         const TaskRange &task);

  const GemmContext &gemm;
  KernelBuilder &k;
  const ContractionSpace &space;
  const GemmSchedule &schedule;
  GemmTiles &tiles;
  const GemmTileKernel &kernel;
  GemmPanelCopies *copies;
  GemmRowPacking *packing;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_GEMM_GEMMKBLOCKS_H
