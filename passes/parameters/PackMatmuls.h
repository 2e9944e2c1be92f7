// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Right-hand sides in packed panels, and matmuls that read them so.

#ifndef ZENITH_PASSES_PARAMETERS_PACKMATMULS_H
#define ZENITH_PASSES_PARAMETERS_PACKMATMULS_H

#include "ir/GraphOps.h"

namespace zenith::parameters {

/// Columns of a panel (NR), and K values of a column that lie side by side.
struct PanelShape {
  int64_t panel, group = 1;
};

/// The shape that options name; 0 stands for what the module's target has.
/// Failure, with an error at `op`, where they are no shape of a panel.
mlir::FailureOr<PanelShape> panelShapeOf(mlir::Operation *op, int64_t panel,
                                         int64_t group = 1);

/// The shape for one contraction. Int16 matmuls, those that
/// zenith-lower-int8-matmuls built and those of bf16 pairs interleave K; a
/// small-M matmul takes half of a wide panel.
PanelShape panelShapeFor(mlir::Operation *contraction, PanelShape widest);

/// Static, with elements, and neither in panels of that width already nor in
/// panels of codes.
bool isPackable(mlir::Value weights, int64_t panel);
/// A factor of a contraction that is worth a form of its own: a parameter, or
/// what several contractions read alike, as those of devices with the same
/// weights do. Asked of all of them before the first is rewritten.
bool isPackedOnce(mlir::OpOperand &factor);
/// A packable parameter that Winograd's transform has left alone.
bool isPackableFilter(graph::ConvolutionOp op, int64_t panel);

/// The value with the element type of `original`: weights are packed narrow and
/// widened after unpacking.
mlir::Value widenedLike(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value, mlir::Value original);

/// Packs a matrix [K, N] at the insertion point of `packing` and reads it back
/// at that of `reading`.
mlir::Value repacked(mlir::OpBuilder &packing, mlir::OpBuilder &reading,
                     mlir::Location loc, mlir::Value matrix, PanelShape shape);

/// Packs the right-hand side at the insertion point of `packing`: at the matmul
/// or earlier, where the value is known. The matmul is built anew; batched
/// ones, several contracted dimensions and what is not packable stay, and false
/// is returned.
bool packMatmul(graph::DotGeneralOp op, PanelShape widest,
                mlir::OpBuilder &packing);

} // namespace zenith::parameters

#endif // ZENITH_PASSES_PARAMETERS_PACKMATMULS_H
