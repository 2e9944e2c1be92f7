// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A permutation group as a chain of stabilisers (a base and strong generating
// set): each element is a product of one coset representative per level.

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

/// The deterministic incremental Schreier-Sims algorithm, for few points; the
/// base is all points in order. See Holt, Eick, O'Brien, Handbook of
/// Computational Group Theory, 4.4, and Seress, Permutation Group
/// Algorithms, 4.
class StabiliserChain {
public:
  /// The group that permutations of one number of points generate. Ends early
  /// once it is known to have more than `mostElements`.
  explicit StabiliserChain(
      const std::vector<std::vector<int64_t>> &generators,
      double mostElements = std::numeric_limits<double>::infinity());

  /// The pointwise stabiliser of the base points of all levels before.
  struct Level {
    unsigned point = 0;
    std::vector<uint16_t> orbit;       ///< of the base point; begins with it
    std::vector<int32_t> orbitIndices; ///< by point: index in the orbit, or -1
    /// By orbit index: the coset representative of this level that takes the
    /// base point there, and its inverse.
    std::vector<PointMap> transversal, inverseTransversal;
    /// Those of the strong generating set that this level adds.
    std::vector<PointMap> generators;
  };
  /// One per point.
  const std::vector<Level> &levels() const { return chain; }

  /// The number of elements; where isTooLarge(), of those found.
  double order() const;
  bool isTooLarge() const { return tooLarge; }

  /// The residue of an element after it is divided by the representative of
  /// each level; the identity for elements of the group. `orbitIndices`, if
  /// any, gets the index in each level's orbit, as far as there is one.
  PointMap sift(PointMap element,
                std::vector<int32_t> *orbitIndices = nullptr) const;
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
