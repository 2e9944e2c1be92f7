// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is done to the shardings that a program states before they propagate,
// and to what propagation found afterwards.

#ifndef ZENITH_PASSES_SHARDING_STATEDSHARDINGS_H
#define ZENITH_PASSES_SHARDING_STATEDSHARDINGS_H

#include "ir/GraphDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace zenith::sharding {

/// Replaces every sharding that the module states: on arguments, results and
/// ops, in constraints and manual regions. `change` gets the op that holds it.
void mapShardings(mlir::ModuleOp module,
                  llvm::function_ref<graph::ShardingAttr(mlir::Operation *,
                                                         graph::ShardingAttr)>
                      change);

/// Removes axes of one device from shardings.
void dropSingleAxes(mlir::ModuleOp module);
/// Manual axes of a region that a sharding of it does not name count as
/// replicated.
void completeManualAxes(mlir::ModuleOp module);
/// Gives the sharding of a constraint, or of a manual region's operand, to the
/// value that it reads, if nothing else is said of the value.
void applyConstraints(mlir::ModuleOp module);
/// Gives all values of a group the sharding that one of them states; failure,
/// with an error at the group, if two state different ones.
llvm::LogicalResult unifyGroups(mlir::ModuleOp module);
/// Of arguments and results of functions: removes axes that do not divide their
/// dimension, factors of axes, and what follows either.
void dropUnevenAxes(mlir::ModuleOp module);
/// Closes all dimensions and forgets priorities.
void closeShardings(mlir::ModuleOp module);

} // namespace zenith::sharding

#endif // ZENITH_PASSES_SHARDING_STATEDSHARDINGS_H
