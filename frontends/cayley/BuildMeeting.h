// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shortest paths on a state graph by bidirectional search, as a GraphIR
// program.

#ifndef ZENITH_FRONTENDS_CAYLEY_BUILDMEETING_H
#define ZENITH_FRONTENDS_CAYLEY_BUILDMEETING_H

#include "frontends/cayley/StateGraph.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

namespace zenith::cayley {

struct MeetingOptions {
  State start, target;     ///< states of the graph; only their types count
  bool givesLayer = false; ///< the newest layer is a result too
};

/// A module whose @main takes the start and the target, each 1 x positions as
/// stateRow() makes them, and the longest path to look for, tensor<i64>, so
/// that one program serves all states and limits, and gives
///   whether there is a path, tensor<i1>,
///   the generators of a shortest one in order, tensor<?xi64>,
/// the sizes of the layers from the start, and of the layers from the target,
/// both tensor<?xi64>, and, on request, the states of the newest layer.
/// The frontiers of both ends are expanded in turn until a new layer of one end
/// meets the last layer of the other. Loop-carried integers of the main loop
/// are the size of the last layer, the number of layers and whether the ends
/// have met. An error where a
/// matrix of the graph has no inverse.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
buildMeeting(const StateGraph &graph, const MeetingOptions &options,
             mlir::MLIRContext *context);

} // namespace zenith::cayley

#endif // ZENITH_FRONTENDS_CAYLEY_BUILDMEETING_H
