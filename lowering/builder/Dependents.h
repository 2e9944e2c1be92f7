// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a fusion computes from the result of its anchor.

#ifndef ZENITH_LOWERING_BUILDER_DEPENDENTS_H
#define ZENITH_LOWERING_BUILDER_DEPENDENTS_H

#include "ir/GraphOps.h"
#include "llvm/ADT/DenseSet.h"

namespace zenith::kernels {

/// Values of the fusion's body that depend on the result of `anchor`.
llvm::DenseSet<mlir::Value> dependents(graph::FusionOp fusion,
                                       mlir::Operation *anchor);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_BUILDER_DEPENDENTS_H
