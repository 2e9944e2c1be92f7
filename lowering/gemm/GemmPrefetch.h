// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The software prefetches of the micro-kernels of a GEMM, as its schedule says.

#ifndef ZENITH_LOWERING_GEMM_GEMMPREFETCH_H
#define ZENITH_LOWERING_GEMM_GEMMPREFETCH_H

#include "lowering/gemm/GemmContext.h"
#include "lowering/microkernels/MicroKernel.h"

namespace zenith::kernels {

/// Panels that a tile reads side by side: 2 where panels have half a tile's
/// width.
int64_t panelsOfTile(const GemmContext &gemm);

decltype(MicroKernel::prefetch) policyOf(const sched::Prefetch &prefetch);

/// MicroKernelArgs::ahead of tile `tile`: the distance in elements from what it
/// reads to what it prefetches, for the policies that have one; else null.
mlir::Value prefetchDistance(const GemmContext &gemm, mlir::Value tile);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_GEMM_GEMMPREFETCH_H
