// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mirrors the half of a symmetric matrix that its GEMM has computed.

#ifndef ZENITH_LOWERING_GEMM_SYRKMIRROR_H
#define ZENITH_LOWERING_GEMM_SYRKMIRROR_H

#include "lowering/schedule/ContractionSpace.h"

namespace zenith::kernels {

/// Copies the upper triangle of result 0, a square matrix, to the lower one. A
/// task is a block of `blockRows` rows, a multiple of the lanes, and reads only
/// what the GEMM wrote.
Launch emitSyrkMirror(graph::FusionOp fusion, graph::DimAnalysis &dims,
                      const TargetModel &target, mlir::ModuleOp kernels,
                      llvm::StringRef name, const ContractionSpace &space,
                      int64_t blockRows);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_GEMM_SYRKMIRROR_H
