// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What element rules and the analysis of iteration spaces both ask about index
// maps.

#ifndef ZENITH_LOWERING_BUILDER_INDEXMAPS_H
#define ZENITH_LOWERING_BUILDER_INDEXMAPS_H

#include "ir/GraphOps.h"
#include "lowering/builder/IndexMath.h"

namespace zenith::kernels {

/// Index of the element of each operand that `op`'s result at `index` reads,
/// for ops that always read exactly one: elementwise ops, and those that have
/// an IndexMapRule. nullopt for others.
std::optional<llvm::SmallVector<LaneIndex>>
operandIndex(IndexMath &math, graph::DimAnalysis &dims, mlir::Operation *op,
             llvm::ArrayRef<LaneIndex> index);
/// Attaches IndexMapRule; done with the element rules, when the dialect is
/// loaded.
void attachIndexMaps(mlir::MLIRContext *context);

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
