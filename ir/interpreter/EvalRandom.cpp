// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meaning of the Random family: bits as functions of a key and a counter, in
// the order of XLA's RngBitGenerator.

#include "ir/GraphOps.h"
#include "ir/interpreter/OpEvaluation.h"
#include "ir/interpreter/StridedCopy.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

namespace {
struct Words2 {
  uint32_t low, high;
};
struct Words4 {
  uint32_t word[4];
};
/// The counter of Philox: 128 bits.
struct Counter {
  uint64_t low, high;
  Counter plus(uint64_t steps) const {
    return {low + steps, high + (low + steps < low)};
  }
};
} // namespace

static Words2 wordsOf(uint64_t value) {
  return {uint32_t(value), uint32_t(value >> 32)};
}

static uint32_t rotateLeft(uint32_t value, unsigned amount) {
  return value << amount | value >> (32 - amount);
}

// Threefry-2x32 with 20 rounds: five groups of four, a key word after each.
static Words2 threefry(uint64_t counter, uint64_t key) {
  static constexpr unsigned rotations[2][4] = {{13, 15, 26, 6},
                                               {17, 29, 16, 24}};
  Words2 k = wordsOf(key), x = wordsOf(counter);
  const uint32_t keys[3] = {k.low, k.high, k.low ^ k.high ^ 0x1BD11BDAu};
  x.low += keys[0];
  x.high += keys[1];
  for (unsigned group = 0; group < 5; ++group) {
    for (unsigned rotation : rotations[group % 2]) {
      x.low += x.high;
      x.high = rotateLeft(x.high, rotation) ^ x.low;
    }
    x.low += keys[(group + 1) % 3];
    x.high += keys[(group + 2) % 3] + group + 1;
  }
  return x;
}

// Philox-4x32 with 10 rounds.
static Words4 philox(Counter counter, uint64_t key) {
  Words2 a = wordsOf(counter.low), b = wordsOf(counter.high), k = wordsOf(key);
  Words4 x{{a.low, a.high, b.low, b.high}};
  for (unsigned round = 0; round < 10; ++round) {
    uint64_t first = uint64_t(0xD2511F53u) * x.word[0];
    uint64_t second = uint64_t(0xCD9E8D57u) * x.word[2];
    x = {{uint32_t(second >> 32) ^ x.word[1] ^ k.low, uint32_t(second),
          uint32_t(first >> 32) ^ x.word[3] ^ k.high, uint32_t(first)}};
    k.low += 0x9E3779B9u;
    k.high += 0xBB67AE85u;
  }
  return x;
}

// Keeps the low bits of a word as element `index`.
static void storeBits(char *to, int64_t index, uint64_t bits, unsigned bytes) {
  std::memcpy(to + index * int64_t(bytes), &bits, bytes);
}

// Words of fewer than 64 bits: both words of a counter are neighbours along the
// first even dimension, or the first of the largest dimensions if all are odd
// (whose last word is dropped). Gives how many counters were used.
static uint64_t fillHalves(char *to, ArrayRef<int64_t> shape, unsigned bytes,
                           uint64_t counter, uint64_t key) {
  if (shape.empty()) {
    storeBits(to, 0, threefry(counter, key).low, bytes);
    return 1;
  }
  size_t split = 0;
  for (size_t i = 1; i < shape.size(); ++i)
    if (shape[i] > shape[split])
      split = i;
  for (size_t i = shape.size(); i-- > 0;)
    if (shape[i] % 2 == 0)
      split = i;
  int64_t size = shape[split], half = (size + 1) / 2, outer = 1, inner = 1;
  for (size_t i = 0; i < shape.size(); ++i)
    (i < split ? outer : inner) *= i == split ? 1 : shape[i];
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t h = 0; h < half; ++h)
      for (int64_t i = 0; i < inner; ++i) {
        Words2 words =
            threefry(counter + uint64_t((o * half + h) * inner + i), key);
        int64_t at = (o * size + 2 * h) * inner + i;
        storeBits(to, at, words.low, bytes);
        if (2 * h + 1 < size)
          storeBits(to, at + inner, words.high, bytes);
      }
  return uint64_t(outer * half * inner);
}

static uint64_t fillThreefry(Tensor &bits, uint64_t counter, uint64_t key) {
  unsigned bytes = elementBytes(bits.elementType());
  char *to = bits.writable();
  if (bytes < 8)
    return fillHalves(to, bits.shape(), bytes, counter, key);
  for (int64_t i = 0, count = bits.size(); i < count; ++i) {
    Words2 words = threefry(counter + uint64_t(i), key);
    storeBits(to, i, words.low | uint64_t(words.high) << 32, bytes);
  }
  return uint64_t(bits.size());
}

static uint64_t fillPhilox(Tensor &bits, Counter counter, uint64_t key) {
  unsigned bytes = elementBytes(bits.elementType());
  char *to = bits.writable();
  int64_t perCounter = bytes == 8 ? 2 : 4, count = bits.size();
  uint64_t used = 0;
  for (int64_t i = 0; i < count; i += perCounter, ++used) {
    Words4 x = philox(counter.plus(used), key);
    for (int64_t k = 0; k < perCounter && i + k < count; ++k)
      storeBits(to, i + k,
                bytes == 8 ? x.word[2 * k] | uint64_t(x.word[2 * k + 1]) << 32
                           : x.word[k],
                bytes);
  }
  return used;
}

Expected<Results> zenith::interpreter::evaluateRandom(const OpEvaluation &e) {
  auto op = dyn_cast<graph::RandomBitsOp>(e.op);
  if (!op)
    return e.fail("has no meaning in the interpreter", ErrorCode::Unsupported);
  Expected<Tensor> next = e.allocate(e.operand(0).shape(), 0);
  if (!next)
    return next.takeError();
  Expected<Tensor> bits = e.allocate(e.resultType(1).getShape(), 1);
  if (!bits)
    return bits.takeError();
  ArrayRef<uint64_t> state = elementsOf<uint64_t>(e.operand(0));
  MutableArrayRef<uint64_t> newState = writableElements<uint64_t>(*next);
  uint64_t key = state[0];
  newState[0] = key;
  if (op.getAlgorithm() == graph::RandomKind::threefry) {
    newState[1] = state[1] + fillThreefry(*bits, state[1], key);
  } else {
    // Without a word of its own the key is the counter's upper half.
    Counter counter{state[1], state.size() > 2 ? state[2] : key};
    counter = counter.plus(fillPhilox(*bits, counter, key));
    newState[1] = counter.low;
    if (newState.size() > 2)
      newState[2] = counter.high;
  }
  return Results{std::move(*next), std::move(*bits)};
}
