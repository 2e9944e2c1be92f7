// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose trips are known before they run.

#ifndef ZENITH_PASSES_AUTODIFF_SWEEPS_COUNTEDLOOP_H
#define ZENITH_PASSES_AUTODIFF_SWEEPS_COUNTEDLOOP_H

#include "passes/autodiff/RuleBuilder.h"
#include <optional>

namespace zenith::autodiff {

/// A loop on while an integer, carried value number `counter`, is before a
/// limit; each trip adds `step` to it. Start and limit do not change while the
/// loop runs.
struct CountedLoop {
  unsigned counter = 0;
  int64_t step = 0;
  mlir::Value limit; ///< outside of the loop, or a constant in its condition
  bool withLimit = false; ///< whether the limit itself has a trip

  /// The number of trips as a tensor<i64>, computed at the builder's place,
  /// which is before the loop.
  mlir::Value trips(graph::WhileOp loop, RuleBuilder &rule) const;
  /// The counter of trip `trip` (a tensor<i64>).
  mlir::Value valueAt(graph::WhileOp loop, RuleBuilder &rule,
                      mlir::Value trip) const;
};

/// Nothing for loops whose trips depend on what they compute.
std::optional<CountedLoop> countedLoop(graph::WhileOp loop);

} // namespace zenith::autodiff

#endif // ZENITH_PASSES_AUTODIFF_SWEEPS_COUNTEDLOOP_H
