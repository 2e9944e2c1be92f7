// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GEMMs whose results are stored column by column, since their rows are
// contiguous: tiles of neighbouring rows are finished together.

#ifndef ZENITH_LOWERING_GEMM_GEMMCOLUMNSTORES_H
#define ZENITH_LOWERING_GEMM_GEMMCOLUMNSTORES_H

#include "lowering/gemm/GemmTileKernel.h"

namespace zenith::kernels {

class GemmColumnStores {
public:
  GemmColumnStores(const GemmContext &gemm, GemmTiles &tiles,
                   const GemmTileKernel &kernel)
      : gemm(gemm), k(gemm.k), space(gemm.space), tiles(tiles), kernel(kernel) {
  }

  /// Sums and finishes the tiles [firstTile, lastTile) of a panel, some at a
  /// time.
  void panel(mlir::Value panelBase, mlir::Value firstTile,
             mlir::Value lastTile);
  /// Finishes the tiles [firstTile, lastTile) of a panel, whose accumulators
  /// begin at element `sums`.
  void finish(mlir::Value sums, mlir::Value firstTile, mlir::Value lastTile);

private:
  void prefetchResults(mlir::Value firstTile, mlir::Value lastTile);

  const GemmContext &gemm;
  KernelBuilder &k;
  const ContractionSpace &space;
  GemmTiles &tiles;
  const GemmTileKernel &kernel;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_GEMM_GEMMCOLUMNSTORES_H
