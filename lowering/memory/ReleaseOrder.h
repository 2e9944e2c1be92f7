// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An order of a function's fusions in which large values die sooner.

#ifndef ZENITH_LOWERING_MEMORY_RELEASEORDER_H
#define ZENITH_LOWERING_MEMORY_RELEASEORDER_H

#include "ir/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <vector>

namespace zenith::memory {

/// The ops of a function's block in an order that needs less memory at its
/// fullest moment: fusions that leave little behind, as gradients of weights do
/// that end in the caller's buffers, come as soon as they can. The others keep
/// their order. Empty where nothing is gained.
std::vector<mlir::Operation *> releaseOrder(mlir::func::FuncOp function,
                                            graph::DimAnalysis &dims);

/// Gives the block that order.
void applyOrder(llvm::ArrayRef<mlir::Operation *> order);

} // namespace zenith::memory

#endif // ZENITH_LOWERING_MEMORY_RELEASEORDER_H
