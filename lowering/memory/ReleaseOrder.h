// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory-aware list scheduling of a function's fusions.

#ifndef ZENITH_LOWERING_MEMORY_RELEASEORDER_H
#define ZENITH_LOWERING_MEMORY_RELEASEORDER_H

#include "ir/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <vector>

namespace zenith::memory {

/// The ops of a function's block in an order with a lower peak of memory:
/// fusions that free more than they allocate (such as gradients of weights,
/// whose results are the caller's buffers) come as soon as their operands are
/// there. Other ops keep their order. Empty where the peak is not lower.
std::vector<mlir::Operation *> releaseOrder(mlir::func::FuncOp function,
                                            graph::DimAnalysis &dims);

/// Reorders the block.
void applyOrder(llvm::ArrayRef<mlir::Operation *> order);

} // namespace zenith::memory

#endif // ZENITH_LOWERING_MEMORY_RELEASEORDER_H
