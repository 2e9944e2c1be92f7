// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// States as packed words: the bit field of each position, and neighbours as
// shifts and masks.

#ifndef ZENITH_PASSES_SEARCH_STATES_STATEKEYS_H
#define ZENITH_PASSES_SEARCH_STATES_STATEKEYS_H

#include "passes/search/groups/GraphSymmetry.h"
#include "passes/search/states/Cubies.h"
#include "passes/search/states/WordOps.h"

namespace zenith::search {

class StateKeys {
public:
  /// `withInverseMask` asks for a mask of inverse generators, a bit per
  /// generator in the last word; where it does not fit, hasInverseMask() is
  /// false. `symmetry` asks, with such a mask, for one of each two states that
  /// the involution exchanges; where fields have no codes or no bits for it,
  /// isHalved() is false. `cubies` makes fields of cubies, not of positions.
  /// `tieBits` are kept free after the mask.
  StateKeys(const BfsLoop &bfs, bool withInverseMask,
            const GraphSymmetry *symmetry = nullptr,
            const Cubies *cubies = nullptr, unsigned tieBits = 0);

  /// Positions that a generator changes or where starts differ, ascending.
  llvm::ArrayRef<int64_t> positions() const { return kept; }
  unsigned bits() const { return fieldBits; }
  unsigned words() const { return wordCount; }
  bool hasInverseMask() const { return inverseMaskBit.has_value(); }
  bool isHalved() const { return symmetry != nullptr; }
  /// Number of different values of one position.
  uint64_t values() const { return valueCount; }
  /// Number of fields: of positions, or of cubies.
  size_t fieldCount() const { return fields().size(); }
  /// The position that represents each field.
  llvm::ArrayRef<int64_t> fields() const {
    return cubies ? llvm::ArrayRef<int64_t>(cubies->heads())
                  : llvm::ArrayRef<int64_t>(kept);
  }
  struct BitField {
    unsigned word, shift;
  };
  BitField bitFieldOf(int64_t field) const { return bitFields[size_t(field)]; }
  /// The position that represents the field of a position, and all positions of
  /// a field.
  int64_t fieldOf(int64_t position) const {
    return cubies ? cubies->headOf(position) : position;
  }
  llvm::SmallVector<int64_t> positionsOf(int64_t field) const;
  /// Fields are those of cubies.
  bool haveJoinedPositions() const { return cubies != nullptr; }
  /// The code of a field of a row; nothing for values that no start has.
  std::optional<uint64_t> codeOf(llvm::ArrayRef<uint64_t> row,
                                 int64_t field) const;
  /// The codes of values; empty where each value is its own code.
  const std::map<uint64_t, uint64_t> &codesOfValues() const { return codes; }
  /// Stores the values with this code in a field of a row; false where no
  /// values have it.
  bool store(llvm::MutableArrayRef<uint64_t> row, int64_t field,
             uint64_t code) const;
  /// Whether every state has each value once.
  bool haveEachValueOnce() const;
  /// Word 0 of a state may be all ones.
  bool mayBeAllOnes() const;
  /// The number of arrangements of a state's values, where generators permute
  /// them; else of all contents of the fields.
  double mostStates() const;

  /// Bits of each word that distinguish states.
  llvm::SmallVector<int64_t> keyBits() const;
  /// The words of a state.
  llvm::SmallVector<uint64_t> pack(llvm::ArrayRef<uint64_t> row) const;
  /// The same where states are halved; nothing where the image is less.
  std::optional<llvm::SmallVector<uint64_t>>
  packHalf(const BfsLoop::Row &row) const;
  /// The words of the neighbour along a generator.
  llvm::SmallVector<mlir::Value> neighbour(WordOps &ops, mlir::ValueRange state,
                                           size_t generator) const;
  /// A generator as bytes: for each field of a neighbour the shift and the word
  /// (times 64) of its source, then the shift of the generator's bit in the
  /// inverse mask. Only for few words whose fields are permuted.
  llvm::SmallVector<uint64_t> bytes(size_t generator) const;
  bool haveBytes() const { return isPermutation && !cubies && wordCount <= 4; }
  using ByteOf = llvm::function_ref<mlir::Value(size_t)>;
  /// The words of the neighbour along the generator whose bytes `byte` gives.
  llvm::SmallVector<mlir::Value> neighbour(WordOps &ops, mlir::ValueRange state,
                                           ByteOf byte) const;
  /// The same with `back`, the mask bit of the inverse generator; all ones in
  /// word 0 where the mask of `state` has this generator.
  llvm::SmallVector<mlir::Value> onward(WordOps &ops, mlir::ValueRange state,
                                        ByteOf byte, mlir::Value back) const;
  /// The mask bit of a generator.
  uint64_t bitOf(size_t generator) const {
    return uint64_t(1) << (*inverseMaskBit + generator);
  }
  /// The first bit of the last word after the mask.
  unsigned ownBit() const { return *inverseMaskBit + unsigned(bfs.generators); }
  /// How many ops neighbour() has for all generators together.
  int64_t cost() const;
  /// The same with the mask bit of `back`, the inverse generator; all ones in
  /// word 0 where the mask of `state` has `generator`.
  llvm::SmallVector<mlir::Value> onward(WordOps &ops, mlir::ValueRange state,
                                        size_t generator, size_t back) const;

  /// The words of a state's image.
  llvm::SmallVector<mlir::Value> imageOf(WordOps &ops,
                                         mlir::ValueRange state) const;
  /// Where states are halved: the neighbour or its image, whichever is less.
  struct Half {
    llvm::SmallVector<mlir::Value> words;
    mlir::Value isImage; ///< true where the image is less
    mlir::Value isOwn;   ///< true where both are the same
  };
  /// `image` is the state's.
  Half neighbourHalf(WordOps &ops, mlir::ValueRange state,
                     mlir::ValueRange image, size_t generator) const;
  /// As onward(), with neighbourHalf().
  llvm::SmallVector<mlir::Value>
  onwardHalf(WordOps &ops, mlir::ValueRange state, mlir::ValueRange image,
             size_t generator, size_t back) const;
  /// The generator that acts on images as this one acts on states.
  size_t imageOf(size_t generator) const {
    return size_t(symmetry->generators[generator]);
  }
  /// 1 for states of the list that are their own images, else 0.
  mlir::Value isOwnImage(WordOps &ops, mlir::ValueRange state) const;
  /// How many ops imageOf() has.
  int64_t imageCost() const;

private:
  bool chooseWords(bool withInverseMask);
  bool nameValues();
  /// The fields of one word whose cubie has `size` positions and that a
  /// generator turns `turn` times, by their last bits.
  uint64_t turned(size_t generator, unsigned word, unsigned size,
                  unsigned turn) const;
  mlir::Value turn(WordOps &ops, mlir::Value word, size_t generator,
                   unsigned number) const;
  /// By target word, source word and distance to the left: the bits of the
  /// fields that move so.
  using Moves = std::map<std::tuple<unsigned, unsigned, int>, uint64_t>;
  template <typename From> Moves movesOf(From from) const;
  llvm::SmallVector<mlir::Value> moved(WordOps &ops, mlir::ValueRange state,
                                       const Moves &moves) const;
  /// How imageOf() moves fields: of the state, or of the state with its fields
  /// reversed, which takes so many steps.
  struct ImageMoves {
    Moves moves;
    unsigned steps = 0;
  };
  ImageMoves imageMoves() const;
  mlir::Value element(WordOps &ops, mlir::ValueRange state,
                      int64_t formula) const;

  const BfsLoop &bfs;
  const GraphSymmetry *symmetry;
  const Cubies *cubies;
  unsigned freeBits; ///< after the inverse mask
  bool isPermutation;
  llvm::SmallVector<int64_t> kept;
  std::map<uint64_t, uint64_t> codes; ///< of values that are permuted
  uint64_t valueCount = 0;
  unsigned fieldBits = 1, wordCount = 1;
  /// With a symmetry, codes with so many leading ones are their own images;
  /// others differ from their image in the last bit. Nothing: all are their
  /// own.
  std::optional<unsigned> leadingOnes;
  std::optional<unsigned> inverseMaskBit; ///< of generator 0, in the last word
  std::vector<BitField> bitFields;        ///< by position; of kept ones
};

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_STATES_STATEKEYS_H
