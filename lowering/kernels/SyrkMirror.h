// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The half of a symmetric matrix that its product left out.

#ifndef ZENITH_LOWERING_KERNELS_SYRKMIRROR_H
#define ZENITH_LOWERING_KERNELS_SYRKMIRROR_H

#include "lowering/schedule/ContractionSpace.h"

namespace zenith::kernels {

/// Copies what lies above the diagonal of result 0, a square matrix, to where
/// it belongs below. A task is a block of rows, which reads only what the
/// product wrote.
Launch emitMirror(graph::FusionOp fusion, graph::DimAnalysis &dims,
                  const TargetModel &target, mlir::ModuleOp kernels,
                  llvm::StringRef name, const ContractionSpace &space);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_SYRKMIRROR_H
