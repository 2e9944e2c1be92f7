// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimated cycles of a convolution, directly and by Winograd tiles.

#ifndef ZENITH_PASSES_COST_WINOGRADCYCLES_H
#define ZENITH_PASSES_COST_WINOGRADCYCLES_H

#include "ir/DimAnalysis.h"
#include "ir/GraphOps.h"
#include "ir/dims/DimExpr.h"
#include "ir/target/TargetModel.h"

namespace zenith::cost {

/// Estimated cycles of one core for results of these sizes: batch, then spatial
/// ones. `tile` is that of graph::winogradFilter(), which the convolution has,
/// and sums over tiles are f32; 1 is direct convolution, of pairs of bf16 where
/// the operands are such and the target has them.
graph::DimExpr winogradCycles(graph::ConvolutionOp op, int64_t tile,
                              const target::TargetModel &target,
                              llvm::ArrayRef<graph::DimExpr> results);

/// 1 where the tile is estimated to be clearly faster than the tile `than`,
/// else 0.
graph::DimExpr isFasterWinograd(graph::ConvolutionOp op, int64_t tile,
                                int64_t than, const target::TargetModel &target,
                                llvm::ArrayRef<graph::DimExpr> results);

/// The tile that is estimated to be fastest: 1 for convolutions that have no
/// transform that suits kernels, or gain nothing by it.
int64_t fastestTile(graph::ConvolutionOp op, const target::TargetModel &target,
                    graph::DimAnalysis &dims);

} // namespace zenith::cost

#endif // ZENITH_PASSES_COST_WINOGRADCYCLES_H
