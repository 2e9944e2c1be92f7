// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks in each orbit of positions for a permutation that commutes with all
// generators, and indexes the values that cubies hold.

#include "passes/search/states/Cubies.h"
#include "llvm/Support/MathExtras.h"

namespace zenith::search {

/// The orbit of a position under the generators, which begins with it.
static llvm::SmallVector<int64_t> orbitOf(const Permutations &permutations,
                                          int64_t first) {
  llvm::SmallVector<int64_t> orbit{first};
  std::vector<bool> seen(permutations.front().size());
  seen[size_t(first)] = true;
  for (size_t next = 0; next < orbit.size(); ++next)
    for (const std::vector<int64_t> &p : permutations) {
      int64_t position = p[size_t(orbit[next])];
      if (!seen[size_t(position)])
        orbit.push_back(position);
      seen[size_t(position)] = true;
    }
  return orbit;
}

/// The map of an orbit that commutes with all generators and takes its first
/// position to `image`; empty where there is none. By position; -1 elsewhere.
static std::vector<int64_t> commutingMap(const Permutations &permutations,
                                         llvm::ArrayRef<int64_t> orbit,
                                         int64_t image) {
  std::vector<int64_t> map(permutations.front().size(), -1);
  map[size_t(orbit.front())] = image;
  // Each position of the orbit comes after one with an edge to it.
  for (int64_t position : orbit)
    for (const std::vector<int64_t> &p : permutations) {
      int64_t &to = map[size_t(p[size_t(position)])],
              expected = p[size_t(map[size_t(position)])];
      if (to >= 0 && to != expected)
        return {};
      to = expected;
    }
  return map;
}

/// The length of the cycle of a position.
static size_t lengthOfCycle(llvm::ArrayRef<int64_t> map, int64_t first) {
  size_t length = 1;
  for (int64_t at = map[size_t(first)]; at != first; at = map[size_t(at)])
    ++length;
  return length;
}

/// The commuting map with the longest cycles, of at most three positions; empty
/// where there is only the identity.
static std::vector<int64_t> mapOfCubies(const Permutations &permutations,
                                        llvm::ArrayRef<int64_t> orbit) {
  std::vector<int64_t> best;
  for (int64_t image : orbit.drop_front()) {
    std::vector<int64_t> map = commutingMap(permutations, orbit, image);
    if (map.empty())
      continue;
    size_t length = lengthOfCycle(map, orbit.front());
    if (length == 3)
      return map;
    if (length == 2 && best.empty())
      best = std::move(map);
  }
  return best;
}

/// The images of heads under generators are heads, so that few cubies turn.
void Cubies::formCubies(const Permutations &permutations,
                        llvm::ArrayRef<int64_t> orbit,
                        llvm::ArrayRef<int64_t> map) {
  llvm::SmallVector<int64_t> heads;
  auto addHead = [&](int64_t head) {
    if (memberships[size_t(head)].head >= 0)
      return;
    llvm::SmallVector<int64_t, 3> &cubie = members[head];
    cubie.push_back(head);
    if (!map.empty())
      for (int64_t at = map[size_t(head)]; at != head; at = map[size_t(at)])
        cubie.push_back(at);
    for (auto [turn, position] : llvm::enumerate(cubie))
      memberships[size_t(position)] = {head, unsigned(turn),
                                       unsigned(cubie.size())};
    heads.push_back(head);
  };
  addHead(orbit.front());
  for (size_t next = 0; next < heads.size(); ++next)
    for (const std::vector<int64_t> &p : permutations)
      addHead(p[size_t(heads[next])]);
  llvm::append_range(headList, heads);
}

Cubies::Content Cubies::contentOf(llvm::ArrayRef<uint64_t> row,
                                  int64_t head) const {
  Content content;
  for (int64_t position : members.find(head)->second)
    content.push_back(row[size_t(position)]);
  return content;
}

/// The least rotation of a content, and the number of turns from there back to
/// the content.
template <typename Content>
static std::pair<Content, unsigned> leastTurn(Content content) {
  Content least = content;
  unsigned back = 0;
  for (unsigned turn = 1; turn < content.size(); ++turn) {
    std::rotate(content.begin(), content.begin() + 1, content.end());
    if (content < least) {
      least = content;
      back = unsigned(content.size()) - turn;
    }
  }
  return {least, back};
}

/// False where a turn may leave a content as it is: then one state would have
/// several codes.
bool Cubies::indexContents(const std::vector<StateRow> &starts) {
  std::map<size_t, uint64_t> counts;
  for (const StateRow &row : starts)
    for (int64_t head : headList) {
      Content content = contentOf(row, head);
      if (content.size() > 1 && llvm::all_equal(content))
        return false;
      Content least = leastTurn(content).first;
      if (contents.try_emplace(least, counts[least.size()]).second)
        ++counts[least.size()];
    }
  for (auto [size, count] : counts)
    codeBits = std::max(codeBits,
                        llvm::Log2_64_Ceil(count) + turnBits(unsigned(size)));
  return true;
}

std::optional<uint64_t> Cubies::codeOf(llvm::ArrayRef<uint64_t> row,
                                       int64_t head) const {
  auto [least, turn] = leastTurn(contentOf(row, head));
  auto found = contents.find(least);
  if (found == contents.end())
    return std::nullopt;
  return found->second << turnBits(sizeOf(head)) | turn;
}

bool Cubies::store(llvm::MutableArrayRef<uint64_t> row, int64_t head,
                   uint64_t code) const {
  unsigned size = sizeOf(head), bits = turnBits(size);
  uint64_t turn = code & ((uint64_t(1) << bits) - 1);
  for (const auto &[content, index] : contents)
    if (content.size() == size && index == code >> bits && turn < size) {
      for (unsigned i = 0; i < size; ++i)
        row[size_t(membersOf(head)[i])] = content[(i + turn) % size];
      return true;
    }
  return false;
}

std::optional<Cubies> Cubies::find(const BfsLoop &bfs,
                                   const Permutations &permutations) {
  constexpr int64_t mostPositions = 1 << 10;
  if (permutations.empty() || bfs.positions > mostPositions)
    return std::nullopt;
  Cubies cubies;
  cubies.memberships.resize(size_t(bfs.positions));
  for (int64_t position = 0; position < bfs.positions; ++position) {
    if (cubies.headOf(position) >= 0)
      continue;
    llvm::SmallVector<int64_t> orbit = orbitOf(permutations, position);
    bool matters =
        orbit.size() > 1 || llvm::any_of(bfs.starts, [&](const StateRow &row) {
          return row[size_t(position)] != bfs.starts.front()[size_t(position)];
        });
    if (matters)
      cubies.formCubies(permutations, orbit, mapOfCubies(permutations, orbit));
  }
  llvm::stable_sort(cubies.headList, [&](int64_t x, int64_t y) {
    return cubies.sizeOf(x) > cubies.sizeOf(y);
  });
  if (cubies.headList.empty() || cubies.largest() == 1 ||
      !cubies.indexContents(bfs.starts))
    return std::nullopt;
  return cubies;
}

} // namespace zenith::search
