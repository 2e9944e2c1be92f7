// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What element rules and the analysis of iteration spaces both ask about index
// maps.

#ifndef ZENITH_LOWERING_BUILDER_INDEXMAPS_H
#define ZENITH_LOWERING_BUILDER_INDEXMAPS_H

#include "ir/GraphOps.h"
#include "lowering/builder/IndexMath.h"

namespace zenith::kernels {

/// Index of the element of `op`'s operand `number` that its result at `index`
/// reads, for ops that always read exactly one element (broadcast, transpose,
/// reshape, slice, reverse, elementwise). nullopt for others.
std::optional<llvm::SmallVector<LaneIndex>>
operandIndex(IndexMath &math, graph::DimAnalysis &dims, mlir::Operation *op,
             unsigned number, llvm::ArrayRef<LaneIndex> index);

/// True where no host expression gives the value: it comes from a tensor's
/// data.
bool dependsOnData(const graph::DimExpr &expr);

/// Entries of a list with static ones and operands for the dynamic ones.
llvm::SmallVector<graph::DimExpr> mixedEntries(graph::DimAnalysis &dims,
                                               llvm::ArrayRef<int64_t> fixed,
                                               mlir::ValueRange operands);

/// The scalar as an expression, where the host knows it: then it is passed as a
/// size, not through memory.
std::optional<graph::DimExpr> knownScalar(graph::DimAnalysis &dims,
                                          mlir::Value value);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_BUILDER_INDEXMAPS_H
