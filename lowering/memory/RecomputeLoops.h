// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that stack residuals for later loops stack their carried values
// instead, and the later loops run the kernels that made the rows again.

#ifndef ZENITH_LOWERING_MEMORY_RECOMPUTELOOPS_H
#define ZENITH_LOWERING_MEMORY_RECOMPUTELOOPS_H

#include "ir/target/TargetModel.h"
#include "lowering/memory/LoopStacks.h"

namespace zenith::memory {

/// Whether recomputeLoops() would change a scheduled module.
bool hasLoopsToRecompute(mlir::ModuleOp module);

/// Drops the stacks of residuals of all pairs of loops of a scheduled module
/// where that takes less memory. Kernels that run again are copied with their
/// schedules and get `graph.recomputes`, the symbol of the loop's body, so that
/// results keep their bits. `inSegments`: of L trips, carried values of about
/// sqrt(L) are stacked, and those between computed a second time, where that
/// takes less memory yet. Fails where an op that it makes has no kernel.
mlir::LogicalResult recomputeLoops(mlir::ModuleOp module,
                                   const target::TargetModel &target,
                                   bool inSegments);

} // namespace zenith::memory

#endif // ZENITH_LOWERING_MEMORY_RECOMPUTELOOPS_H
