// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Distances of given states from the central one as a GraphIR program.

#ifndef ZENITH_FRONTENDS_CAYLEY_BUILDDISTANCES_H
#define ZENITH_FRONTENDS_CAYLEY_BUILDDISTANCES_H

#include "frontends/cayley/StateGraph.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace zenith::cayley {

struct DistanceOptions {
  std::vector<State> states; ///< only their types count
  /// None of the states will be the central state, for which the program then
  /// does not look.
  bool leavesCentralOut = false;
};

/// A module whose @main takes states, tensor<? x positions>, and the farthest
/// layer to look at, tensor<i64>, and gives the
/// number of steps from the central state to each, -1 where it was not reached,
/// tensor<?xi64>, and the sizes of the layers, tensor<?xi64>. The search stops
/// in the layer that has the last of the states. Loop-carried integers are the
/// size of the last layer, the number of steps and how many states are still
/// to be reached.
mlir::OwningOpRef<mlir::ModuleOp> buildDistances(const StateGraph &graph,
                                                 const DistanceOptions &options,
                                                 mlir::MLIRContext *context);

} // namespace zenith::cayley

#endif // ZENITH_FRONTENDS_CAYLEY_BUILDDISTANCES_H
