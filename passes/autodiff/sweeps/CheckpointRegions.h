// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checkpoints that are their region again.

#ifndef ZENITH_PASSES_AUTODIFF_SWEEPS_CHECKPOINTREGIONS_H
#define ZENITH_PASSES_AUTODIFF_SWEEPS_CHECKPOINTREGIONS_H

#include "ir/GraphOps.h"
#include "mlir/IR/IRMapping.h"

namespace zenith::autodiff {

/// Puts copies of the region's ops before `checkpoint`, which is not read any
/// more; `copies` gets what stands for the region's values.
void inlineCheckpoint(graph::CheckpointOp checkpoint, mlir::IRMapping &copies);

/// Replaces all checkpoints inside of `root` by their regions.
void inlineCheckpoints(mlir::Operation *root);

} // namespace zenith::autodiff

#endif // ZENITH_PASSES_AUTODIFF_SWEEPS_CHECKPOINTREGIONS_H
