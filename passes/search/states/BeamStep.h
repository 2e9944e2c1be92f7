// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step of a beam search over rows, recognised by what it computes.

#ifndef ZENITH_PASSES_SEARCH_STATES_BEAMSTEP_H
#define ZENITH_PASSES_SEARCH_STATES_BEAMSTEP_H

#include "ir/GraphOps.h"
#include <optional>
#include <string>
#include <vector>

namespace zenith::search {

/// Takes candidates, each state once, scores them by how they differ from one
/// state, and goes on with the `width` least scores; of equal ones with those
/// that came first.
struct BeamStep {
  graph::UniqueOp unique;
  graph::TopKOp best;
  /// The states to choose from: the distinct candidates without those that are
  /// in `known`.
  mlir::Value states;
  /// Where each of them is first among the candidates; null where none asks.
  mlir::Value places;
  llvm::SmallVector<mlir::Value> known;
  int64_t width = 0;
  std::vector<uint64_t> target;
  bool countsPositions = false; ///< that differ; else the score is if any does
  /// What the step goes on with: states and places picked by the best indices.
  llvm::SmallVector<graph::GatherOp> picks;
  /// Sizes of `states`, of which is only asked whether there is one and how
  /// many the best ones are.
  llvm::SmallVector<graph::DimOp> sizes;
  /// Operands that are `states` or `places` where there is none.
  llvm::SmallVector<mlir::OpOperand *> emptyUses;

  /// The rows that the candidates are neighbours of, along permutations of
  /// positions (new[i] = old[p[i]]), those of one row together; null and empty
  /// where candidates are more than that.
  mlir::Value layer;
  std::vector<std::vector<int64_t>> permutations;
  /// The most rows that `layer` has; 0: not known.
  int64_t mostLayerRows = 0;

  int64_t positions() const { return int64_t(target.size()); }
};

/// The step whose candidates `unique` tells apart, or nothing: then with the
/// reason in `why` where it has a top_k of its rows.
std::optional<BeamStep> matchBeamStep(graph::UniqueOp unique,
                                      graph::DimAnalysis &dims,
                                      std::string &why);

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_STATES_BEAMSTEP_H
