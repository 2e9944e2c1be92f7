// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Beam search on a graph of states as a GraphIR program.

#ifndef ZENITH_FRONTENDS_CAYLEY_BUILDBEAM_H
#define ZENITH_FRONTENDS_CAYLEY_BUILDBEAM_H

#include "frontends/cayley/StateGraph.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace mlir::func {
class FuncOp;
}

namespace zenith::cayley {

enum class BeamScore {
  Hamming, ///< positions that differ from the target
  Zero,    ///< 0 for the target, 1 for all others
  Model    ///< a function of the module; the target comes before all others
};

struct BeamOptions {
  State start, target; ///< states of the graph
  int64_t width = 1;
  int64_t maxSteps = 1; ///< bounds the memory for the links of the path
  BeamScore score = BeamScore::Hamming;
  std::string modelName; ///< for messages
  /// States of so many layers, the last one included, are excluded from the
  /// next.
  int64_t history = 0;
  int64_t memoryBytes = 0; ///< memory bound of a run; 0: unlimited
  /// Gives, for each step, how many different neighbours the beam had and how
  /// many of these were no excluded states.
  bool countsStates = false;
  bool givesBeam =
      false; ///< the states of the last step too, as the last result
};

/// How many links of the path the program has room for, which its loop carries
/// in a buffer of fixed size; nothing where they are a list that grows.
std::optional<int64_t> linksInPlace(const StateGraph &graph,
                                    const BeamOptions &options);

/// Adds @main to a module: steps that expand a layer to all neighbours, each
/// state once, and keep the `width` best ones: the least
/// scores, and of equal scores those that come first in the order of their
/// parents and then of the generators. It ends where the target is met, after
/// maxSteps or where no state is left. @main takes the start, 1 x positions as
/// stateRow() makes it, and the most steps, tensor<i64>, at most as many as the
/// next power of two from maxSteps on, so that one program serves all starts
/// and many limits, and gives
///   whether the target was met, tensor<i1>,
///   the generators that lead there, last one first, tensor<?xi64>,
///   the number of states kept in each layer, tensor<?xi64>,
///   where options count states, two lists tensor<?xi64>,
///   of BeamScore::Model, how many scores were NaN, and in how many steps all
///   of them, both tensor<i64>.
/// Loop-carried scalars of the main loop are the number of states of the last
/// layer, the number of steps, whether the target was met, and more.
///
/// `model`, for BeamScore::Model, is a function of the module that takes states
/// as N x positions integers or floats, or one-hot as N x (positions * numbers)
/// or N x positions x numbers floats, and gives N or N x 1 floats; it becomes
/// private. Errors name what does not fit.
llvm::Error buildBeam(const StateGraph &graph, const BeamOptions &options,
                      mlir::ModuleOp module, mlir::func::FuncOp model);

} // namespace zenith::cayley

#endif // ZENITH_FRONTENDS_CAYLEY_BUILDBEAM_H
