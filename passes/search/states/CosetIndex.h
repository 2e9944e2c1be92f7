// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// States of a search as rows of bits, where each state is one element of the
// group that the generators generate.

#ifndef ZENITH_PASSES_SEARCH_STATES_COSETINDEX_H
#define ZENITH_PASSES_SEARCH_STATES_COSETINDEX_H

#include "passes/search/groups/CosetRows.h"
#include "passes/search/states/StateKeys.h"

namespace zenith::search {

class CosetIndex {
public:
  /// Nothing, and the reason in `why`, where states are no elements of a group
  /// or bits and tables would take more than `bytes`. Only the positions that
  /// `keys` keeps are considered.
  static std::optional<CosetIndex> choose(const BfsLoop &bfs,
                                          const StateKeys &keys, int64_t bytes,
                                          std::string &why);

  const CosetRows &table() const { return rows; }
  /// Bits of the states that the search starts from, among all rows.
  llvm::ArrayRef<uint64_t> starts() const { return startBits; }

private:
  explicit CosetIndex(CosetRows rows) : rows(std::move(rows)) {}
  bool findStarts(const std::vector<BfsLoop::Row> &states, std::string &why);

  CosetRows rows;
  std::vector<uint64_t> startBits;
};

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_STATES_COSETINDEX_H
