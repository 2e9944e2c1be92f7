// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the tiles of a GEMM are: their coordinates, and the addresses of their
// operands.

#ifndef ZENITH_LOWERING_GEMM_GEMMTILES_H
#define ZENITH_LOWERING_GEMM_GEMMTILES_H

#include "lowering/gemm/GemmContext.h"
#include "lowering/gemm/GemmPanelCopies.h"
#include "lowering/microkernels/MicroKernel.h"

namespace zenith::kernels {

/// A tile: its rows, and its arguments but for where the accumulators are.
struct GemmTile {
  mlir::Value rows;    ///< how many
  mlir::Value columns; ///< how many follow in the matrix, from its first one on
  MicroKernelArgs args;
  mlir::Value inside; ///< no row reads padding; null where none can
};

/// The tap whose clip is that of the K axis, where K is a row of positions and
/// leaves out what reads padding; null elsewhere.
const TapAxis *clippedK(const ContractionSpace &space);

/// Locates tiles. Tiles are numbered row axis by row axis; those of a row axis
/// have the same number of rows but for one more row in the first ones. Those
/// that are not balanced are full but for the last one, so that few heights of
/// micro-kernels suffice.
class GemmTiles {
public:
  /// Call in the entry block.
  explicit GemmTiles(GemmContext &gemm);
  /// Lets tiles read the task's copies of B.
  void readCopies(const GemmPanelCopies &own) { copies = &own; }

  /// Sets coordinates and operand offsets of the task for an iteration of the
  /// outer axes.
  void beginTask(mlir::Value outerIteration);
  /// Sets the first column of the tiles that follow.
  void setColumn(mlir::Value column) { at.column = column; }
  /// Offset in B, or in its copies, of the panel that begins with that column.
  mlir::Value panelBase();
  /// Tile `number`, whose coordinates become the current ones; without taps.
  GemmTile locate(mlir::Value number, mlir::Value panelBase);
  /// Gives the tile its taps: all of them, or those of a block of K.
  void setTaps(GemmTile &tile, mlir::Value kBlock);
  /// Restricts the tile to a block of K.
  void takeKBlock(GemmTile &tile, mlir::Value kBlock);
  /// Rows of the matrix before the first one of a tile.
  mlir::Value firstRow(mlir::Value number);
  /// Number of the first tile that lies below the diagonal in all panels before
  /// `lastPanel`.
  mlir::Value tilesToDiagonal(mlir::Value lastPanel);
  const TileCoordinates &coordinates() const { return at; }

private:
  std::pair<mlir::Value, mlir::Value> inRowAxis(mlir::Value number);
  mlir::Value rowInAxis(mlir::Value inAxis);
  void prepareZeros();
  std::pair<mlir::Value, mlir::Value> insideTaps(const Clip &clip,
                                                 mlir::Value count);
  void clipTaps(MicroKernelArgs &args, mlir::Value kBlock);
  mlir::Value isInside(mlir::Value rows, const MicroKernelArgs &args);
  const TapAxis *clippedTap() const;
  mlir::Value ceilDiv(mlir::Value x, int64_t y) {
    return k.div(k.add(x, k.index(y - 1)), k.index(y));
  }

  GemmContext &gemm;
  KernelBuilder &k;
  const ContractionSpace &space;
  const GemmPanelCopies *copies = nullptr;
  mlir::Value zeros;
  mlir::Value lowHeight; ///< MR where tiles are not balanced
  mlir::Value higher;    ///< tiles with one more row; null likewise
  TileCoordinates at;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_GEMM_GEMMTILES_H
