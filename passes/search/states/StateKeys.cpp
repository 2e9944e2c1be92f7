// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits neighbours with one shift and one mask per distance that fields move.

#include "passes/search/states/StateKeys.h"
#include <set>

using namespace mlir;
using namespace zenith::graph;

namespace zenith::search {

/// Ops that move fields by one distance, and that swap halves to reverse
/// fields.
static constexpr int64_t opsOfMove = 3, opsOfStep = 5;

Value WordOps::number(uint64_t value) {
  Value &known = numbers[value];
  if (known)
    return known;
  auto scalar = RankedTensorType::get({}, builder.getIntegerType(64, false));
  if (!size)
    size = builder.create<DimOp>(location, like, uint64_t(0));
  Value constant = builder.create<ConstantOp>(
      location, DenseElementsAttr::get(scalar, APInt(64, value)));
  known = builder.create<BroadcastOp>(location, wordListType(builder), constant,
                                      ArrayRef<int64_t>{}, ValueRange(size));
  return known;
}

static uint64_t lowBits(unsigned count) {
  return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
}

/// The value of a formula.
Value StateKeys::element(WordOps &ops, ValueRange state,
                         int64_t formula) const {
  const Formula &f = (*bfs.formulas)[formula];
  switch (f.kind) {
  case Formula::Element:
    return ops.both(
        ops.shiftRight(state[bitFields[f.left].word], bitFields[f.left].shift),
        lowBits(fieldBits));
  case Formula::Number:
    return ops.number(uint64_t(f.left));
  case Formula::Add:
    return ops.add(element(ops, state, f.left), element(ops, state, f.right));
  case Formula::Mul:
    return ops.multiply(element(ops, state, f.left),
                        element(ops, state, f.right));
  case Formula::Rem:
    return ops.remainder(element(ops, state, f.left), uint64_t(f.right));
  }
  return {};
}

/// The moves of fields, with `from` the source of each position; fields without
/// a source become 0. Fields that move by one distance share a shift and a
/// mask.
template <typename From> StateKeys::Moves StateKeys::movesOf(From from) const {
  Moves moves;
  for (int64_t position : fields())
    if (std::optional<BitField> place = from(position)) {
      BitField to = bitFields[position];
      moves[{to.word, place->word, int(to.shift) - int(place->shift)}] |=
          lowBits(fieldBits) << to.shift;
    }
  return moves;
}

SmallVector<Value> StateKeys::moved(WordOps &ops, ValueRange state,
                                    const Moves &moves) const {
  SmallVector<Value> words(wordCount);
  for (const auto &[move, filled] : moves) {
    auto [to, origin, distance] = move;
    Value shifted = distance >= 0
                        ? ops.shiftLeft(state[origin], unsigned(distance))
                        : ops.shiftRight(state[origin], unsigned(-distance));
    words[to] = ops.either(words[to], ops.both(shifted, filled));
  }
  return words;
}

SmallVector<Value> StateKeys::neighbour(WordOps &ops, ValueRange state,
                                        size_t generator) const {
  const std::vector<int64_t> &neighbour = bfs.neighbours[generator];
  auto movesFrom = [&](int64_t position) -> std::optional<BitField> {
    const Formula &formula = (*bfs.formulas)[neighbour[position]];
    if (formula.kind != Formula::Element)
      return std::nullopt;
    return bitFields[cubies ? cubies->headOf(formula.left) : formula.left];
  };
  SmallVector<Value> words = moved(ops, state, movesOf(movesFrom));
  if (cubies)
    for (unsigned word = 0; word < wordCount; ++word)
      words[word] = turn(ops, words[word], generator, word);
  for (int64_t position : fields())
    if (!movesFrom(position)) {
      BitField to = bitFields[position];
      words[to.word] = ops.either(
          words[to.word],
          ops.shiftLeft(element(ops, state, neighbour[position]), to.shift));
    }
  for (Value &word : words)
    if (!word)
      word = ops.number(0);
  return words;
}

uint64_t StateKeys::turned(size_t generator, unsigned word, unsigned size,
                           unsigned turn) const {
  uint64_t lastBits = 0;
  for (int64_t head : fields()) {
    int64_t formula = bfs.neighbours[generator][head];
    if (bitFields[head].word == word && cubies->sizeOf(head) == size &&
        cubies->turnOf((*bfs.formulas)[formula].left) == turn)
      lastBits |= uint64_t(1) << bitFields[head].shift;
  }
  return lastBits;
}

/// Adds turns to the cubies of a word after they have moved. For rotations 0,
/// 1, 2 in two bits, the low bit of the next is set where both bits were 0, and
/// its high bit is the low bit before; two turns do the same with the bits
/// exchanged.
Value StateKeys::turn(WordOps &ops, Value word, size_t generator,
                      unsigned number) const {
  uint64_t swapped = turned(generator, number, 2, 1),
           once = turned(generator, number, 3, 1),
           twice = turned(generator, number, 3, 2), both = once | twice;
  Value result = word;
  if (both) {
    Value last = ops.both(word, both),
          first = ops.both(ops.shiftRight(word, 1), both);
    Value neither = ops.differ(ops.either(last, first), ops.number(both));
    Value newLast, newFirst;
    if (once) {
      newLast = ops.both(neither, once);
      newFirst = ops.both(last, once);
    }
    if (twice) {
      newLast = ops.either(newLast, ops.both(first, twice));
      newFirst = ops.either(newFirst, ops.both(neither, twice));
    }
    result = ops.either(ops.both(word, ~(both | both << 1)), newLast);
    result = ops.either(result, ops.shiftLeft(newFirst, 1));
  }
  return swapped ? ops.differ(result, ops.number(swapped)) : result;
}

SmallVector<uint64_t> StateKeys::bytes(size_t generator) const {
  SmallVector<uint64_t> result;
  for (int64_t position : kept) {
    int64_t formula = bfs.neighbours[generator][position];
    BitField from = bitFields[(*bfs.formulas)[formula].left];
    result.push_back(from.word << 6 | from.shift);
  }
  if (inverseMaskBit)
    result.push_back(*inverseMaskBit + generator);
  return result;
}

SmallVector<Value> StateKeys::neighbour(WordOps &ops, ValueRange state,
                                        ByteOf byte) const {
  SmallVector<Value> words(wordCount);
  for (auto [number, position] : llvm::enumerate(kept)) {
    Value shift = byte(number), from = state[0];
    if (wordCount > 1) {
      Value word = ops.shiftRight(shift, 6);
      shift = ops.both(shift, 63);
      for (unsigned other = 1; other < wordCount; ++other)
        from = ops.selectWhere(word, other, state[other], from);
    }
    BitField to = bitFields[position];
    Value field = ops.both(ops.shiftRight(from, shift), lowBits(fieldBits));
    words[to.word] = ops.either(words[to.word], ops.shiftLeft(field, to.shift));
  }
  return words;
}

/// All ones where the bit at `shift` is set, since 0 - 1 is all ones.
static Value onesWhere(WordOps &ops, Value state, Value shift) {
  Value bit = ops.both(ops.shiftRight(state, shift), 1);
  return ops.subtract(ops.number(0), bit);
}

SmallVector<Value> StateKeys::onward(WordOps &ops, ValueRange state,
                                     ByteOf byte, Value back) const {
  SmallVector<Value> words = neighbour(ops, state, byte);
  words.back() = ops.either(words.back(), back);
  words.front() = ops.either(words.front(),
                             onesWhere(ops, state.back(), byte(kept.size())));
  return words;
}

int64_t StateKeys::cost() const {
  int64_t count = 0;
  for (const auto &[generator, neighbour] : llvm::enumerate(bfs.neighbours)) {
    std::set<std::tuple<unsigned, unsigned, int>> moves;
    for (int64_t position : fields()) {
      const Formula &formula = (*bfs.formulas)[neighbour[position]];
      constexpr int64_t opsOfFormula = 8;
      if (formula.kind != Formula::Element) {
        count += opsOfFormula;
        continue;
      }
      BitField to = bitFields[position],
               from = bitFields[cubies ? cubies->headOf(formula.left)
                                       : formula.left];
      moves.insert({to.word, from.word, int(to.shift) - int(from.shift)});
    }
    constexpr int64_t opsOfTurn = 10;
    count += int64_t(moves.size()) * opsOfMove;
    for (unsigned word = 0; cubies && word < wordCount; ++word)
      count += (turned(generator, word, 3, 1) | turned(generator, word, 3, 2))
                   ? opsOfTurn
                   : 0;
  }
  return count;
}

SmallVector<Value> StateKeys::onward(WordOps &ops, ValueRange state,
                                     size_t generator, size_t back) const {
  SmallVector<Value> words = neighbour(ops, state, generator);
  words.back() = ops.either(words.back(), ops.number(bitOf(back)));
  Value own = ops.number(*inverseMaskBit + generator);
  words.front() = ops.either(words.front(), onesWhere(ops, state.back(), own));
  return words;
}

std::optional<SmallVector<uint64_t>>
StateKeys::packHalf(const BfsLoop::Row &row) const {
  SmallVector<uint64_t> words = pack(row), image = pack(symmetry->imageOf(row));
  if (image < words)
    return std::nullopt;
  if (image == words)
    words.back() |= uint64_t(1) << ownBit();
  return words;
}

/// In a mirrored list each field has a distance of its own; after a reversal by
/// halves, quarters and so on there are few distances.
StateKeys::ImageMoves StateKeys::imageMoves() const {
  auto origin = [&](int64_t position) {
    return bitFields[symmetry->positions[size_t(position)]];
  };
  ImageMoves image{movesOf([&](int64_t position) -> std::optional<BitField> {
    return origin(position);
  })};
  unsigned size = unsigned(llvm::PowerOf2Ceil(fieldCount())),
           steps = llvm::Log2_32(size);
  if (wordCount > 1 || !llvm::isPowerOf2_32(fieldBits) || size * fieldBits > 64)
    return image;
  Moves reversed = movesOf([&](int64_t position) -> std::optional<BitField> {
    return BitField{0, (size - 1) * fieldBits - origin(position).shift};
  });
  if (steps * opsOfStep + int64_t(reversed.size()) * opsOfMove <
      int64_t(image.moves.size()) * opsOfMove)
    return {std::move(reversed), steps};
  return image;
}

/// The word with its 2^steps fields of `bits` each in reverse order.
static Value reverseSlots(WordOps &ops, Value word, unsigned bits,
                          unsigned steps) {
  unsigned width = bits << steps;
  for (unsigned half = width / 2; half >= bits; half /= 2) {
    uint64_t lower = 0;
    for (unsigned at = 0; at < width; at += 2 * half)
      lower |= lowBits(half) << at;
    word = ops.either(ops.both(ops.shiftRight(word, half), lower),
                      ops.shiftLeft(ops.both(word, lower), half));
  }
  return word;
}

SmallVector<Value> StateKeys::imageOf(WordOps &ops, ValueRange state) const {
  ImageMoves image = imageMoves();
  SmallVector<Value> origins(state);
  if (image.steps > 0)
    origins[0] = reverseSlots(ops, origins[0], fieldBits, image.steps);
  SmallVector<Value> words = moved(ops, origins, image.moves);
  if (!leadingOnes)
    return words;
  for (auto [number, word] : llvm::enumerate(words)) {
    uint64_t lastBits = 0;
    for (int64_t position : kept)
      if (bitFields[position].word == number)
        lastBits |= uint64_t(1) << bitFields[position].shift;
    Value traded = ops.number(lastBits), ones;
    for (unsigned bit = 1; bit <= *leadingOnes; ++bit) {
      Value leading = ops.shiftRight(word, fieldBits - bit);
      ones = ones ? ops.both(ones, leading) : leading;
    }
    if (ones)
      traded = ops.differ(traded, ops.both(ones, lastBits));
    word = ops.differ(word, traded);
  }
  return words;
}

StateKeys::Half StateKeys::neighbourHalf(WordOps &ops, ValueRange state,
                                         ValueRange image,
                                         size_t generator) const {
  SmallVector<Value> words = neighbour(ops, state, generator),
                     others =
                         neighbour(ops, image, symmetry->generators[generator]);
  Value isLess, isSame;
  for (size_t word = wordCount; word-- > 0;) {
    Value less = ops.isLess(others[word], words[word]),
          same = ops.isSame(others[word], words[word]);
    isLess = isLess ? ops.either(less, ops.both(same, isLess)) : less;
    isSame = isSame ? ops.both(same, isSame) : same;
  }
  for (auto [word, other] : llvm::zip(words, others))
    word = ops.select(isLess, other, word);
  return {std::move(words), isLess, isSame};
}

SmallVector<Value> StateKeys::onwardHalf(WordOps &ops, ValueRange state,
                                         ValueRange image, size_t generator,
                                         size_t back) const {
  auto [words, isLess, isSame] = neighbourHalf(ops, state, image, generator);
  // A state that is its own image has both inverse generators in its mask.
  uint64_t bit = bitOf(back), imageBit = bitOf(symmetry->generators[back]);
  Value bits = ops.number(bit);
  if (bit != imageBit)
    bits = ops.select(isLess, ops.number(imageBit), bits);
  bits = ops.select(isSame,
                    ops.number(bit | imageBit | uint64_t(1) << ownBit()), bits);
  words.back() = ops.either(words.back(), bits);
  Value own = ops.number(*inverseMaskBit + generator);
  words.front() = ops.either(words.front(), onesWhere(ops, state.back(), own));
  return words;
}

Value StateKeys::isOwnImage(WordOps &ops, ValueRange state) const {
  return ops.both(ops.shiftRight(state.back(), ownBit()), 1);
}

int64_t StateKeys::imageCost() const {
  ImageMoves image = imageMoves();
  constexpr int64_t opsOfCodes = 4;
  return int64_t(image.moves.size()) * opsOfMove + image.steps * opsOfStep +
         wordCount * opsOfCodes;
}

} // namespace zenith::search
