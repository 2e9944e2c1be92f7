// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Incremental Schreier-Sims: each level has the orbit of its point under the
// generators that fix all points before it.

#include "passes/search/GroupOrder.h"
#include "llvm/ADT/STLExtras.h"

namespace zenith::search {

namespace {

using Permutation = std::vector<int64_t>;

/// First x, then y.
Permutation compose(const Permutation &x, const Permutation &y) {
  Permutation result(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    result[i] = y[size_t(x[i])];
  return result;
}

Permutation inverse(const Permutation &x) {
  Permutation result(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    result[size_t(x[i])] = int64_t(i);
  return result;
}

/// Level i stands for the permutations that fix points 0 .. i-1.
struct Level {
  std::vector<Permutation> generators;
  std::vector<int64_t> orbit;
  /// By point: a permutation that takes the level's point there; empty where
  /// none does.
  std::vector<Permutation> transversal;
};

class StabiliserChain {
public:
  explicit StabiliserChain(size_t points) : levels(points) {
    Permutation identity(points);
    for (size_t i = 0; i < points; ++i)
      identity[i] = int64_t(i);
    for (size_t i = 0; i < points; ++i) {
      levels[i].transversal.resize(points);
      levels[i].orbit.push_back(int64_t(i));
      levels[i].transversal[i] = identity;
    }
  }

  /// Adds a permutation that fixes all points before `level`.
  void add(size_t level, const Permutation &permutation) {
    if (level == levels.size() || contains(level, permutation))
      return;
    levels[level].generators.push_back(permutation);
    grow(level);
  }

  double order() const {
    double product = 1;
    for (const Level &level : levels)
      product *= double(level.orbit.size());
    return product;
  }

private:
  bool contains(size_t level, Permutation permutation) const {
    for (; level < levels.size(); ++level) {
      const Permutation &way =
          levels[level].transversal[size_t(permutation[level])];
      if (way.empty())
        return false;
      permutation = compose(permutation, inverse(way));
    }
    return true;
  }

  /// Extends the orbit, then gives every Schreier generator to the next level.
  void grow(size_t number) {
    Level &level = levels[number];
    for (size_t at = 0; at < level.orbit.size(); ++at) {
      int64_t point = level.orbit[at];
      for (const Permutation &generator : level.generators) {
        int64_t image = generator[size_t(point)];
        if (!level.transversal[size_t(image)].empty())
          continue;
        level.transversal[size_t(image)] =
            compose(level.transversal[size_t(point)], generator);
        level.orbit.push_back(image);
      }
    }
    for (int64_t point : level.orbit)
      for (const Permutation &generator : level.generators) {
        Permutation there =
            compose(level.transversal[size_t(point)], generator);
        add(number + 1,
            compose(
                there,
                inverse(level.transversal[size_t(generator[size_t(point)])])));
      }
  }

  std::vector<Level> levels;
};

} // namespace

double groupOrder(llvm::ArrayRef<Permutation> generators) {
  if (generators.empty())
    return 1;
  StabiliserChain chain(generators.front().size());
  for (const Permutation &generator : generators)
    chain.add(0, generator);
  return chain.order();
}

} // namespace zenith::search
