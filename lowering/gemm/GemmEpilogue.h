// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits what follows a GEMM inside of its kernel: pointwise ops on a tile of
// accumulators, and stores wherever movement ops put the elements.

#ifndef ZENITH_LOWERING_GEMM_GEMMEPILOGUE_H
#define ZENITH_LOWERING_GEMM_GEMMEPILOGUE_H

#include "lowering/elements/ElementEmitter.h"
#include "lowering/schedule/EpilogueForm.h"

namespace zenith::kernels {

/// Where a tile lies in the GEMM's result.
struct TileCoordinates {
  llvm::SmallVector<mlir::Value> outer;     ///< per outer axis of the space
  llvm::SmallVector<mlir::Value> outerRows; ///< per outer row axis
  mlir::Value row, column; ///< first ones, along the row axis and the columns
};

class GemmEpilogue {
public:
  /// `form` is that of `space`.
  GemmEpilogue(KernelBuilder &kernel, const ContractionSpace &space,
               const EpilogueForm &form);

  /// Result memory that a micro-kernel may write itself: offset of a tile and
  /// stride of its rows, in elements.
  struct DirectStore {
    mlir::Value memory, offset, rowStride;
  };
  /// Nullopt where the accumulators need any work.
  std::optional<DirectStore> directStore(const TileCoordinates &at);

  /// The rows of each result are contiguous and its columns are not: tiles of
  /// neighbouring rows are then best finished together.
  bool storesColumns() const { return form.rowRun.has_value(); }
  /// Allocates memory for finishColumns to take `rowsAtOnce` rows at once, a
  /// multiple of the lanes; call once, in the entry block.
  void prepare(unsigned rowsAtOnce);
  /// Prefetches the lines of results that finishColumns will write, before the
  /// tiles are summed.
  void prefetchColumns(const TileCoordinates &at, mlir::Value firstRow,
                       mlir::Value rows);
  /// Finishes `rows` rows from row `firstRow` of the matrix on, column by
  /// column with lanes along the rows. Reads `tiles` up to `rowsAtOnce` rows
  /// past the last.
  void finishColumns(mlir::Value tiles, mlir::Value tileOffset,
                     const TileCoordinates &at, mlir::Value firstRow,
                     mlir::Value rows, mlir::Value columns);

  /// Finishes `rows` rows of the tile that begins at element `tileOffset` of
  /// `tiles`, `rowStride` elements apart: all its columns, or the first
  /// `columns` ones where that is not null.
  void finish(mlir::Value tiles, mlir::Value tileOffset, mlir::Value rowStride,
              const TileCoordinates &at, mlir::Value rows, mlir::Value columns);
  /// The same where the columns are gates, whose accumulators are `gateStride`
  /// elements apart; `at` is the tile of the first gate.
  void finishGates(mlir::Value tiles, mlir::Value tileOffset,
                   int64_t gateStride, const TileCoordinates &at,
                   mlir::Value rows);
  /// Whether an op had no lowering; that has been reported.
  bool failed() const { return emitter.failed(); }

private:
  using Output = EpilogueForm::Output;
  /// Index of an element of the GEMM's result.
  struct FlatIndex {
    llvm::SmallVector<LaneIndex> batch; ///< per dimension, where it is one
    LaneIndex row, column;
  };
  FlatIndex flatIndex(const TileCoordinates &at, LaneIndex row,
                      LaneIndex column);
  LaneIndex flatRow(const TileCoordinates &at, mlir::Value row);
  LaneIndex columnIndex(mlir::Value column, bool lanes);
  int64_t widthOfRest(int64_t rest) const;
  void finishVector(mlir::Value tiles, mlir::Value from,
                    const TileCoordinates &at, mlir::Value row,
                    mlir::Value first, mlir::Value columns);
  mlir::Value gate(graph::SliceOp slice, mlir::Value tiles, mlir::Value from,
                   const FlatIndex &flat);
  void storeResults(const FlatIndex &flat);
  void transposeRows(mlir::Value tiles, mlir::Value from);
  void storeColumns(mlir::Value tiles, mlir::Value from,
                    const TileCoordinates &at, LaneIndex rows, mlir::Value mask,
                    mlir::Value columns);
  llvm::SmallVector<LaneIndex> resultIndex(const FlatIndex &flat);
  llvm::SmallVector<LaneIndex>
  delinearize(LaneIndex linear, llvm::ArrayRef<graph::DimExpr> sizes);
  LaneIndex address(const Output &output, const FlatIndex &flat);
  LaneIndex along(const StridedDim &digits, LaneIndex index);

  KernelBuilder &k;
  ElementEmitter emitter;
  const ContractionSpace &space;
  const EpilogueForm &form;
  mlir::Value transposed; ///< columns of `rowsAtOnce` rows
  int64_t rowsAtOnce = 1;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_GEMM_GEMMEPILOGUE_H
