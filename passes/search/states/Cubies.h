// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cubies: blocks of imprimitivity of the positions, which always move together
// as the stickers of one cubie do, and codes for the values that they hold.

#ifndef ZENITH_PASSES_SEARCH_STATES_CUBIES_H
#define ZENITH_PASSES_SEARCH_STATES_CUBIES_H

#include "passes/search/groups/GraphSymmetry.h"
#include "passes/search/states/BfsLoop.h"

namespace zenith::search {

/// The orbits of a permutation f of positions that commutes with all generators
/// (an element of the centraliser) are blocks of imprimitivity. Where f has
/// order two or three, a cubie is a head h, f(h) and perhaps f(f(h)), and a
/// neighbour's cubie holds the values of another one, turned:
/// new[f^m(h)] = old[f^(m+t)(h')]. See Dixon and Mortimer, Permutation Groups,
/// 1.5 and 4.2.
class Cubies {
public:
  /// Cubies of the positions that some generator moves or where starts differ;
  /// nothing where each of them has one position, or where a turn may leave the
  /// values of a start's cubie as they are.
  static std::optional<Cubies> find(const BfsLoop &bfs,
                                    const Permutations &permutations);

  /// One position of each cubie; cubies of one size are adjacent.
  const llvm::SmallVector<int64_t> &heads() const { return headList; }
  /// The head of a position's cubie.
  int64_t headOf(int64_t position) const { return memberships[position].head; }
  /// The power of f that takes the head to a position.
  unsigned turnOf(int64_t position) const { return memberships[position].turn; }
  /// How many positions the cubie of a head has: 1 to 3.
  unsigned sizeOf(int64_t head) const { return memberships[head].size; }
  /// The size of the largest cubie.
  unsigned largest() const { return sizeOf(headList.front()); }

  /// Bits of a code: the index of the values up to rotation, above their
  /// rotation in turnBits(). A turn adds to the rotation, modulo the size.
  unsigned bits() const { return codeBits; }
  static unsigned turnBits(unsigned size) { return size - 1; }
  /// Nothing for values that no start's cubie holds.
  std::optional<uint64_t> codeOf(llvm::ArrayRef<uint64_t> row,
                                 int64_t head) const;
  /// Stores the values with this code in the cubie of a head; false where no
  /// values have it.
  bool store(llvm::MutableArrayRef<uint64_t> row, int64_t head,
             uint64_t code) const;
  /// Positions of the cubie of a head, which is the first.
  llvm::ArrayRef<int64_t> membersOf(int64_t head) const {
    return members.find(head)->second;
  }

private:
  using Content = llvm::SmallVector<uint64_t, 3>;
  struct Membership {
    int64_t head = -1;
    unsigned turn = 0, size = 1;
  };
  Content contentOf(llvm::ArrayRef<uint64_t> row, int64_t head) const;
  void formCubies(const Permutations &permutations,
                  llvm::ArrayRef<int64_t> orbit, llvm::ArrayRef<int64_t> map);
  bool indexContents(const std::vector<StateRow> &starts);

  std::vector<Membership> memberships; ///< by position
  llvm::SmallVector<int64_t> headList;
  /// Indices of contents by their least rotation.
  std::map<Content, uint64_t> contents;
  /// Positions by head: f^m of it.
  std::map<int64_t, llvm::SmallVector<int64_t, 3>> members;
  unsigned codeBits = 1;
};

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_STATES_CUBIES_H
