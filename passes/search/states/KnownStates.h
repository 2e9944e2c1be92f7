// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The known states of a search whose generators are not closed under inverses:
// duplicates may be in any earlier layer, so all of them are looked up.

#ifndef ZENITH_PASSES_SEARCH_STATES_KNOWNSTATES_H
#define ZENITH_PASSES_SEARCH_STATES_KNOWNSTATES_H

#include "ir/matchers/RowBuilder.h"

namespace zenith::search {

/// Builds a list of states in the order of layers, with room to grow, and the
/// index that finds them: what a loop carries of them is the index, each part
/// of the list and the number of states. A state is one value per part, a list
/// of words or rows of integers; it may bring parts with it that tell no states
/// apart.
class KnownStates {
public:
  KnownStates(mlir::OpBuilder &builder, mlir::Location location,
              unsigned broughtParts = 0)
      : builder(builder), location(location), rows(builder, location),
        broughtParts(broughtParts) {}

  /// The first values: a list of these states, each once.
  llvm::SmallVector<mlir::Value> begin(mlir::ValueRange states);

  struct Step {
    llvm::SmallVector<mlir::Value> carried; ///< the next values
    llvm::SmallVector<mlir::Value> fresh;   ///< states that were not known
  };
  /// Adds the candidates that are not known, in order of first occurrence.
  Step add(mlir::ValueRange carried, mlir::ValueRange candidates);

  /// The known states, after the loop.
  mlir::Value part(mlir::ValueRange carried, unsigned number) {
    return rows.part(carried[1 + number], rows.number(0), carried.back());
  }

private:
  mlir::Value grown(mlir::Value size, mlir::Value need, int64_t percent);

  mlir::OpBuilder &builder;
  mlir::Location location;
  graph::RowBuilder rows;
  unsigned broughtParts;
};

/// Rebuilds a loop on rows that keeps all known rows as one list, to which each
/// step appends the distinct candidates that are not in it (unique, is_in,
/// compact, concat), so that it has an index. Another list may grow with it by
/// the places of those candidates. Null where it is none.
graph::WhileOp indexKnownRows(graph::WhileOp loop);

/// The concat by which a step appends to a carried list whose condition does
/// not read it; null where it does anything else with what it yields.
graph::ConcatOp appendTo(graph::WhileOp loop, unsigned list);

/// A loop with the regions of `loop`, which stay for it to be erased, other
/// first values and further carried ones.
graph::WhileOp withCarried(graph::WhileOp loop, mlir::ValueRange inits,
                           mlir::ValueRange more);

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_STATES_KNOWNSTATES_H
