// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that a program is given, as what a search has in place of its states.

#ifndef ZENITH_PASSES_SEARCH_STATES_ROWWORDS_H
#define ZENITH_PASSES_SEARCH_STATES_ROWWORDS_H

#include "passes/search/states/CosetIndex.h"
#include "passes/search/states/StateKeys.h"

namespace zenith::search {

/// One list per word of a key, or one of bit numbers.
struct RowWords {
  llvm::SmallVector<mlir::Value> words; ///< ui64 [N]
  /// i1 [N]: where it is false a row can be no state of the search, and words
  /// mean nothing; null where they tell that themselves.
  mlir::Value mayBeStates;
};

/// The values of starts, numbered in order.
std::map<uint64_t, uint64_t> numbersOfValues(const BfsLoop &bfs);

/// The keys of rows [N, positions] of integers, without an inverse mask. Only
/// for keys that are not halved.
RowWords keysOf(mlir::OpBuilder &builder, mlir::Location location,
                const BfsLoop &bfs, const StateKeys &keys, mlir::Value rows);

/// The bits of rows [N, positions] of integers among all rows of a table, ui64
/// [N]; all ones where a row can be no state. Only where the start has each
/// value once.
mlir::Value bitsOf(mlir::OpBuilder &builder, mlir::Location location,
                   const BfsLoop &bfs, const StateKeys &keys,
                   const CosetRows &table, mlir::Value rows);

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_STATES_ROWWORDS_H
