// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out whether states and elements of the group are the same, and which
// elements a search starts from.

#include "passes/search/states/CosetIndex.h"

using namespace mlir;

namespace zenith::search {

/// What the states hold at the positions that matter.
static std::vector<BfsLoop::Row> keptOf(const std::vector<BfsLoop::Row> &states,
                                        const StateKeys &keys) {
  std::vector<BfsLoop::Row> kept;
  for (const BfsLoop::Row &state : states) {
    BfsLoop::Row &row = kept.emplace_back();
    for (int64_t position : keys.positions())
      row.push_back(state[size_t(position)]);
  }
  return kept;
}

static std::vector<std::vector<int64_t>> keptGenerators(const BfsLoop &growth,
                                                        const StateKeys &keys) {
  std::vector<std::vector<int64_t>> generators;
  for (const std::vector<int64_t> &permutation : growth.permutations) {
    std::vector<int64_t> &kept = generators.emplace_back();
    for (int64_t position : keys.positions())
      kept.push_back(
          llvm::lower_bound(keys.positions(), permutation[size_t(position)]) -
          keys.positions().begin());
  }
  return generators;
}

/// Layers of a commutative group are many and small.
static bool commute(const std::vector<std::vector<int64_t>> &generators) {
  for (const std::vector<int64_t> &x : generators)
    for (const std::vector<int64_t> &y : generators)
      for (size_t i = 0; i < x.size(); ++i)
        if (x[size_t(y[i])] != y[size_t(x[i])])
          return false;
  return true;
}

namespace {

/// Looks for elements of a group that leave a state as it is.
class Symmetries {
public:
  Symmetries(const StabiliserChain &group, const BfsLoop::Row &state)
      : group(group), state(state) {}

  /// Whether only the identity does; false where that takes long to find out.
  bool areTrivial() {
    return search(0, group.levels().front().ways.front()) && found == 1;
  }

private:
  /// False where looking on makes no sense.
  bool search(size_t number, const PointMap &product) {
    constexpr int64_t mostSteps = 100000;
    if (++steps > mostSteps)
      return false;
    if (number == group.levels().size()) {
      for (size_t i = 0; i < product.size(); ++i)
        if (state[product[i]] != state[i])
          return true;
      return ++found == 1;
    }
    const StabiliserChain::Level &level = group.levels()[number];
    for (size_t place = 0; place < level.orbit.size(); ++place)
      if (state[product[level.orbit[place]]] == state[level.point] &&
          !search(number + 1,
                  place == 0 ? product : compose(product, level.ways[place])))
        return false;
    return true;
  }

  const StabiliserChain &group;
  const BfsLoop::Row &state;
  int64_t steps = 0;
  int found = 0;
};

} // namespace

bool CosetIndex::findStarts(const std::vector<BfsLoop::Row> &states,
                            std::string &why) {
  const BfsLoop::Row &first = states.front();
  std::map<uint64_t, uint16_t> places;
  for (const BfsLoop::Row &state : states) {
    places.clear();
    for (auto [place, value] : llvm::enumerate(state))
      places[value] = uint16_t(place);
    PointMap map = rows.group().levels().front().ways.front();
    if (&state != &first)
      for (auto [point, value] : llvm::enumerate(first)) {
        auto found = places.find(value);
        map[point] = found == places.end() ? map[point] : found->second;
      }
    bool isMap = places.size() == state.size() || &state == &first;
    std::optional<uint64_t> bit = isMap ? rows.bitOf(map) : std::nullopt;
    if (!bit) {
      why = "no element of the group leads from one start to another";
      return false;
    }
    startBits.push_back(*bit);
  }
  if (places.size() == first.size() ||
      Symmetries(rows.group(), first).areTrivial())
    return true;
  why = "several elements of the group lead to one state";
  return false;
}

std::optional<CosetIndex> CosetIndex::choose(const BfsLoop &growth,
                                             const StateKeys &keys,
                                             int64_t bytes, std::string &why) {
  constexpr size_t mostPoints = 1 << 10;
  if (growth.permutations.empty() || keys.positions().size() > mostPoints) {
    why = "states are no permutations of a list";
    return std::nullopt;
  }
  std::vector<std::vector<int64_t>> generators = keptGenerators(growth, keys);
  if (commute(generators)) {
    why = "generators commute: layers are many and small";
    return std::nullopt;
  }
  std::optional<CosetRows> rows =
      CosetRows::build(generators, double(bytes), why);
  if (!rows)
    return std::nullopt;
  CosetIndex index(std::move(*rows));
  if (!index.findStarts(keptOf(growth.starts, keys), why))
    return std::nullopt;
  return index;
}

} // namespace zenith::search
