// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes random bits as integer arithmetic on counters: Threefry-2x32 with 20
// rounds and Philox-4x32 with 10, in the order of XLA's RngBitGenerator.

#include "ir/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_DECOMPOSERANDOMPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::expand {
namespace {

/// Builds unsigned arithmetic on tensors of one static shape.
class WordBuilder {
public:
  WordBuilder(OpBuilder &builder, Location loc, ArrayRef<int64_t> shape)
      : b(builder), loc(loc), shape(shape) {}

  RankedTensorType type(unsigned width) const {
    return RankedTensorType::get(
        shape, IntegerType::get(b.getContext(), width, IntegerType::Unsigned));
  }
  Value number(unsigned width, uint64_t value) {
    return b.create<ConstantOp>(loc, cast<ElementsAttr>(DenseElementsAttr::get(
                                         type(width), APInt(width, value))));
  }
  template <typename Op> Value make(Value lhs, Value rhs) {
    return b.create<Op>(loc, lhs.getType(), lhs, rhs);
  }
  Value add(Value lhs, Value rhs) { return make<AddOp>(lhs, rhs); }
  Value exclusive(Value lhs, Value rhs) { return make<XorOp>(lhs, rhs); }
  Value convert(Value value, unsigned width) {
    return b.create<ConvertOp>(loc, type(width), value);
  }
  /// The lower and the upper half of 64 bits.
  std::pair<Value, Value> halves(Value value) {
    Value upper = make<ShiftRightLogicalOp>(value, number(64, 32));
    return {convert(value, 32), convert(upper, 32)};
  }
  Value joined(Value low, Value high) {
    Value upper = make<ShiftLeftOp>(convert(high, 64), number(64, 32));
    return make<OrOp>(convert(low, 64), upper);
  }
  Value rotatedLeft(Value value, unsigned amount) {
    return make<OrOp>(
        make<ShiftLeftOp>(value, number(32, amount)),
        make<ShiftRightLogicalOp>(value, number(32, 32 - amount)));
  }
  /// Element `index` of the state, everywhere.
  Value stateWord(Value state, int64_t index) {
    auto one = RankedTensorType::get({}, type(64).getElementType());
    Value word = b.create<SliceOp>(
        loc, RankedTensorType::get({1}, one.getElementType()), state,
        ValueRange{}, ValueRange{}, b.getDenseI64ArrayAttr({index}),
        b.getDenseI64ArrayAttr({1}), b.getDenseI64ArrayAttr({1}));
    Value scalar = b.create<ReshapeOp>(loc, one, word, ValueRange{});
    if (shape.empty())
      return scalar;
    return b.create<BroadcastOp>(loc, type(64), scalar, ArrayRef<int64_t>{},
                                 ValueRange{});
  }
  /// The row-major index of each element.
  Value places() {
    int64_t count = ShapedType::getNumElements(shape);
    auto flat = RankedTensorType::get({count}, type(64).getElementType());
    Value iota = b.create<IotaOp>(loc, flat, 0, ValueRange{});
    return shaped(iota, shape);
  }
  Value shaped(Value value, ArrayRef<int64_t> newShape) {
    auto from = cast<RankedTensorType>(value.getType());
    if (from.getShape() == newShape)
      return value;
    return b.create<ReshapeOp>(loc, from.clone(newShape), value, ValueRange{});
  }

  OpBuilder &b;
  Location loc;
  SmallVector<int64_t> shape;
};

struct RandomResult {
  Value state; ///< words of the state after the key, one tensor
  Value bits;  ///< ui32 or ui64
};

} // namespace

using Words = SmallVector<Value, 4>;

/// Five groups of four rounds, a word of the key after each.
static Words threefry(WordBuilder &w, Words x, Value keyLow, Value keyHigh) {
  static constexpr unsigned rotations[2][4] = {{13, 15, 26, 6},
                                               {17, 29, 16, 24}};
  Value third =
      w.exclusive(w.exclusive(keyLow, keyHigh), w.number(32, 0x1BD11BDAu));
  Value keys[3] = {keyLow, keyHigh, third};
  x = {w.add(x[0], keys[0]), w.add(x[1], keys[1])};
  for (unsigned group = 0; group < 5; ++group) {
    for (unsigned rotation : rotations[group % 2]) {
      x[0] = w.add(x[0], x[1]);
      x[1] = w.exclusive(w.rotatedLeft(x[1], rotation), x[0]);
    }
    x[0] = w.add(x[0], keys[(group + 1) % 3]);
    x[1] = w.add(w.add(x[1], keys[(group + 2) % 3]), w.number(32, group + 1));
  }
  return x;
}

static Words philox(WordBuilder &w, Words x, Value keyLow, Value keyHigh) {
  for (unsigned round = 0; round < 10; ++round) {
    auto product = [&](Value word, uint32_t factor) {
      return w.halves(w.make<MulOp>(w.convert(word, 64), w.number(64, factor)));
    };
    auto [firstLow, firstHigh] = product(x[0], 0xD2511F53u);
    auto [secondLow, secondHigh] = product(x[2], 0xCD9E8D57u);
    x = {w.exclusive(w.exclusive(secondHigh, x[1]), keyLow), secondLow,
         w.exclusive(w.exclusive(firstHigh, x[3]), keyHigh), firstLow};
    keyLow = w.add(keyLow, w.number(32, 0x9E3779B9u));
    keyHigh = w.add(keyHigh, w.number(32, 0xBB67AE85u));
  }
  return x;
}

/// `values` along a new dimension `dim`, which is then merged with the one
/// before.
static Value interleaved(WordBuilder &w, ArrayRef<Value> values, unsigned dim) {
  SmallVector<int64_t> apart(w.shape), together(w.shape);
  apart.insert(apart.begin() + dim, 1);
  SmallVector<Value> parts;
  for (Value value : values)
    parts.push_back(w.shaped(value, apart));
  Value joined = w.b.create<ConcatOp>(w.loc, uint64_t(dim), parts);
  together[dim - 1] *= int64_t(values.size());
  return w.shaped(joined, together);
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
  auto [low, high] = w.halves(w.add(w.stateWord(state, 1), w.places()));
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
  auto [keyLow, keyHigh] = w.halves(w.stateWord(op.getState(), 0));
  Words words = threefry(w, counterWords(w, op.getState()), keyLow, keyHigh);
  Value bits;
  if (width == 64)
    bits = w.joined(words[0], words[1]);
  else if (shape.empty())
    bits = w.shaped(words[0], shape);
  else
    bits = firstPart(w, interleaved(w, words, dim + 1), shape);
  WordBuilder one(builder, op.getLoc(), {1});
  Value next = one.add(one.stateWord(op.getState(), 1),
                       one.number(64, ShapedType::getNumElements(half)));
  return {next, bits};
}

/// Adds a 64-bit integer to a 128-bit one of two words, with carry.
static std::pair<Value, Value> sumOf(WordBuilder &w, Value low, Value high,
                                     Value steps) {
  Value sum = w.add(low, steps);
  auto boolean =
      RankedTensorType::get(w.shape, IntegerType::get(w.b.getContext(), 1));
  Value carries =
      w.b.create<CompareOp>(w.loc, boolean, CompareDirection::lt, sum, low);
  return {sum, w.add(high, w.convert(carries, 64))};
}

static RandomResult philoxBits(OpBuilder &builder, RandomBitsOp op,
                               unsigned width) {
  auto type = cast<RankedTensorType>(op.getBits().getType());
  int64_t count = type.getNumElements(), perCounter = width == 64 ? 2 : 4,
          counters = (count + perCounter - 1) / perCounter;
  // Without a key word of its own the key is the upper half of the counter.
  bool wide = cast<RankedTensorType>(op.getState().getType()).getDimSize(0) > 2;
  WordBuilder w(builder, op.getLoc(), {counters});
  Value key = w.stateWord(op.getState(), 0);
  Value low = w.stateWord(op.getState(), 1);
  Value high = wide ? w.stateWord(op.getState(), 2) : key;
  std::tie(low, high) = sumOf(w, low, high, w.places());
  auto [x0, x1] = w.halves(low);
  auto [x2, x3] = w.halves(high);
  auto [keyLow, keyHigh] = w.halves(key);
  Words words = philox(w, {x0, x1, x2, x3}, keyLow, keyHigh);
  if (width == 64)
    words = {w.joined(words[0], words[1]), w.joined(words[2], words[3])};
  Value flat = firstPart(w, interleaved(w, words, 1), {count});
  WordBuilder one(builder, op.getLoc(), {1});
  Value oldLow = one.stateWord(op.getState(), 1);
  Value oldHigh = one.stateWord(op.getState(), wide ? 2 : 0);
  auto [newLow, newHigh] =
      sumOf(one, oldLow, oldHigh, one.number(64, counters));
  Value next = newLow;
  if (wide)
    next = builder.create<ConcatOp>(op.getLoc(), uint64_t(0),
                                    ValueRange{newLow, newHigh});
  return {next, w.shaped(flat, type.getShape())};
}

static void decompose(RandomBitsOp op) {
  OpBuilder builder(op);
  auto type = cast<RankedTensorType>(op.getBits().getType());
  unsigned width = type.getElementTypeBitWidth() == 64 ? 64 : 32;
  RandomResult result = op.getAlgorithm() == RandomKind::threefry
                            ? threefryBits(builder, op, width)
                            : philoxBits(builder, op, width);
  WordBuilder one(builder, op.getLoc(), {1});
  Value state = builder.create<ConcatOp>(
      op.getLoc(), uint64_t(0),
      ValueRange{one.stateWord(op.getState(), 0), result.state});
  if (result.bits.getType() != type)
    result.bits = builder.create<ConvertOp>(op.getLoc(), type, result.bits);
  op.getNewState().replaceAllUsesWith(state);
  op.getBits().replaceAllUsesWith(result.bits);
  op.erase();
}

namespace {

struct DecomposeRandomPass
    : impl::DecomposeRandomPassBase<DecomposeRandomPass> {
  using DecomposeRandomPassBase::DecomposeRandomPassBase;

  void runOnOperation() override {
    getOperation().walk([](RandomBitsOp op) { decompose(op); });
  }
};

} // namespace
} // namespace zenith::expand
