// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// graph.random_bits as integer arithmetic on counters: which word of which
// counter is which element.

#include "ir/matchers/ValueBuilders.h"
#include "ir/random/RandomWords.h"

using namespace mlir;

namespace zenith::graph {

using Words = WordBuilder::Words;

namespace {

struct RandomResult {
  Value state; ///< words of the state after the key, one tensor
  Value bits;  ///< ui32 or ui64
};

} // namespace

/// `values` along a new dimension `dim`, which is then merged with the one
/// before.
static Value interleaved(WordBuilder &w, ArrayRef<Value> values, unsigned dim) {
  SmallVector<int64_t> apart(w.shape), together(w.shape);
  apart.insert(apart.begin() + dim, 1);
  SmallVector<Value> parts;
  for (Value value : values)
    parts.push_back(reshaped(w.b, w.loc, value, apart));
  Value joined = w.b.create<ConcatOp>(w.loc, uint64_t(dim), parts);
  together[dim - 1] *= int64_t(values.size());
  return reshaped(w.b, w.loc, joined, together);
}

/// The first part of `value` that has `shape`.
static Value firstPart(WordBuilder &w, Value value, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  SmallVector<int64_t> zeros(shape.size(), 0), ones(shape.size(), 1);
  return w.b.create<SliceOp>(w.loc, type.clone(shape), value, ValueRange{},
                             ValueRange{}, w.b.getDenseI64ArrayAttr(zeros),
                             w.b.getDenseI64ArrayAttr(shape),
                             w.b.getDenseI64ArrayAttr(ones));
}

/// The two words of a counter are neighbours along the first even dimension, or
/// along the first of the largest dimensions where all are odd.
static unsigned splitDim(ArrayRef<int64_t> shape) {
  for (auto [dim, size] : llvm::enumerate(shape))
    if (size % 2 == 0)
      return dim;
  return std::max_element(shape.begin(), shape.end()) - shape.begin();
}

static Words counterWords(WordBuilder &w, Value state) {
  auto [low, high] = w.halves(w.add(w.elementOf(state, 1), w.places(64)));
  return {low, high};
}

static RandomResult threefryBits(OpBuilder &builder, RandomBitsOp op,
                                 unsigned width) {
  auto type = cast<RankedTensorType>(op.getBits().getType());
  SmallVector<int64_t> shape(type.getShape()), half(shape);
  unsigned dim = 0;
  if (width == 32 && shape.empty()) {
    half = {1};
  } else if (width == 32) {
    dim = splitDim(shape);
    half[dim] = (shape[dim] + 1) / 2;
  }
  WordBuilder w(builder, op.getLoc(), half);
  auto [keyLow, keyHigh] = w.halves(w.elementOf(op.getState(), 0));
  Words words = w.threefry(counterWords(w, op.getState()), keyLow, keyHigh);
  Value bits;
  if (width == 64)
    bits = w.joined(words[0], words[1]);
  else if (shape.empty())
    bits = reshaped(builder, op.getLoc(), words[0], shape);
  else
    bits = firstPart(w, interleaved(w, words, dim + 1), shape);
  WordBuilder one(builder, op.getLoc(), {1});
  Value next = one.add(one.elementOf(op.getState(), 1),
                       one.number(64, ShapedType::getNumElements(half)));
  return {next, bits};
}

static RandomResult philoxBits(OpBuilder &builder, RandomBitsOp op,
                               unsigned width) {
  auto type = cast<RankedTensorType>(op.getBits().getType());
  int64_t count = type.getNumElements(), perCounter = width == 64 ? 2 : 4,
          counters = (count + perCounter - 1) / perCounter;
  // Without a key word of its own the key is the upper half of the counter.
  bool wide = cast<RankedTensorType>(op.getState().getType()).getDimSize(0) > 2;
  WordBuilder w(builder, op.getLoc(), {counters});
  Value key = w.elementOf(op.getState(), 0);
  Value low = w.elementOf(op.getState(), 1);
  Value high = wide ? w.elementOf(op.getState(), 2) : key;
  std::tie(low, high) = w.sum128(low, high, w.places(64));
  auto [x0, x1] = w.halves(low);
  auto [x2, x3] = w.halves(high);
  auto [keyLow, keyHigh] = w.halves(key);
  Words words = w.philox({x0, x1, x2, x3}, keyLow, keyHigh);
  if (width == 64)
    words = {w.joined(words[0], words[1]), w.joined(words[2], words[3])};
  Value flat = firstPart(w, interleaved(w, words, 1), {count});
  WordBuilder one(builder, op.getLoc(), {1});
  Value oldLow = one.elementOf(op.getState(), 1);
  Value oldHigh = one.elementOf(op.getState(), wide ? 2 : 0);
  auto [newLow, newHigh] =
      one.sum128(oldLow, oldHigh, one.number(64, counters));
  Value next = newLow;
  if (wide)
    next = builder.create<ConcatOp>(op.getLoc(), uint64_t(0),
                                    ValueRange{newLow, newHigh});
  return {next, reshaped(builder, op.getLoc(), flat, type.getShape())};
}

std::pair<Value, Value> randomBitsFormula(OpBuilder &builder, RandomBitsOp op) {
  auto type = cast<RankedTensorType>(op.getBits().getType());
  unsigned width = type.getElementTypeBitWidth() == 64 ? 64 : 32;
  RandomResult result = op.getAlgorithm() == RandomKind::threefry
                            ? threefryBits(builder, op, width)
                            : philoxBits(builder, op, width);
  WordBuilder one(builder, op.getLoc(), {1});
  Value state = builder.create<ConcatOp>(
      op.getLoc(), uint64_t(0),
      ValueRange{one.elementOf(op.getState(), 0), result.state});
  return {state, converted(builder, result.bits, type.getElementType())};
}

} // namespace zenith::graph
