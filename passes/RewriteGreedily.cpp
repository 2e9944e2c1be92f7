// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns applied until none matches. MLIR's driver climbs from each op that
// it visits to the op that it was called for, which is quadratic in the depth
// of nested regions. So programs that are nested deeply are rewritten one
// region after the other, the innermost first.

#include "passes/RewriteGreedily.h"

using namespace mlir;

namespace zenith {

/// Nests deeper than this are rewritten by region: climbing costs more than
/// one driver for each region from about here on.
static constexpr unsigned deepNest = 24;

static bool isNestedDeeply(Operation *op, unsigned depth = 0) {
  if (depth > deepNest)
    return true;
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      if (inner.getNumRegions() != 0 && isNestedDeeply(&inner, depth + 1))
        return true;
  return false;
}

namespace {

class RegionRewriter {
public:
  RegionRewriter(const FrozenRewritePatternSet &patterns,
                 const GreedyRewriteConfig &config)
      : patterns(patterns), config(config) {
    this->config.strictMode = GreedyRewriteStrictness::ExistingAndNewOps;
  }

  /// Rewrites the op's regions once each, those inside of a region before it.
  LogicalResult rewriteInside(Operation *op) {
    for (Region &region : op->getRegions()) {
      for (Operation &inner : region.getOps())
        if (inner.getNumRegions() != 0 && failed(rewriteInside(&inner)))
          return failure();
      SmallVector<Operation *> ops;
      for (Operation &inner : region.getOps())
        ops.push_back(&inner);
      bool changes = false;
      config.scope = &region;
      if (failed(applyOpPatternsAndFold(ops, patterns, config, &changes)))
        return failure();
      changed |= changes;
    }
    return success();
  }

  /// Whether anything has changed since the last call.
  bool takeChanged() { return std::exchange(changed, false); }

private:
  const FrozenRewritePatternSet &patterns;
  GreedyRewriteConfig config;
  bool changed = false;
};

} // namespace

LogicalResult rewriteGreedily(Operation *op,
                              const FrozenRewritePatternSet &patterns,
                              const GreedyRewriteConfig &config) {
  if (!isNestedDeeply(op))
    return applyPatternsAndFoldGreedily(op, patterns, config);
  RegionRewriter rewriter(patterns, config);
  for (int64_t pass = 0; pass < config.maxIterations; ++pass) {
    if (failed(rewriter.rewriteInside(op)))
      return failure();
    if (!rewriter.takeChanged())
      return success();
  }
  return failure();
}

} // namespace zenith
