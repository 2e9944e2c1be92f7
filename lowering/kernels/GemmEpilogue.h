// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What follows a product inside its kernel: pointwise ops on a tile of sums,
// and stores wherever movement ops put the elements.

#ifndef ZENITH_LOWERING_KERNELS_GEMMEPILOGUE_H
#define ZENITH_LOWERING_KERNELS_GEMMEPILOGUE_H

#include "lowering/elements/ElementEmitter.h"
#include "lowering/schedule/ContractionSpace.h"

namespace zenith::kernels {

/// Where a tile lies in the product's result.
struct TilePlace {
  llvm::SmallVector<mlir::Value> outer; ///< per outer axis of the space
  llvm::SmallVector<mlir::Value> lines;
  mlir::Value row, column; ///< first ones, along the tile axis and the columns
};

class GemmEpilogue {
public:
  GemmEpilogue(KernelBuilder &kernel, const ContractionSpace &space);
  /// Finds out how each result hangs together with the product; reports what no
  /// epilogue can do.
  llvm::LogicalResult analyse();

  /// Result memory that a micro-kernel may write itself: offset of a tile and
  /// stride of its rows. Nullopt where sums need any work.
  struct DirectStore {
    mlir::Value memory, offset, rowStride;
  };
  std::optional<DirectStore> directStore(const TilePlace &place);

  /// True where the rows of each result follow each other in memory and its
  /// columns don't: tiles of neighbouring rows are then best finished together.
  bool storesColumns() const { return rowsOfRun.has_value(); }
  /// Memory that finishColumns needs to take `rowsAtOnce` rows at once, whole
  /// vectors of them; called once, in the entry block.
  void prepare(unsigned rowsAtOnce);
  /// Asks for the lines of results that finishColumns will write, while sums
  /// are still under way.
  void fetchColumns(const TilePlace &place, mlir::Value firstRow,
                    mlir::Value rows);
  /// Finishes `rows` rows from `firstRow` on, counted over all lines: with
  /// lanes along the rows, column by column. Reads `tiles` up to `rowsAtOnce`
  /// rows past the last.
  void finishColumns(mlir::Value tiles, mlir::Value tileOffset,
                     const TilePlace &place, mlir::Value firstRow,
                     mlir::Value rows, mlir::Value columns);

  /// Finishes `rows` rows of the tile that begins at `tileOffset` of `tiles`,
  /// `rowStride` elements apart: all columns of it, or the first `columns`
  /// ones.
  void finish(mlir::Value tiles, mlir::Value tileOffset, mlir::Value rowStride,
              const TilePlace &place, mlir::Value rows, mlir::Value columns);
  /// The same where the columns are gates, whose sums lie `gateStride` apart:
  /// `place` is that of the first gate.
  void finishGates(mlir::Value tiles, mlir::Value tileOffset,
                   int64_t gateStride, const TilePlace &place,
                   mlir::Value rows);
  bool failed() const { return emitter.failed(); }

private:
  using Digits = llvm::SmallVector<StridedDim>;
  llvm::LogicalResult place(mlir::Value value, Digits digits,
                            llvm::DenseMap<mlir::Value, Digits> &seen);
  struct Output {
    mlir::Value yielded;
    /// What is computed per element: `yielded`, or what movement makes it of.
    mlir::Value computed;
    bool sameDims = false; ///< `computed` has the product's shape and order
    Digits outer;          ///< per batch dimension
    StridedDim rows, columns;
    llvm::DenseMap<mlir::Value, Digits> places; ///< of values up to the product
  };
  struct FlatIndex {
    llvm::SmallVector<LaneIndex> batch;
    LaneIndex row, column;
  };
  FlatIndex flatIndex(const TilePlace &place, LaneIndex row, LaneIndex column);
  LaneIndex flatRow(const TilePlace &place, mlir::Value row);
  LaneIndex columnIndex(mlir::Value column, bool lanes);
  void finishPart(mlir::Value tiles, mlir::Value at, const TilePlace &place,
                  mlir::Value r, mlir::Value first, mlir::Value columns);
  void storeResults(const FlatIndex &flat);
  void computeBeforeMovement(Output &output, mlir::Value whole) const;
  std::optional<graph::DimExpr> runOfRows() const;
  unsigned columnsInARow() const;
  bool readsRowsAlike(mlir::Value value, llvm::ArrayRef<int64_t> rows) const;
  bool readsRowsAlike(const llvm::DenseMap<mlir::Value, Digits> &seen) const;
  void turnRows(mlir::Value tiles, mlir::Value at);
  void columnsOfRows(mlir::Value tiles, mlir::Value at, const TilePlace &place,
                     LaneIndex rows, mlir::Value mask, mlir::Value columns);
  llvm::SmallVector<LaneIndex> productIndex(const FlatIndex &flat);
  llvm::SmallVector<LaneIndex>
  delinearize(LaneIndex linear, llvm::ArrayRef<graph::DimExpr> sizes);
  LaneIndex address(const Output &output, const FlatIndex &flat);
  LaneIndex along(const StridedDim &digits, LaneIndex index);

  KernelBuilder &k;
  ElementEmitter emitter;
  const ContractionSpace &space;
  mlir::Value product;
  mlir::Type element;
  unsigned width;
  unsigned part = 0; ///< columns, of `width`, that each result has in a row
  llvm::DenseSet<mlir::Value> dependent;
  std::vector<Output> outputs;
  bool direct = false;
  std::optional<graph::DimExpr> rowsOfRun; ///< that follow each other
  mlir::Value turned;                      ///< columns of `rowsAtOnce` rows
  int64_t rowsAtOnce = 1;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_GEMMEPILOGUE_H
