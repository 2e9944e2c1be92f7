// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of a scaled loss: gradients without the scale, and the scale
// of the next step.

#ifndef ZENITH_PASSES_PRECISION_LOSSSCALE_H
#define ZENITH_PASSES_PRECISION_LOSSSCALE_H

#include "mlir/IR/Builders.h"

namespace zenith::precision {

/// How a scale adapts. The rule is jmp's and torch's.
struct ScaleRule {
  double growth = 2;       ///< factor after `interval` finite steps
  double backoff = 0.5;    ///< factor after a step that is not finite
  int64_t interval = 2000; ///< of i32
  double minScale = 1;
  double maxScale = 1.7014118346046923e38; ///< 2^127
};

/// Gradients times 1 / scale, computed in f32 or wider, and whether all of
/// their elements are finite (a scalar of i1).
struct UnscaledGradients {
  llvm::SmallVector<mlir::Value> gradients;
  mlir::Value finite;
};
UnscaledGradients unscaleGradients(mlir::OpBuilder &builder, mlir::Location loc,
                                   mlir::ValueRange gradients,
                                   mlir::Value scale);

/// A scale (a scalar of f32) and the finite steps since it changed (of i32).
struct ScaleState {
  mlir::Value scale, goodSteps;
};
/// What both are after a step.
ScaleState nextScale(mlir::OpBuilder &builder, mlir::Location loc,
                     const ScaleRule &rule, ScaleState now, mlir::Value finite);

} // namespace zenith::precision

#endif // ZENITH_PASSES_PRECISION_LOSSSCALE_H
