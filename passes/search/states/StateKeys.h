// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// States as packed words: which positions lie where, and neighbours as shifts
// and masks.

#ifndef ZENITH_PASSES_SEARCH_STATES_STATEKEYS_H
#define ZENITH_PASSES_SEARCH_STATES_STATEKEYS_H

#include "passes/search/states/GraphSymmetry.h"
#include "passes/search/states/StatePieces.h"
#include "passes/search/states/WordOps.h"

namespace zenith::search {

class StateKeys {
public:
  /// `withBackBits` asks for a bit per generator in the last word; where there
  /// is no room, hasBackBits() is false. `symmetry` asks for one of each two
  /// states that it takes to each other, besides bits that lead back; where
  /// fields have no codes or no room for that, isHalved() is false. `pieces`
  /// makes fields of pieces, not of positions. `tieBits` are kept free behind
  /// bits that lead back.
  StateKeys(const BfsLoop &growth, bool withBackBits,
            const GraphSymmetry *symmetry = nullptr,
            const StatePieces *pieces = nullptr, unsigned tieBits = 0);

  /// Positions that a generator changes or where starts differ, ascending.
  llvm::ArrayRef<int64_t> positions() const { return kept; }
  unsigned bits() const { return fieldBits; }
  unsigned words() const { return wordCount; }
  bool hasBackBits() const { return backBit.has_value(); }
  bool isHalved() const { return symmetry != nullptr; }
  /// Number of different values of one position.
  uint64_t values() const { return valueCount; }
  /// What has a field: positions, or pieces.
  size_t fieldCount() const { return fields().size(); }
  /// The position that stands for each field.
  llvm::ArrayRef<int64_t> fields() const {
    return pieces ? llvm::ArrayRef<int64_t>(pieces->heads())
                  : llvm::ArrayRef<int64_t>(kept);
  }
  struct Place {
    unsigned word, shift;
  };
  Place placeOf(int64_t field) const { return places[size_t(field)]; }
  /// The position that stands for the field of a position, and all of its
  /// positions.
  int64_t fieldOf(int64_t position) const {
    return pieces ? pieces->headOf(position) : position;
  }
  llvm::SmallVector<int64_t> positionsOf(int64_t field) const;
  /// What a field of a row is in a key: nothing for what no start has.
  std::optional<uint64_t> codeOf(llvm::ArrayRef<uint64_t> row,
                                 int64_t field) const;
  /// Lets a field of a row hold what has a code; false where nothing has.
  bool hold(llvm::MutableArrayRef<uint64_t> row, int64_t field,
            uint64_t code) const;
  /// Every state has each value once. Starts may have the same number of
  /// values together and repeat some.
  bool haveEachValueOnce() const;
  /// Word 0 of a state may be all ones.
  bool mayBeAllOnes() const;
  /// How many ways there are to arrange what a state holds, where it only
  /// moves; else what the fields could hold.
  double mostStates() const;

  /// Bits of each word that tell states apart.
  llvm::SmallVector<int64_t> keyBits() const;
  /// The words of a state.
  llvm::SmallVector<uint64_t> pack(llvm::ArrayRef<uint64_t> row) const;
  /// The same where states are halved; nothing for one that is left to its
  /// image.
  std::optional<llvm::SmallVector<uint64_t>>
  packHalf(const BfsLoop::Row &row) const;
  /// The words of the neighbour along a generator.
  llvm::SmallVector<mlir::Value> neighbour(WordOps &ops, mlir::ValueRange state,
                                           size_t generator) const;
  /// A generator as bytes: for each field of a neighbour the shift and the
  /// word (times 64) that it comes from, behind them the shift of the
  /// generator's bit that leads back. Only for few words whose fields just
  /// move.
  llvm::SmallVector<uint64_t> bytes(size_t generator) const;
  bool haveBytes() const { return isPermutation && !pieces && wordCount <= 4; }
  using ByteOf = llvm::function_ref<mlir::Value(size_t)>;
  /// The words of the neighbour along the generator whose bytes `byte` gives.
  llvm::SmallVector<mlir::Value> neighbour(WordOps &ops, mlir::ValueRange state,
                                           ByteOf byte) const;
  /// The same with `back`, the bit of the generator that leads back; all ones
  /// in word 0 where this one leads back itself.
  llvm::SmallVector<mlir::Value> onward(WordOps &ops, mlir::ValueRange state,
                                        ByteOf byte, mlir::Value back) const;
  /// The bit of a generator.
  uint64_t bitOf(size_t generator) const {
    return uint64_t(1) << (*backBit + generator);
  }
  /// The first bit of the last word behind those of all generators.
  unsigned ownBit() const { return *backBit + unsigned(growth.generators); }
  /// How many ops neighbour() has for all generators together.
  int64_t cost() const;
  /// The same with the bit of `back`, the generator that leads back; all ones
  /// in word 0 where `generator` leads back itself.
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
  /// The generator that does to images what one does to states.
  size_t imageOf(size_t generator) const {
    return size_t(symmetry->generators[generator]);
  }
  /// 1 for states of the list that are their own images, else 0.
  mlir::Value isOwnImage(WordOps &ops, mlir::ValueRange state) const;
  /// How many ops imageOf() has.
  int64_t imageCost() const;

private:
  bool chooseWords(bool withBackBits);
  bool nameValues();
  /// The fields with a piece of `size` positions that a generator turns `turn`
  /// times: last bits of those of one word.
  uint64_t turned(size_t generator, unsigned word, unsigned size,
                  unsigned turn) const;
  mlir::Value turn(WordOps &ops, mlir::Value word, size_t generator,
                   unsigned number) const;
  /// The word that fields move to, that they come from, the distance to the
  /// left, and the fields that move so, as bits.
  using Moves = std::map<std::tuple<unsigned, unsigned, int>, uint64_t>;
  template <typename From> Moves movesOf(From from) const;
  llvm::SmallVector<mlir::Value> moved(WordOps &ops, mlir::ValueRange state,
                                       const Moves &moves) const;
  /// How imageOf() moves fields: of states as they are, or of states whose
  /// slots are in reverse, which takes so many steps.
  struct ImageMoves {
    Moves moves;
    unsigned steps = 0;
  };
  ImageMoves imageMoves() const;
  mlir::Value element(WordOps &ops, mlir::ValueRange state,
                      int64_t formula) const;

  const BfsLoop &growth;
  const GraphSymmetry *symmetry;
  const StatePieces *pieces;
  unsigned freeBits; ///< behind bits that lead back
  bool isPermutation;
  llvm::SmallVector<int64_t> kept;
  std::map<uint64_t, uint64_t> codes; ///< of values that only move
  uint64_t valueCount = 0;
  unsigned fieldBits = 1, wordCount = 1;
  /// With a symmetry, codes with so many leading ones are their own images;
  /// others trade their last bit. Nothing: all are their own.
  std::optional<unsigned> leadingOnes;
  std::optional<unsigned> backBit; ///< of generator 0, in the last word
  std::vector<Place> places;       ///< by position; of kept ones
};

} // namespace zenith::search

#endif // ZENITH_PASSES_SEARCH_STATES_STATEKEYS_H
