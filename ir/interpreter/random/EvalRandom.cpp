// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meaning of the Random family: bits as functions of a key and a counter, in
// the order of XLA's RngBitGenerator.

#include "ir/GraphOps.h"
#include "ir/interpreter/OpEvaluation.h"
#include "ir/interpreter/StridedCopy.h"
#include "ir/interpreter/random/CounterHash.h"
#include "ir/interpreter/random/EvalKeyed.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

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
    storeBits(to, 0, threefry(halvesOf(counter), halvesOf(key)).first, bytes);
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
        uint64_t place = counter + uint64_t((o * half + h) * inner + i);
        Words2 words = threefry(halvesOf(place), halvesOf(key));
        int64_t at = (o * size + 2 * h) * inner + i;
        storeBits(to, at, words.first, bytes);
        if (2 * h + 1 < size)
          storeBits(to, at + inner, words.second, bytes);
      }
  return uint64_t(outer * half * inner);
}

static uint64_t fillThreefry(Tensor &bits, uint64_t counter, uint64_t key) {
  unsigned bytes = elementBytes(bits.elementType());
  char *to = bits.writable();
  if (bytes < 8)
    return fillHalves(to, bits.shape(), bytes, counter, key);
  for (int64_t i = 0, count = bits.size(); i < count; ++i) {
    Words2 words = threefry(halvesOf(counter + uint64_t(i)), halvesOf(key));
    storeBits(to, i, words.first | uint64_t(words.second) << 32, bytes);
  }
  return uint64_t(bits.size());
}

Expected<Results> zenith::interpreter::evaluateRandom(const OpEvaluation &e) {
  auto op = dyn_cast<graph::RandomBitsOp>(e.op);
  if (!op) {
    Expected<Tensor> result = evaluateKeyed(e);
    if (!result)
      return result.takeError();
    return Results{std::move(*result)};
  }
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
