// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Breadth-first search of a state graph as a GraphIR program.

#ifndef ZENITH_FRONTENDS_CAYLEY_BUILDBFS_H
#define ZENITH_FRONTENDS_CAYLEY_BUILDBFS_H

#include "frontends/cayley/StateGraph.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace zenith::cayley {

struct BfsOptions {
  std::vector<State> starts; ///< layer 0; duplicates count once
  int64_t maxLayers = -1;    ///< stop after this layer; -1: when none is left
  bool keepLayers = false;   ///< result 1 has the states of all layers
};

/// A module whose @main takes nothing and gives the sizes of the layers as
/// tensor<?xi64> and, where options ask for them, all states in order of
/// layers. A state belongs to the first layer that reaches it. Generators that
/// are closed under inverses need two layers for that, others all of them.
/// Loop-carried integers are the size of the last layer and the number of
/// steps. Precondition: starts are not empty and fit the graph.
mlir::OwningOpRef<mlir::ModuleOp> buildBfs(const StateGraph &graph,
                                           const BfsOptions &options,
                                           mlir::MLIRContext *context);

} // namespace zenith::cayley

#endif // ZENITH_FRONTENDS_CAYLEY_BUILDBFS_H
