// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the groups of a plan into graph.fusion regions.

#ifndef ZENITH_PASSES_FUSION_OUTLINEFUSIONS_H
#define ZENITH_PASSES_FUSION_OUTLINEFUSIONS_H

#include "passes/fusion/FusionGraph.h"

namespace zenith::fusion {

/// Replaces the work ops of `function` by one region per group; free ops are
/// cloned into their readers.
void outlineFusions(mlir::func::FuncOp function, FusionGraph &graph);

/// Lets attention of few queries read pieces of keys and values where they lie.
void readKVSegments(mlir::Block &block);

/// Moves factors that are numbers from a dot_general's operands behind it,
/// where the epilogue takes them.
void sinkScales(mlir::Block &block);

/// Takes results away from regions whose readers can compute them again for a
/// few additions, from no more arrays than they read before.
void recomputeResults(mlir::func::FuncOp function, bool explain);

/// Gives each returned value a buffer of its own: what no fusion computes, and
/// what is returned twice, is copied.
void copyReturnedValues(mlir::func::FuncOp function);

/// In a contraction: moves transposes and reshapes of the result behind the
/// epilogue, so that the kernel computes it in the contraction's own space and
/// only its stores follow the movement.
void moveEpilogueFirst(graph::FusionOp fusion);

} // namespace zenith::fusion

#endif // ZENITH_PASSES_FUSION_OUTLINEFUSIONS_H
