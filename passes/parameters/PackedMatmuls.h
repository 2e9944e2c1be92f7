// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products that read their right-hand side through packed panels.

#ifndef ZENITH_PASSES_PARAMETERS_PACKEDMATMULS_H
#define ZENITH_PASSES_PARAMETERS_PACKEDMATMULS_H

#include "ir/GraphOps.h"

namespace zenith::layout {

/// Columns of a panel, and depths of one column that lie side by side.
struct PanelShape {
  int64_t panel, group = 1;
};
/// Only products of 16-bit integers and those that byteProduct built take
/// several depths at a time; some of few rows take half of a wide panel.
PanelShape panelShapeFor(mlir::Operation *contraction, PanelShape widest);

/// Static, with elements, and not in panels of that width already.
bool isPackable(mlir::Value weights, int64_t panel);

mlir::Value reshaped(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value, llvm::ArrayRef<int64_t> shape);
/// What was packed below a widening is widened behind it.
mlir::Value widenedLike(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value, mlir::Value original);
/// Packs a matrix [K, N] where `packing` stands and reads it back where
/// `reading` does.
mlir::Value repacked(mlir::OpBuilder &packing, mlir::OpBuilder &reading,
                     mlir::Location loc, mlir::Value matrix, PanelShape shape);

/// Packs the right-hand side where `packing` stands: at the product or where
/// its value is known earlier. The product is built anew; batched ones, several
/// contracted dimensions and what isn't packable stay, and false is returned.
bool packProduct(graph::DotGeneralOp op, PanelShape widest,
                 mlir::OpBuilder &packing);

/// The same for a batched product; one with widened weights stays.
bool packBatchedProduct(graph::DotGeneralOp op, int64_t panel);

/// Writes a product with one column as sums along the rows of its left-hand
/// side and erases it; false where it is not of that kind.
bool sumAlongRows(graph::DotGeneralOp op);

} // namespace zenith::layout

#endif // ZENITH_PASSES_PARAMETERS_PACKEDMATMULS_H
