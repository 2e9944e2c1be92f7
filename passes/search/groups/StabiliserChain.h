// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A permutation group as a chain of stabilisers: each element is a product of
// one coset representative per level.

#ifndef ZENITH_PASSES_SEARCH_GROUPS_STABILISERCHAIN_H
#define ZENITH_PASSES_SEARCH_GROUPS_STABILISERCHAIN_H

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace zenith::search {

/// Maps point i to entry i.
using PointMap = std::vector<uint16_t>;

/// First y, then x.
PointMap compose(const PointMap &x, const PointMap &y);
PointMap inverse(const PointMap &x);

/// Incremental Schreier and Sims, without random choices; for few points.
class StabiliserChain {
public:
  /// The group that permutations of one number of points generate. Ends early
  /// once it is known to have more than `mostElements`.
  explicit StabiliserChain(
      const std::vector<std::vector<int64_t>> &generators,
      double mostElements = std::numeric_limits<double>::infinity());

  /// Permutations that fix the points of all levels before.
  struct Level {
    unsigned point = 0;
    std::vector<uint16_t> orbit; ///< of the point; begins with it
    std::vector<int32_t> places; ///< by point: its place in the orbit, or -1
    /// By place: a permutation of this level that takes the point there, and
    /// its inverse.
    std::vector<PointMap> ways, waysBack;
    std::vector<PointMap> generators;
  };
  /// One per point.
  const std::vector<Level> &levels() const { return chain; }

  /// The number of elements; where isTooLarge(), of those found.
  double order() const;
  bool isTooLarge() const { return tooLarge; }

  /// What is left of an element once the representatives of its first levels
  /// are taken off; the identity for elements of the group. `places`, if any,
  /// gets the place in each level's orbit, as far as there is one.
  PointMap sift(PointMap element, std::vector<int32_t> *places = nullptr) const;
  bool contains(const PointMap &element) const;

private:
  void add(size_t level, const PointMap &element);
  void grow(size_t level);

  std::vector<Level> chain;
  double most;
  bool tooLarge = false;
};

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_GROUPS_STABILISERCHAIN_H
