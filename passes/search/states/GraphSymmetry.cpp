// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks for a symmetry by trying images of a position and of generators; each
// one says where their neighbours go.

#include "passes/search/states/GraphSymmetry.h"

namespace zenith::search {

uint64_t GraphSymmetry::valueAt(const BfsLoop::Row &row,
                                size_t position) const {
  uint64_t value = row[size_t(positions[position])];
  auto named = values.find(value);
  return named == values.end() ? value : named->second;
}

BfsLoop::Row GraphSymmetry::imageOf(const BfsLoop::Row &row) const {
  BfsLoop::Row image(row.size());
  for (size_t i = 0; i < row.size(); ++i)
    image[i] = valueAt(row, i);
  return image;
}

namespace {

/// Maps are their own inverses, so each image is set both ways.
class SymmetrySearch {
public:
  SymmetrySearch(const BfsLoop &growth,
                 const std::vector<std::vector<int64_t>> &permutations)
      : growth(growth), generators(permutations),
        positions(size_t(growth.positions), none),
        images(permutations.size(), none) {
    // A position that no generator moves keeps its place.
    for (int64_t i = 0; i < growth.positions; ++i)
      if (llvm::all_of(generators, [&](const std::vector<int64_t> &p) {
            return p[size_t(i)] == i;
          }))
        positions[size_t(i)] = i;
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

  /// Follows from what is set until nothing does; false where it contradicts
  /// itself, or where the search has taken long enough.
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

  /// Tries all images of one entry, what differs from it first: keeping all in
  /// place is no symmetry.
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
    // Images of generators say more once some position has one.
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

  /// Names values so that the first start stays what it is, where that is
  /// possible.
  bool accept() {
    GraphSymmetry symmetry;
    symmetry.positions = positions;
    // What takes each generator to itself takes each state to itself.
    bool moves = false;
    for (size_t g = 0; g < images.size(); ++g)
      moves |= images[g] != int64_t(g);
    for (size_t i = 0; i < positions.size(); ++i) {
      uint64_t value = growth.starts.front()[i],
               from = growth.starts.front()[size_t(positions[i])];
      if (symmetry.values.try_emplace(from, value).first->second != value)
        return false;
    }
    symmetry.generators.assign(images.begin(), images.end());
    if (!moves || !llvm::all_of(growth.starts, [&](const BfsLoop::Row &row) {
          return llvm::is_contained(growth.starts, symmetry.imageOf(row)) &&
                 llvm::all_of(row, [&](uint64_t value) {
                   return symmetry.values.count(value) != 0;
                 });
        }))
      return false;
    found = std::move(symmetry);
    return true;
  }

  const BfsLoop &growth;
  const std::vector<std::vector<int64_t>> &generators;
  std::vector<int64_t> positions, images; ///< none: not known yet
  int64_t steps = 1 << 21;                ///< a few milliseconds
  std::optional<GraphSymmetry> found;
};

} // namespace

std::optional<GraphSymmetry>
findSymmetry(const BfsLoop &growth,
             const std::vector<std::vector<int64_t>> &permutations) {
  if (permutations.empty())
    return std::nullopt;
  return SymmetrySearch(growth, permutations).run();
}

} // namespace zenith::search
