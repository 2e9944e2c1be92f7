// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GEMMs whose columns are the gates of an LSTM or GRU cell.

#ifndef ZENITH_LOWERING_GEMM_GEMMGATES_H
#define ZENITH_LOWERING_GEMM_GEMMGATES_H

#include "lowering/gemm/GemmTileKernel.h"

namespace zenith::kernels {

/// Only where the space has gates: a task sums the same columns of all gates,
/// which the epilogue combines.
class GemmGates {
public:
  GemmGates(const GemmContext &gemm, GemmTiles &tiles,
            const GemmTileKernel &kernel)
      : gemm(gemm), k(gemm.k), tiles(tiles), kernel(kernel) {}
  /// Sums and finishes tiles [firstTile, lastTile) of panel `number` of each
  /// gate.
  void panel(mlir::Value number, mlir::Value firstTile, mlir::Value lastTile);

private:
  const GemmContext &gemm;
  KernelBuilder &k;
  GemmTiles &tiles;
  const GemmTileKernel &kernel;
};

/// Accumulators of a task per gate.
int64_t sumsPerGate(const GemmContext &gemm);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_GEMM_GEMMGATES_H
