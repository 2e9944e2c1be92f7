// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that states correspond one-to-one to elements of the group, and finds
// the elements that a search starts from.

#include "passes/search/states/CosetIndex.h"

using namespace mlir;

namespace zenith::search {

/// The values of the states at the positions that keys keep.
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

static std::vector<std::vector<int64_t>> keptGenerators(const BfsLoop &bfs,
                                                        const StateKeys &keys) {
  std::vector<std::vector<int64_t>> generators;
  for (const std::vector<int64_t> &permutation : bfs.permutations) {
    std::vector<int64_t> &kept = generators.emplace_back();
    for (int64_t position : keys.positions())
      kept.push_back(
          llvm::lower_bound(keys.positions(), permutation[size_t(position)]) -
          keys.positions().begin());
  }
  return generators;
}

/// In a commutative group layers are many and small.
static bool commute(const std::vector<std::vector<int64_t>> &generators) {
  for (const std::vector<int64_t> &x : generators)
    for (const std::vector<int64_t> &y : generators)
      for (size_t i = 0; i < x.size(); ++i)
        if (x[size_t(y[i])] != y[size_t(x[i])])
          return false;
  return true;
}

namespace {

/// Searches the stabiliser of a state in a group.
class StateStabiliser {
public:
  StateStabiliser(const StabiliserChain &group, const BfsLoop::Row &state)
      : group(group), state(state) {}

  /// Whether it is trivial; false where the step limit is reached, too.
  bool isTrivial() {
    return search(0, group.levels().front().transversal.front()) && found == 1;
  }

private:
  /// False ends the search.
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
    for (size_t i = 0; i < level.orbit.size(); ++i)
      if (state[product[level.orbit[i]]] == state[level.point] &&
          !search(number + 1,
                  i == 0 ? product : compose(product, level.transversal[i])))
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
  std::map<uint64_t, uint16_t> positions;
  for (const BfsLoop::Row &state : states) {
    positions.clear();
    for (auto [position, value] : llvm::enumerate(state))
      positions[value] = uint16_t(position);
    PointMap map = rows.group().levels().front().transversal.front();
    if (&state != &first)
      for (auto [point, value] : llvm::enumerate(first)) {
        auto found = positions.find(value);
        map[point] = found == positions.end() ? map[point] : found->second;
      }
    bool isMap = positions.size() == state.size() || &state == &first;
    std::optional<uint64_t> bit = isMap ? rows.bitOf(map) : std::nullopt;
    if (!bit) {
      why = "no element of the group takes one start to another";
      return false;
    }
    startBits.push_back(*bit);
  }
  if (positions.size() == first.size() ||
      StateStabiliser(rows.group(), first).isTrivial())
    return true;
  why = "several elements of the group give one state";
  return false;
}

std::optional<CosetIndex> CosetIndex::choose(const BfsLoop &bfs,
                                             const StateKeys &keys,
                                             int64_t bytes, std::string &why) {
  constexpr size_t mostPoints = 1 << 10;
  if (bfs.permutations.empty() || keys.positions().size() > mostPoints) {
    why = "states are no permutations of a list";
    return std::nullopt;
  }
  std::vector<std::vector<int64_t>> generators = keptGenerators(bfs, keys);
  if (commute(generators)) {
    why = "generators commute: layers are many and small";
    return std::nullopt;
  }
  std::optional<CosetRows> rows =
      CosetRows::build(generators, double(bytes), why);
  if (!rows)
    return std::nullopt;
  CosetIndex index(std::move(*rows));
  if (!index.findStarts(keptOf(bfs.starts, keys), why))
    return std::nullopt;
  return index;
}

} // namespace zenith::search
