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

/// Deduplicates candidates, scores them by how they differ from one state, and
/// keeps the `width` least scores; of equal scores the first candidates.
struct BeamStep {
  graph::UniqueOp unique;
  graph::TopKOp best;
  /// The states to choose from: the distinct candidates without those that are
  /// in `known`.
  mlir::Value states;
  /// The index of the first candidate equal to each; null where it is not used.
  mlir::Value places;
  llvm::SmallVector<mlir::Value> known;
  int64_t width = 0;
  std::vector<uint64_t> target;
  bool countsPositions =
      false; ///< that differ; else the score is whether any does
  /// What the step keeps: states and candidate indices picked by the best
  /// indices.
  llvm::SmallVector<graph::GatherOp> picks;
  /// Sizes of `states`, only used for whether there is one and for the number
  /// of the best ones.
  llvm::SmallVector<graph::DimOp> sizes;
  /// Operands that are `states` or `places` where there is none.
  llvm::SmallVector<mlir::OpOperand *> emptyUses;
  /// Operands that are how many distinct candidates there are, and of those how
  /// many are not known, for more than `sizes`; only where candidates are
  /// neighbours of `layer`.
  llvm::SmallVector<mlir::OpOperand *> formedUses, freshUses;

  /// The rows that the candidates are neighbours of, along permutations of
  /// positions (new[i] = old[p[i]]), those of one row together; null and empty
  /// where candidates are no such neighbours.
  mlir::Value layer;
  std::vector<std::vector<int64_t>> permutations;
  /// The most rows that `layer` has; 0: not known.
  int64_t mostLayerRows = 0;

  int64_t positions() const { return int64_t(target.size()); }
  bool isCounted() const { return !formedUses.empty() || !freshUses.empty(); }
};

/// Why candidates have to be deduplicated before they are scored; nothing where
/// there is no top_k of them.
struct BeamRefusal {
  std::string reason;
  /// The program asks how many different ones there are of what are no
  /// neighbours along permutations.
  bool isCounted = false;
};

/// The step whose candidates `unique` deduplicates, or nothing, and then `why`.
std::optional<BeamStep> matchBeamStep(graph::UniqueOp unique,
                                      graph::DimAnalysis &dims,
                                      BeamRefusal &why);

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_STATES_BEAMSTEP_H
