// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface that answers what an op may be fused with, and the registration
// of its answers.

#ifndef ZENITH_PASSES_FUSION_FUSIONRULE_H
#define ZENITH_PASSES_FUSION_FUSIONRULE_H

#include "ir/AttachRules.h"
#include "ir/GraphOps.h"

namespace zenith::fusion {

/// The part that an op plays in fusion.
enum class Role {
  Outside,   ///< stays in the function: parameters, dimensions, constants with
             ///< data, ops of other dialects
  Metadata,  ///< costs nothing inside a kernel, so each reader has its own
             ///< copy: movement, splat constants
  Pointwise, ///< one element takes a few elements of the operands
  Reduction, ///< reduces dimensions; softmax and norms too
  Contraction, ///< GEMM-like: dot_general, convolution over channels
  Window,      ///< reduce_window, depthwise convolution
  Scan,        ///< reduces along a dimension and keeps every step: cumulative
  Opaque ///< a kernel or routine of its own on plain memory: ordering, scatter,
         ///< ops with a region, linear algebra
};

} // namespace zenith::fusion

#include "passes/fusion/FusionRule.h.inc"

namespace zenith::fusion {

/// Answers for every op that fusion meets, attached when the dialect is loaded.
void registerFusionRules(mlir::DialectRegistry &registry);

void attachElementwiseFusion(mlir::MLIRContext *context);
void attachMovementFusion(mlir::MLIRContext *context);
void attachContractionFusion(mlir::MLIRContext *context);
void attachReductionFusion(mlir::MLIRContext *context);
void attachIndexingFusion(mlir::MLIRContext *context);
void attachOrderingFusion(mlir::MLIRContext *context);
void attachLinearAlgebraFusion(mlir::MLIRContext *context);
void attachSearchFusion(mlir::MLIRContext *context);
void attachCompositeFusion(mlir::MLIRContext *context);
void attachControlFusion(mlir::MLIRContext *context);

/// The role of any op; ops without a rule stay in the function.
Role roleOf(mlir::Operation *op, graph::DimAnalysis &dims);
/// See FusionRule::isElementwise; false for ops without a rule.
bool isElementwise(mlir::Operation *op);
/// See FusionRule::readsChunks; true where it holds for some operand of `op`.
bool readsChunks(mlir::Operation *op);

/// Whether `value` is an i64 scalar made of dimensions alone, which the host
/// computes. A symbol that stands for data in memory makes it an ordinary
/// value.
bool isDimScalar(mlir::Value value, graph::DimAnalysis &dims);
bool isSplatConstant(mlir::Operation *op);
/// The operands of `op` but those for whose index `isComputed` holds, because
/// its kernel computes them.
llvm::SmallVector<mlir::Value>
operandsInMemory(mlir::Operation *op,
                 llvm::function_ref<bool(unsigned)> isComputed);

} // namespace zenith::fusion

#endif // ZENITH_PASSES_FUSION_FUSIONRULE_H
