// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Positions that always move together, as the stickers of a puzzle's piece do,
// and codes for what they hold together.

#ifndef ZENITH_PASSES_SEARCH_STATES_STATEPIECES_H
#define ZENITH_PASSES_SEARCH_STATES_STATEPIECES_H

#include "passes/search/states/BfsLoop.h"
#include <map>

namespace zenith::search {

/// A map of positions that commutes with all generators takes each position to
/// others of its piece. Where doing so two or three times changes nothing, a
/// piece is a head h, f(h) and perhaps f(f(h)), and a neighbour's piece holds
/// what another one held, turned: new[f^m(h)] = old[f^(m+t)(h')].
class StatePieces {
public:
  /// Pieces of the positions that some generator moves or where starts differ;
  /// nothing where each of these is a piece of its own, or where turning what a
  /// start holds somewhere may change nothing.
  static std::optional<StatePieces>
  find(const BfsLoop &growth,
       const std::vector<std::vector<int64_t>> &permutations);

  /// One position of each piece; pieces of one size are neighbours.
  const llvm::SmallVector<int64_t> &heads() const { return headList; }
  /// The head of a position's piece.
  int64_t headOf(int64_t position) const { return places[position].head; }
  /// How often f leads from the head to a position.
  unsigned turnOf(int64_t position) const { return places[position].turn; }
  /// How many positions the piece of a head has: 1 to 3.
  unsigned sizeOf(int64_t head) const { return places[head].size; }
  /// The largest of them.
  unsigned largest() const { return sizeOf(headList.front()); }

  /// Bits of a code: number of what is held, however it is turned, above its
  /// turn in turnBits(). A turn adds to that, modulo the size.
  unsigned bits() const { return codeBits; }
  static unsigned turnBits(unsigned size) { return size - 1; }
  /// Nothing for what no start's piece holds.
  std::optional<uint64_t> codeOf(llvm::ArrayRef<uint64_t> row,
                                 int64_t head) const;
  /// Lets the piece of a head hold what has a code; false where nothing has.
  bool hold(llvm::MutableArrayRef<uint64_t> row, int64_t head,
            uint64_t code) const;
  /// Positions of the piece of a head, which is the first.
  llvm::ArrayRef<int64_t> membersOf(int64_t head) const {
    return members.find(head)->second;
  }

private:
  using Content = llvm::SmallVector<uint64_t, 3>;
  struct Place {
    int64_t head = -1;
    unsigned turn = 0, size = 1;
  };
  Content contentOf(llvm::ArrayRef<uint64_t> row, int64_t head) const;
  void formPieces(const std::vector<std::vector<int64_t>> &permutations,
                  llvm::ArrayRef<int64_t> orbit, llvm::ArrayRef<int64_t> map);
  bool numberContents(const std::vector<BfsLoop::Row> &starts);

  std::vector<Place> places; ///< by position
  llvm::SmallVector<int64_t> headList;
  /// Contents by their least turn.
  std::map<Content, uint64_t> numbers;
  /// Positions by piece: f^m of each head.
  std::map<int64_t, llvm::SmallVector<int64_t, 3>> members;
  unsigned codeBits = 1;
};

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_STATES_STATEPIECES_H
