// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Breadth-first search of a state graph as a GraphIR program.

#ifndef ZENITH_FRONTENDS_CAYLEY_BUILDBFS_H
#define ZENITH_FRONTENDS_CAYLEY_BUILDBFS_H

#include "frontends/cayley/StateGraph.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace zenith::cayley {

/// Layers whose states a search gives.
struct KeptLayers {
  enum Kind { None, All, Last, Range };
  Kind kind = None;
  int64_t first = 0, last = 0; ///< of a range, both included
};

struct BfsOptions {
  std::vector<State> starts; ///< layer 0; duplicates count once
  int64_t maxLayers = -1;    ///< stop after this layer; -1: when none is left
  /// The program takes maxLayers as a number, so that it serves all limits.
  bool takesLimit = false;
  KeptLayers kept; ///< result 1 has their states
  /// Result 0 lists the sizes of the layers. Otherwise it is the number of
  /// steps, and who runs the program takes the sizes from its progress, so that
  /// no list grows with the layers.
  bool listsSizes = true;
};

/// A module whose @main takes nothing, or the last layer to search as
/// tensor<i64>, and gives the sizes of the layers as
/// tensor<?xi64>, or the number of steps as tensor<i64>, and, where options ask
/// for them, the states of some layers in the order of layers; the last layer
/// is the last one that has states. A state belongs to the first layer that
/// reaches it. Generators that
/// are closed under inverses need two layers for that, others all of them.
/// Loop-carried integers are the size of the last layer and the number of
/// steps. Precondition: starts are not empty and fit the graph.
mlir::OwningOpRef<mlir::ModuleOp> buildBfs(const StateGraph &graph,
                                           const BfsOptions &options,
                                           mlir::MLIRContext *context);

} // namespace zenith::cayley

#endif // ZENITH_FRONTENDS_CAYLEY_BUILDBFS_H
