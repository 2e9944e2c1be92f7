// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks in each orbit of positions for a map that commutes with all generators,
// and numbers what pieces hold.

#include "passes/search/states/StatePieces.h"
#include "llvm/Support/MathExtras.h"

namespace zenith::search {

using Permutations = std::vector<std::vector<int64_t>>;

/// Positions that generators lead to from one, which is the first.
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
  // Positions of an orbit come after one that leads to them.
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

/// How often a map leads back to a position.
static size_t lengthOfCycle(llvm::ArrayRef<int64_t> map, int64_t first) {
  size_t length = 1;
  for (int64_t at = map[size_t(first)]; at != first; at = map[size_t(at)])
    ++length;
  return length;
}

/// The map that makes the largest pieces, of at most three positions; empty
/// where only that of single positions does.
static std::vector<int64_t> mapOfPieces(const Permutations &permutations,
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

/// Heads are what generators lead to from heads, so that few pieces turn.
void StatePieces::formPieces(const Permutations &permutations,
                             llvm::ArrayRef<int64_t> orbit,
                             llvm::ArrayRef<int64_t> map) {
  llvm::SmallVector<int64_t> heads;
  auto addHead = [&](int64_t head) {
    if (places[size_t(head)].head >= 0)
      return;
    llvm::SmallVector<int64_t, 3> &piece = members[head];
    piece.push_back(head);
    if (!map.empty())
      for (int64_t at = map[size_t(head)]; at != head; at = map[size_t(at)])
        piece.push_back(at);
    for (auto [turn, position] : llvm::enumerate(piece))
      places[size_t(position)] = {head, unsigned(turn), unsigned(piece.size())};
    heads.push_back(head);
  };
  addHead(orbit.front());
  for (size_t next = 0; next < heads.size(); ++next)
    for (const std::vector<int64_t> &p : permutations)
      addHead(p[size_t(heads[next])]);
  llvm::append_range(headList, heads);
}

StatePieces::Content StatePieces::contentOf(llvm::ArrayRef<uint64_t> row,
                                            int64_t head) const {
  Content content;
  for (int64_t position : members.find(head)->second)
    content.push_back(row[size_t(position)]);
  return content;
}

/// The least turn of a content, and how often that is turned to be it again.
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

/// False where a turn may change nothing: then codes would tell states apart
/// that are the same.
bool StatePieces::numberContents(const std::vector<BfsLoop::Row> &starts) {
  std::map<size_t, uint64_t> counts;
  for (const BfsLoop::Row &row : starts)
    for (int64_t head : headList) {
      Content content = contentOf(row, head);
      if (content.size() > 1 && llvm::all_equal(content))
        return false;
      Content least = leastTurn(content).first;
      if (numbers.try_emplace(least, counts[least.size()]).second)
        ++counts[least.size()];
    }
  for (auto [size, count] : counts)
    codeBits = std::max(codeBits,
                        llvm::Log2_64_Ceil(count) + turnBits(unsigned(size)));
  return true;
}

std::optional<uint64_t> StatePieces::codeOf(llvm::ArrayRef<uint64_t> row,
                                            int64_t head) const {
  auto [least, turn] = leastTurn(contentOf(row, head));
  auto found = numbers.find(least);
  if (found == numbers.end())
    return std::nullopt;
  return found->second << turnBits(sizeOf(head)) | turn;
}

bool StatePieces::hold(llvm::MutableArrayRef<uint64_t> row, int64_t head,
                       uint64_t code) const {
  unsigned size = sizeOf(head), bits = turnBits(size);
  uint64_t turn = code & ((uint64_t(1) << bits) - 1);
  for (const auto &[content, number] : numbers)
    if (content.size() == size && number == code >> bits && turn < size) {
      for (unsigned i = 0; i < size; ++i)
        row[size_t(membersOf(head)[i])] = content[(i + turn) % size];
      return true;
    }
  return false;
}

std::optional<StatePieces> StatePieces::find(const BfsLoop &growth,
                                             const Permutations &permutations) {
  constexpr int64_t mostPositions = 1 << 10;
  if (permutations.empty() || growth.positions > mostPositions)
    return std::nullopt;
  StatePieces pieces;
  pieces.places.resize(size_t(growth.positions));
  for (int64_t position = 0; position < growth.positions; ++position) {
    if (pieces.headOf(position) >= 0)
      continue;
    llvm::SmallVector<int64_t> orbit = orbitOf(permutations, position);
    bool matters = orbit.size() > 1 ||
                   llvm::any_of(growth.starts, [&](const BfsLoop::Row &row) {
                     return row[size_t(position)] !=
                            growth.starts.front()[size_t(position)];
                   });
    if (matters)
      pieces.formPieces(permutations, orbit, mapOfPieces(permutations, orbit));
  }
  llvm::stable_sort(pieces.headList, [&](int64_t x, int64_t y) {
    return pieces.sizeOf(x) > pieces.sizeOf(y);
  });
  if (pieces.headList.empty() || pieces.largest() == 1 ||
      !pieces.numberContents(growth.starts))
    return std::nullopt;
  return pieces;
}

} // namespace zenith::search
