// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scores of all neighbours of a beam, by their places, without making them.

#ifndef ZENITH_PASSES_SEARCH_BEAMSCORES_H
#define ZENITH_PASSES_SEARCH_BEAMSCORES_H

#include "ir/RowOps.h"
#include "passes/search/BeamStep.h"

namespace zenith::search {

/// Builds what a step asks about candidates by number: candidate `row * radix +
/// generator` is the neighbour of a row of the layer. Where candidates are more
/// than moved positions they are numbered as they are.
class BeamScores {
public:
  BeamScores(graph::RowOps &ops, mlir::OpBuilder &builder,
             mlir::Location location, const BeamStep &step);

  /// A score for each number. Numbers of no candidate have the largest one,
  /// which no candidate has.
  mlir::Value scores();
  /// How many candidates there are.
  mlir::Value count();
  /// The candidates with these numbers, as rows; not from no candidates.
  mlir::Value rows(mlir::Value numbers);
  /// Their places among the candidates.
  mlir::Value places(mlir::Value numbers);

private:
  bool isMoved() const { return bool(step.layer); }
  int64_t generators() const { return int64_t(step.permutations.size()); }
  int64_t paddedGenerators() const;
  bool chooseTable() const;
  mlir::Value table();
  mlir::Value scoresByTable();
  mlir::Value scoresByPermutation();
  mlir::Value scoreOf(mlir::Value differs, int64_t dim);
  mlir::Value target();
  mlir::Value quotient(mlir::Value numbers);
  std::vector<int64_t> sources() const;

  graph::RowOps &ops;
  mlir::OpBuilder &builder;
  mlir::Location location;
  const BeamStep &step;
  mlir::Type stateElement, scoreElement;
  mlir::Type position; ///< the narrowest type of positions and generators
  mlir::Type index;    ///< of places in a layer and numbers of candidates
  /// The table knows 0 to numbers - 1; the last one stands for all above too.
  int64_t numbers = 0;
  bool hasTable = false;
  int64_t radix = 0;
};

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_BEAMSCORES_H
