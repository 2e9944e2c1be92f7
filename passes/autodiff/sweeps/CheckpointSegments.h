// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checkpoints of a chain of layers as several ones.

#ifndef ZENITH_PASSES_AUTODIFF_SWEEPS_CHECKPOINTSEGMENTS_H
#define ZENITH_PASSES_AUTODIFF_SWEEPS_CHECKPOINTSEGMENTS_H

#include "mlir/IR/Operation.h"

namespace zenith::autodiff {

/// Replaces each checkpoint inside of `root` that has `segments` by so many
/// after each other, with its policy: at most as many as there are places
/// between ops at which about the fewest bytes go on. For auto, the number with
/// the least sum of what goes on between segments and of what the largest
/// computes (Chen's sqrt(n) for equal layers); sizes that are not static count
/// as 1.
void splitCheckpoints(mlir::Operation *root);

} // namespace zenith::autodiff

#endif // ZENITH_PASSES_AUTODIFF_SWEEPS_CHECKPOINTSEGMENTS_H
