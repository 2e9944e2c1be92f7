// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fusion rule of ops that call a routine on plain memory.

#ifndef ZENITH_PASSES_FUSION_OPAQUECALLFUSION_H
#define ZENITH_PASSES_FUSION_OPAQUECALLFUSION_H

#include "passes/fusion/FusionRule.h"

namespace zenith::fusion {

/// The answer of an op that is a routine of its own on plain memory.
template <typename Op>
struct OpaqueCallFusion : FusionRule::ExternalModel<OpaqueCallFusion<Op>, Op> {
  Role role(mlir::Operation *, graph::DimAnalysis &) const {
    return Role::Opaque;
  }
  std::optional<graph::FusionKind> kernelKind(mlir::Operation *) const {
    return graph::FusionKind::routine;
  }
  llvm::SmallVector<mlir::Value> memoryOperands(mlir::Operation *op,
                                                graph::DimAnalysis &) const {
    return llvm::SmallVector<mlir::Value>(op->getOperands());
  }
  /// The callee of a custom call writes all that it declares.
  bool writesAllResults(mlir::Operation *op) const {
    return mlir::isa<graph::CustomCallOp>(op);
  }
};

} // namespace zenith::fusion

#endif // ZENITH_PASSES_FUSION_OPAQUECALLFUSION_H
