// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An involution of the states that is an automorphism of their graph: then half
// of the states determine the others.

#ifndef ZENITH_PASSES_SEARCH_GROUPS_GRAPHSYMMETRY_H
#define ZENITH_PASSES_SEARCH_GROUPS_GRAPHSYMMETRY_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace zenith::search {

/// The value at each position of a state.
using StateRow = std::vector<uint64_t>;

/// Generators of a state graph: new[i] = old[p[i]] along each.
using Permutations = std::vector<std::vector<int64_t>>;

/// Takes a state s to the one that has, at each position i,
/// values[s[positions[i]]]; the neighbour of s along generator g goes to the
/// neighbour of its image along generators[g], and a start to a start.
struct GraphSymmetry {
  std::vector<int64_t> positions;
  std::map<uint64_t, uint64_t> values;
  std::vector<size_t> generators;

  StateRow imageOf(const StateRow &row) const;
  /// The value at a position of a row's image.
  uint64_t valueAt(const StateRow &row, size_t position) const;
};

/// A symmetry that is its own inverse and changes states, if a search of
/// bounded length finds one. There is at least one start; positions that no
/// generator moves stay fixed.
std::optional<GraphSymmetry> findSymmetry(const std::vector<StateRow> &starts,
                                          const Permutations &generators);

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_GROUPS_GRAPHSYMMETRY_H
