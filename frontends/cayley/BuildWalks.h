// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random walks on a graph of states as a GraphIR program.

#ifndef ZENITH_FRONTENDS_CAYLEY_BUILDWALKS_H
#define ZENITH_FRONTENDS_CAYLEY_BUILDWALKS_H

#include "frontends/cayley/StateGraph.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace zenith::cayley {

enum class WalkKind {
  Classic,         ///< every step along any generator
  NonBacktracking, ///< never along the inverse of the generator before
  Layers           ///< not walks: each layer has up to `width` random
                   ///< neighbours of the one before that no layer had yet
};

struct WalkOptions {
  WalkKind kind = WalkKind::Classic;
  std::vector<State> starts; ///< walk i starts from start i mod their number
  int64_t width = 1, length = 1; ///< both positive
  /// Result 2 has the generator of each step, tensor<(length - 1) x width x
  /// i64>; not of Layers.
  bool givesMoves = false;
  uint64_t seed = 0;
  /// @main takes the state of the random generator, tensor<2xui64> (key,
  /// counter), instead of `seed`.
  bool takesState = false;
};

/// A module whose @main takes nothing and gives states, N x positions, in order
/// of steps, and how many states each step has, tensor<?xi64>. Step 0 is the
/// starts, one for each walk (of layers: each once); there are `length` steps,
/// and fewer only of layers where the graph ends. Loop-carried integers of the
/// main loop are the number of states of the last step, and of steps. Random
/// numbers are Threefry's for key `seed`, step by step, so every target gives
/// the same states.
mlir::OwningOpRef<mlir::ModuleOp> buildWalks(const StateGraph &graph,
                                             const WalkOptions &options,
                                             mlir::MLIRContext *context);

} // namespace zenith::cayley

#endif // ZENITH_FRONTENDS_CAYLEY_BUILDWALKS_H
