// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A permutation group on up to some thousand points: its order as a number of
// any size, and which permutations it contains.

#ifndef ZENITH_PASSES_SEARCH_GROUPS_PERMUTATIONGROUP_H
#define ZENITH_PASSES_SEARCH_GROUPS_PERMUTATIONGROUP_H

#include "passes/search/groups/StabiliserChain.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace zenith::search {

/// A base and strong generating set by the random Schreier-Sims algorithm,
/// whose result is verified: every Schreier generator is sifted, so that the
/// order is exact and not only likely. See Holt, Eick, O'Brien, Handbook of
/// Computational Group Theory, 4.4 and 4.5. Where StabiliserChain takes all
/// points in order as its base, this one takes points that are moved.
class PermutationGroup {
public:
  /// Entries of permutations that build() may visit, a few seconds.
  static constexpr int64_t defaultBudget = int64_t(1) << 30;

  /// The group that the permutations generate, all of one number of points, at
  /// most 65536. Nothing where more than `budget` entries of permutations would
  /// be visited, or more than 128 MiB be kept.
  static std::optional<PermutationGroup>
  build(llvm::ArrayRef<std::vector<uint32_t>> generators,
        int64_t budget = defaultBudget);

  /// The number of elements.
  llvm::APInt order() const;
  /// Whether a permutation of as many points is an element.
  bool contains(PointMap element) const;

private:
  /// The pointwise stabiliser of the base points of all levels before.
  struct Level {
    uint16_t point = 0;
    std::vector<uint16_t> orbit;
    std::vector<int32_t> places; ///< by point: index in the orbit, or -1
    /// By orbit index: an element that takes the base point there, inverted.
    std::vector<PointMap> inverses;
    std::vector<uint32_t> generators; ///< indices into `strong`
    /// By orbit index, how many generators its point has been verified with.
    std::vector<uint32_t> verified;
  };

  /// Divides by the transversals from `level` on; the level that has no
  /// representative, else the number of levels.
  size_t sift(PointMap &element, size_t level) const;
  void add(PointMap element, size_t first, size_t level);
  void extend(Level &level);
  bool visit(int64_t entries) const { return (left -= entries) > 0; }
  Level &addLevel(const PointMap &element);
  void fill(std::vector<PointMap> generators);
  bool verifyLevel(size_t number);
  bool complete();

  size_t points = 0;
  std::vector<PointMap> strong;
  std::vector<Level> levels;
  mutable int64_t left = 0; ///< of the budget
  int64_t kept = 0;         ///< entries of transversals
};

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_GROUPS_PERMUTATIONGROUP_H
