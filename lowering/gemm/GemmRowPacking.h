// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A-packing: copies of the rows of A that the tiles of a task read.

#ifndef ZENITH_LOWERING_GEMM_GEMMROWPACKING_H
#define ZENITH_LOWERING_GEMM_GEMMROWPACKING_H

#include "lowering/gemm/GemmTiles.h"

namespace zenith::kernels {

/// Only where the schedule packs A.
class GemmRowPacking {
public:
  /// Call in the entry block.
  explicit GemmRowPacking(const GemmContext &gemm);

  /// Copies block `kBlock` of K of the rows of tiles [firstTile, lastTile), as
  /// [tile][k][row].
  void pack(GemmTiles &tiles, mlir::Value kBlock, mlir::Value firstTile,
            mlir::Value lastTile);
  /// Lets a tile read its packed rows.
  void redirect(GemmTile &tile, mlir::Value number, mlir::Value firstTile);

private:
  void packK(mlir::Value from, mlir::Value to, const GemmTile &tile,
             mlir::Value firstRow);
  int64_t tileElements() const;

  const GemmContext &gemm;
  KernelBuilder &k;
  const ContractionSpace &space;
  mlir::Value packed;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_GEMM_GEMMROWPACKING_H
