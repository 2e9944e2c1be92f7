// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the groups of a plan into graph.fusion regions.

#ifndef ZENITH_PASSES_FUSION_OUTLINEFUSIONS_H
#define ZENITH_PASSES_FUSION_OUTLINEFUSIONS_H

#include "passes/fusion/FusionGraph.h"

namespace zenith::fusion {

/// Replaces the work ops of `function` by one region per group; metadata
/// ops are cloned into their readers.
void outlineFusions(mlir::func::FuncOp function, FusionGraph &graph);

/// In a contraction: moves transposes and reshapes of the result after the
/// epilogue, so that the kernel computes it in the contraction's own space and
/// only its stores follow the movement. Part of the outlining, not a pass: the
/// plan let the epilogue join on this condition.
void moveEpilogueFirst(graph::FusionOp fusion);

} // namespace zenith::fusion

#endif // ZENITH_PASSES_FUSION_OUTLINEFUSIONS_H
