// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What windows over planes of channels-first data read and write: vectors of a
// plane's rows with their padding, weights, and results of a tile.

#ifndef ZENITH_LOWERING_KERNELS_PLANEWINDOW_H
#define ZENITH_LOWERING_KERNELS_PLANEWINDOW_H

#include "lowering/builder/EmissionContext.h"
#include "lowering/elements/ElementEmitter.h"
#include "lowering/schedule/windows/WindowForms.h"

namespace zenith::kernels {

/// Rows and columns of results that a tile has in its plane.
struct TileExtent {
  mlir::Value rows, columns;
};

/// Vectors of a row of the plane, side by side from column `first` on, and
/// their lanes that the plane has. They hold the elements that are `ahead`
/// results further on.
struct RowPart {
  int64_t ahead;
  llvm::SmallVector<mlir::Value> first, inside;
};

struct PlaneWindow {
  PlaneWindow(const EmissionContext &context, const WindowLoops &shape,
              const WindowKeys &keys, PlaneGeometry geometry);

  bool mayReadPadding(unsigned loop) const;
  /// Taps are reduced in the interpreter's order.
  bool inOrder() const { return reduced.inOrder(geometry); }
  /// Memory of a task, in whole vectors.
  mlir::Value array(int64_t elements);
  /// The same, filled with padding, which only copies of rows overwrite.
  mlir::Value buffer(int64_t elements);
  /// A vector of what no tap changes.
  mlir::Value start();
  /// `sum` with one more tap; pooling has no weight.
  mlir::Value step(mlir::Value sum, mlir::Value lanes, mlir::Value weight);
  mlir::Value weight(llvm::ArrayRef<LaneIndex> down, const LaneIndex &x,
                     llvm::ArrayRef<LaneIndex> index);
  llvm::SmallVector<LaneIndex> inputIndex(llvm::ArrayRef<LaneIndex> index,
                                          llvm::ArrayRef<LaneIndex> rows,
                                          const LaneIndex &column);
  mlir::Value columnsInside(mlir::Value first);
  mlir::Value firstColumn(mlir::Value at, int64_t number);
  RowPart partOfRow(mlir::Value at, int64_t ahead);
  llvm::SmallVector<mlir::Value> vectorsOfRow(llvm::ArrayRef<LaneIndex> index,
                                              llvm::ArrayRef<LaneIndex> rows,
                                              const RowPart &part);
  void padBeside(llvm::ArrayRef<RowPart> parts,
                 llvm::MutableArrayRef<mlir::Value> vectors);
  void finishTile(llvm::ArrayRef<LaneIndex> loopIndex, mlir::Value row,
                  mlir::Value column, int64_t rows,
                  llvm::ArrayRef<int64_t> shifts,
                  llvm::ArrayRef<mlir::Value> lanes);

  KernelBuilder k;
  ElementEmitter emitter;
  const IterationSpace &space;
  const WindowLoops &shape;
  const WindowKeys &keys;
  PlaneGeometry geometry;
  graph::ConvolutionOp conv;
  WindowSums reduced;
  mlir::Type element;
  int64_t width;
  mlir::VectorType vector;
  /// Loops that the filter moves along, but for that of columns.
  llvm::SmallVector<unsigned> downLoops;
  mlir::Value tileRow, tileColumn; ///< the first result of a tile
  TileExtent tile;
  bool padsRows; ///< results of the plane may read beside its rows
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_PLANEWINDOW_H
