// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A map of states that undoes itself and takes layers to themselves: then half
// of the states say which are the others.

#ifndef ZENITH_PASSES_SEARCH_STATES_GRAPHSYMMETRY_H
#define ZENITH_PASSES_SEARCH_STATES_GRAPHSYMMETRY_H

#include "passes/search/states/BfsLoop.h"
#include <map>

namespace zenith::search {

/// Takes a state s to the one that has, at each position i,
/// values[s[positions[i]]]; the neighbour of s along generator g goes to the
/// neighbour of its image along generators[g], and a start to a start.
struct GraphSymmetry {
  std::vector<int64_t> positions;
  std::map<uint64_t, uint64_t> values;
  std::vector<size_t> generators;

  BfsLoop::Row imageOf(const BfsLoop::Row &row) const;
  /// The value at a position of a row's image.
  uint64_t valueAt(const BfsLoop::Row &row, size_t position) const;
};

/// One that changes states, if a search of bounded length finds one.
/// `permutations` are the growth's generators; only positions that some of
/// them moves are renamed.
std::optional<GraphSymmetry>
findSymmetry(const BfsLoop &growth,
             const std::vector<std::vector<int64_t>> &permutations);

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_STATES_GRAPHSYMMETRY_H
