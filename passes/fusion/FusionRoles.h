// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What part an op may play in a fusion: anchor of a kernel kind, pointwise
// work, free movement, or none.

#ifndef ZENITH_PASSES_FUSION_FUSIONROLES_H
#define ZENITH_PASSES_FUSION_FUSIONROLES_H

#include "ir/GraphOps.h"

namespace zenith::fusion {

enum class Role {
  Outside, ///< stays in the function: parameters, sizes, constants with data,
           ///< ops of other dialects
  Free,    ///< costs nothing inside a kernel, so each reader has its own copy:
           ///< movement, splats
  Pointwise,   ///< one element from a few elements of the operands
  Reduction,   ///< folds dimensions; softmax and norms too
  Contraction, ///< dot_general, convolution without groups
  Window,      ///< reduce_window, grouped convolution
  Running,     ///< folds along a dimension in order and keeps every step:
               ///< cumulative
  Alone ///< a kernel of its own on plain memory: ordering, scatter, ops with
        ///< a region, factors and transforms
};

Role roleOf(mlir::Operation *op, graph::DimAnalysis &dims);

/// Integer scalars that dimensions are made of, and ops on them.
bool isSize(mlir::Value value, graph::DimAnalysis &dims);
bool isSplatConstant(mlir::Operation *op);

/// The kind of kernel that an op with role Alone becomes.
graph::FusionKind kindAlone(mlir::Operation *op);
/// Whether such an op reads operand `number` as plain memory; other operands
/// are scalars that its kernel may compute.
bool readsMemory(mlir::Operation *op, unsigned number);

/// Whether the kernel of such an op computes operand `number` itself, chunk by
/// chunk: the candidates of new keys or bits.
bool readsChunks(mlir::Operation *op, unsigned number);

/// Whether a product reads its left operand as the bytes that it was widened
/// from: its weights lie in groups of four.
bool takesBytes(mlir::OpOperand &use);

/// The bytes that a window reads where its operand is made of them by steps of
/// one instruction each; null for other operands.
mlir::Value bytesOfWindow(mlir::Value operand);

/// Dimensions that a reduction folds.
llvm::SmallVector<int64_t> foldedDims(mlir::Operation *reduction);

/// Cost of one element (passes/cost), an addition = 1; 0 for movement.
unsigned elementCost(mlir::Operation *op);

} // namespace zenith::fusion

#endif // ZENITH_PASSES_FUSION_FUSIONROLES_H
