// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scores of all neighbours of a beam by their indices, without materialising
// them.

#ifndef ZENITH_PASSES_SEARCH_STATES_BEAMSCORES_H
#define ZENITH_PASSES_SEARCH_STATES_BEAMSCORES_H

#include "ir/SearchOps.h"
#include "ir/matchers/RowBuilder.h"
#include "passes/search/states/BeamStep.h"

namespace zenith::search {

/// Builds scores and rows of candidates by their indices: candidate
/// `row * generators + generator` is the neighbour of a row of the layer, where
/// candidates are permutations of rows.
class BeamScores {
public:
  BeamScores(graph::RowBuilder &ops, mlir::OpBuilder &builder,
             mlir::Location location, const BeamStep &step);

  /// The score of each candidate.
  mlir::Value scores();
  /// How many candidates there are.
  mlir::Value count();
  /// How many of them differ, how many of those are not known, and which are
  /// the first of these, where they are neighbours.
  CountNeighboursOp counts();
  /// The scores of which `among` is true; those of others are larger than any,
  /// in a type that may be wider.
  mlir::Value scoresAmong(mlir::Value among);
  /// The candidates with these indices, as rows; there is at least one
  /// candidate.
  mlir::Value rows(mlir::Value places);

private:
  bool isMoved() const { return bool(step.layer); }
  int64_t generators() const { return int64_t(step.permutations.size()); }
  mlir::Value scoresOfNeighbours();
  mlir::Value scoreOf(mlir::Value differs, int64_t dim);
  mlir::Value target();
  std::vector<int64_t> sources() const;

  graph::RowBuilder &ops;
  mlir::OpBuilder &builder;
  mlir::Location location;
  const BeamStep &step;
  mlir::Type stateElement, scoreElement;
  mlir::Type position; ///< the narrowest type of positions and generators
  mlir::Type index;    ///< of rows in a layer and of candidates
};

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_STATES_BEAMSCORES_H
