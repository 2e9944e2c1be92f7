// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the sharding of every value of a module.

#ifndef ZENITH_PASSES_SHARDING_PROPAGATESHARDINGS_H
#define ZENITH_PASSES_SHARDING_PROPAGATESHARDINGS_H

#include "mlir/IR/BuiltinOps.h"
#include "passes/sharding/Propagator.h"

namespace zenith::sharding {

struct PropagationOptions {
  Strategy strategy = Strategy::Full;
  /// No factors of axes, no dimensions that their axes don't divide.
  bool conservative = false;
  bool explain = false; ///< remarks on where axes stop
};

/// Writes `graph.sharding` and where it came from (originsAttrName) on every
/// argument, result and op with axes. Errors have been emitted.
llvm::LogicalResult propagateShardings(mlir::ModuleOp module,
                                       const PropagationOptions &options);

/// The shardings of all values as JSON, by function.
std::string shardingReport(mlir::ModuleOp module);
/// The factors of all named ops as JSON, by function.
std::string ruleReport(mlir::ModuleOp module, bool conservative);

} // namespace zenith::sharding

#endif // ZENITH_PASSES_SHARDING_PROPAGATESHARDINGS_H
