// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GEMV-style sweeps of few rows over a row-major B.

#ifndef ZENITH_LOWERING_GEMM_GEMMSWEEP_H
#define ZENITH_LOWERING_GEMM_GEMMSWEEP_H

#include "lowering/gemm/GemmTileKernel.h"

namespace zenith::kernels {

/// Only where the schedule is a SweptK.
class GemmSweep {
public:
  GemmSweep(const GemmContext &gemm, GemmTiles &tiles,
            const GemmTileKernel &kernel);
  /// Sums and finishes all rows of the panels [firstPanel, lastPanel).
  void task(mlir::Value firstPanel, mlir::Value lastPanel);

private:
  void addBlock(mlir::Value kBlock, mlir::Value firstPanel,
                mlir::Value lastPanel);
  void addPanels(mlir::Value kBlock, mlir::Value panel, mlir::Value firstPanel,
                 unsigned count, bool full);
  mlir::Value sumsOf(mlir::Value tile, mlir::Value column);

  const GemmContext &gemm;
  KernelBuilder &k;
  const ContractionSpace &space;
  const SweptK &swept;
  GemmTiles &tiles;
  const GemmTileKernel &kernel;
  int64_t columns; ///< that a task has accumulators for
};

/// Columns of a task, or of all tasks that one thread joins.
int64_t sweptColumns(const GemmContext &gemm);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_GEMM_GEMMSWEEP_H
