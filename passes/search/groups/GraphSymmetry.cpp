// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Backtracking search for an automorphism of a state graph that is its own
// inverse. The image of one position or generator determines those of its
// neighbours.

#include "passes/search/groups/GraphSymmetry.h"
#include "llvm/ADT/STLExtras.h"

namespace zenith::search {

uint64_t GraphSymmetry::valueAt(const StateRow &row, size_t position) const {
  uint64_t value = row[size_t(positions[position])];
  auto named = values.find(value);
  return named == values.end() ? value : named->second;
}

StateRow GraphSymmetry::imageOf(const StateRow &row) const {
  StateRow image(row.size());
  for (size_t i = 0; i < row.size(); ++i)
    image[i] = valueAt(row, i);
  return image;
}

namespace {

/// Maps are their own inverses, so each image is set both ways.
class SymmetrySearch {
public:
  SymmetrySearch(const std::vector<StateRow> &starts,
                 const Permutations &generators)
      : starts(starts), generators(generators),
        positions(starts.front().size(), none),
        images(generators.size(), none) {
    // A position that no generator moves stays fixed.
    for (size_t i = 0; i < positions.size(); ++i)
      if (llvm::all_of(generators, [&](const std::vector<int64_t> &p) {
            return p[i] == int64_t(i);
          }))
        positions[i] = int64_t(i);
  }

  std::optional<GraphSymmetry> run() {
    if (!extend())
      return std::nullopt;
    return std::move(found);
  }

private:
  static constexpr int64_t none = -1;

  static bool join(std::vector<int64_t> &map, int64_t from, int64_t to) {
    int64_t &forth = map[size_t(from)], &back = map[size_t(to)];
    if (forth == to && back == from)
      return true;
    if (forth != none || back != none)
      return false;
    forth = to;
    back = from;
    return true;
  }

  /// Propagates known images until a fixed point; false where they contradict
  /// each other, or where the step limit is reached.
  bool follow() {
    for (bool more = true; more;) {
      more = false;
      for (size_t g = 0; g < generators.size(); ++g) {
        if (images[g] == none)
          continue;
        const auto &from = generators[g], &to = generators[size_t(images[g])];
        for (size_t i = 0; i < positions.size(); ++i) {
          if (--steps < 0)
            return false;
          if (positions[i] == none)
            continue;
          int64_t next = from[i], image = to[size_t(positions[i])];
          more |= positions[size_t(next)] == none;
          if (!join(positions, next, image))
            return false;
        }
      }
    }
    return true;
  }

  /// Tries all images of one entry, itself last: the identity changes no
  /// state.
  bool tryImages(std::vector<int64_t> &map, size_t entry) {
    for (size_t turn = 1; turn <= map.size(); ++turn) {
      size_t image = (entry + turn) % map.size();
      if (map[image] != none)
        continue;
      auto positionsBefore = positions, imagesBefore = images;
      if (join(map, int64_t(entry), int64_t(image)) && extend())
        return true;
      positions = std::move(positionsBefore);
      images = std::move(imagesBefore);
      if (steps < 0)
        return false;
    }
    return false;
  }

  bool extend() {
    if (!follow())
      return false;
    auto position = llvm::find(positions, none);
    auto generator = llvm::find(images, none);
    // Images of generators determine more once some position has an image.
    if (generator != images.end() && triedPosition())
      return tryImages(images, size_t(generator - images.begin()));
    if (position != positions.end())
      return tryImages(positions, size_t(position - positions.begin()));
    return accept();
  }
  /// Whether a position that some generator moves has an image.
  bool triedPosition() const {
    for (size_t i = 0; i < positions.size(); ++i)
      if (positions[i] != none &&
          llvm::any_of(generators, [&](const std::vector<int64_t> &p) {
            return p[i] != int64_t(i);
          }))
        return true;
    return false;
  }

  /// Renames values so that the first start is its own image, where that is
  /// possible.
  bool accept() {
    GraphSymmetry symmetry;
    symmetry.positions = positions;
    // A symmetry that fixes each generator fixes each state.
    bool moves = false;
    for (size_t g = 0; g < images.size(); ++g)
      moves |= images[g] != int64_t(g);
    for (size_t i = 0; i < positions.size(); ++i) {
      uint64_t value = starts.front()[i],
               from = starts.front()[size_t(positions[i])];
      if (symmetry.values.try_emplace(from, value).first->second != value)
        return false;
    }
    symmetry.generators.assign(images.begin(), images.end());
    if (!moves || !llvm::all_of(starts, [&](const StateRow &row) {
          return llvm::is_contained(starts, symmetry.imageOf(row)) &&
                 llvm::all_of(row, [&](uint64_t value) {
                   return symmetry.values.count(value) != 0;
                 });
        }))
      return false;
    found = std::move(symmetry);
    return true;
  }

  const std::vector<StateRow> &starts;
  const Permutations &generators;
  std::vector<int64_t> positions, images; ///< none: not known yet
  int64_t steps = 1 << 21;                ///< limit of the search
  std::optional<GraphSymmetry> found;
};

} // namespace

std::optional<GraphSymmetry> findSymmetry(const std::vector<StateRow> &starts,
                                          const Permutations &generators) {
  if (generators.empty())
    return std::nullopt;
  return SymmetrySearch(starts, generators).run();
}

} // namespace zenith::search
