// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A breadth-first loop over rows, recognised by what it computes.

#ifndef ZENITH_PASSES_SEARCH_STATES_BFSLOOP_H
#define ZENITH_PASSES_SEARCH_STATES_BFSLOOP_H

#include "passes/search/states/RowFormulas.h"

namespace zenith::search {

/// A loop that carries a layer of states (the frontier), rows [N, positions],
/// and computes the next layer as those neighbours that are no known rows.
/// Beyond that states are counted, and other rows are looked up among them.
struct BfsLoop {
  using Row = std::vector<uint64_t>;

  /// A list of numbers that the loop carries, one for each row of a look-up. A
  /// step writes its number where the next layer has the row, and may count
  /// these rows; nothing else in the loop reads the list or the look-up.
  struct Note {
    graph::IsInOp lookup;
    unsigned carried = 0; ///< the list
    graph::SelectOp select;
    mlir::Value number;    ///< of the step, in the body
    graph::ReduceOp count; ///< follows the select; null: not counted
    mlir::Value first;     ///< what all of the list is before the loop
  };

  graph::WhileOp loop;
  unsigned layer = 0; ///< loop-carried value
  /// The loop-carried value with states of earlier layers, if any.
  std::optional<unsigned> earlier;
  bool earlierIsAll = false; ///< every layer so far, else the last but one
  bool layerIsKnown = false; ///< the current layer is excluded, too
  mlir::Value fresh;         ///< the next layer, in the body
  /// Rows from before the loop that are looked up in the next layer.
  llvm::SmallVector<graph::IsInOp> lookups;
  llvm::SmallVector<Note> notes; ///< some of them
  /// Ops of the body that a rewrite replaces, in the order of the body.
  llvm::SmallVector<mlir::Operation *> replaced;
  std::vector<Row> starts; ///< distinct
  /// Rows that `earlier` begins with.
  std::vector<Row> earlierStarts;
  int64_t positions = 0, generators = 0;
  std::shared_ptr<RowFormulas> formulas;
  /// Formula of each position of the neighbour along each generator.
  std::vector<std::vector<int64_t>> neighbours;
  /// The permutations of the generators (new[i] = old[p[i]]); empty where a
  /// neighbour is no permutation.
  std::vector<std::vector<int64_t>> permutations;
};

/// What `loop` is, or nothing and the reason in `why`, which stays empty for
/// loops that have nothing to do with sets of rows.
std::optional<BfsLoop> matchBfsLoop(graph::WhileOp loop,
                                    graph::DimAnalysis &dims, std::string &why);

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_STATES_BFSLOOP_H
