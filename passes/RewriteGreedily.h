// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns applied until none matches, as the passes of GraphIR do it.

#ifndef ZENITH_PASSES_REWRITEGREEDILY_H
#define ZENITH_PASSES_REWRITEGREEDILY_H

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace zenith {

/// MLIR's driver without its simplification of regions: those of GraphIR are
/// single blocks, and its search for dead ops takes time that is quadratic in
/// their depth. The driver itself erases ops that are dead.
inline mlir::GreedyRewriteConfig greedyConfig() {
  mlir::GreedyRewriteConfig config;
  config.enableRegionSimplification = mlir::GreedySimplifyRegionLevel::Disabled;
  return config;
}

/// Applies the patterns, and folds, inside of the op, which is isolated from
/// above. The time is linear in the ops, however deep their regions are
/// nested. Fails where the patterns don't come to an end.
llvm::LogicalResult
rewriteGreedily(mlir::Operation *op,
                const mlir::FrozenRewritePatternSet &patterns,
                const mlir::GreedyRewriteConfig &config = greedyConfig());

} // namespace zenith

#endif // ZENITH_PASSES_REWRITEGREEDILY_H
