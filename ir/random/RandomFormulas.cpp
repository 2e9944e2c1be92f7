// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys, uniform and normal numbers, permutations, categories and dropout
// spelled out.

#include "ir/random/RandomFormulas.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "ir/random/RandomWords.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zenith::graph {

using Words = WordBuilder::Words;

static int64_t wordsOf(Value key) { return typeOf(key).getDimSize(0); }

/// Threefry of a counter of two words with words `first` and `first` + 1 of a
/// key.
static Words hashed(WordBuilder &w, Value key, int64_t first, Words counter) {
  return w.threefry(std::move(counter), w.elementOf(key, first),
                    w.elementOf(key, first + 1));
}

/// The row-major index as two words, the most significant first.
static Words counterOf(WordBuilder &w) {
  bool isShort = !ShapedType::isDynamicShape(w.shape) &&
                 ShapedType::getNumElements(w.shape) <= int64_t(UINT32_MAX);
  if (isShort)
    return {w.number(32, 0), w.places(32)};
  auto [low, high] = w.halves(w.places(64));
  return {high, low};
}

/// `values`, each with a new last dimension of size 1, joined along it.
static Value stacked(WordBuilder &w, ArrayRef<Value> values) {
  SmallVector<int64_t> apart(w.shape);
  apart.push_back(1);
  SmallVector<Value> columns;
  for (Value value : values)
    columns.push_back(reshaped(w.b, w.loc, value, apart));
  return w.b.create<ConcatOp>(w.loc, uint64_t(w.shape.size()), columns);
}

/// A key of each counter in `w`: each half of a key of four words is a key of
/// two.
static Value keysOf(WordBuilder &w, Value key, const Words &counter) {
  Words words;
  for (int64_t half = 0; half < wordsOf(key); half += 2)
    words.append(hashed(w, key, half, counter));
  return stacked(w, words);
}

static Value splitKey(OpBuilder &b, Location loc, Value key, int64_t count) {
  WordBuilder w(b, loc, {count});
  return keysOf(w, key, counterOf(w));
}

static Value foldIn(OpBuilder &b, FoldInOp op) {
  WordBuilder w(b, op.getLoc(), {});
  return keysOf(w, op.getKey(), {w.number(32, 0), w.convert(op.getData(), 32)});
}

/// Row `index` of a matrix of keys.
static Value keyAt(OpBuilder &b, Location loc, Value keys, int64_t index) {
  int64_t words = typeOf(keys).getDimSize(1);
  Value row = b.create<SliceOp>(
      loc, typeOf(keys).clone({1, words}), keys, ValueRange{}, ValueRange{},
      b.getDenseI64ArrayAttr({index, 0}), b.getDenseI64ArrayAttr({1, words}),
      b.getDenseI64ArrayAttr({1, 1}));
  return reshaped(b, loc, row, {words});
}

/// The words of Philox for each element of a dynamic shape: each one computes
/// its whole counter.
static Value philoxWord(WordBuilder &w, Value key, unsigned width) {
  unsigned perCounter = width == 64 ? 2 : 4;
  Value place = w.places(64);
  Value counter =
      w.make<ShiftRightLogicalOp>(place, w.number(64, width == 64 ? 1 : 2));
  Value high = w.joined(w.elementOf(key, 0), w.elementOf(key, 1));
  auto [low, upper] = w.sum128(
      w.joined(w.elementOf(key, 2), w.elementOf(key, 3)), high, counter);
  auto [x0, x1] = w.halves(low);
  auto [x2, x3] = w.halves(upper);
  Words words =
      w.philox({x0, x1, x2, x3}, w.elementOf(key, 0), w.elementOf(key, 1));
  if (width == 64)
    words = {w.joined(words[0], words[1]), w.joined(words[2], words[3])};
  Value which = w.make<AndOp>(place, w.number(64, perCounter - 1));
  Value result = words[0];
  for (unsigned i = 1; i < perCounter; ++i) {
    Value isThis =
        w.b.create<CompareOp>(w.loc, w.type(w.b.getI1Type()),
                              CompareDirection::eq, which, w.number(64, i));
    result = w.b.create<SelectOp>(w.loc, isThis, words[i], result);
  }
  return result;
}

/// Philox in the order of graph.random_bits, the key's bits being its state.
static Value philoxBits(WordBuilder &w, Value key, unsigned width) {
  if (ShapedType::isDynamicShape(w.shape))
    return w.convert(philoxWord(w, key, width), width);
  WordBuilder one(w.b, w.loc, {1});
  SmallVector<Value> words;
  for (int64_t i = 0; i < 4; i += 2)
    words.push_back(
        one.joined(one.elementOf(key, i), one.elementOf(key, i + 1)));
  Value state = w.b.create<ConcatOp>(w.loc, uint64_t(0), words);
  auto bits = w.b.create<RandomBitsOp>(
      w.loc, state.getType(), w.type(w.word(width)), RandomKind::philox, state);
  Value formula = randomBitsFormula(w.b, bits).second;
  bits.erase();
  return formula;
}

/// Bits of `width` for each element of `w`.
static Value bitsOf(WordBuilder &w, Value key, unsigned width) {
  if (wordsOf(key) == 4)
    return philoxBits(w, key, width);
  Words words = hashed(w, key, 0, counterOf(w));
  if (width == 64)
    return w.joined(words[1], words[0]);
  return w.convert(w.exclusive(words[0], words[1]), width);
}

namespace {

/// Floats of one type and shape from bits.
struct FloatSampler {
  FloatSampler(OpBuilder &b, Location loc, FloatType element,
               ArrayRef<int64_t> shape, ValueRange sizes, Value key)
      : w(b, loc, shape, sizes), element(element), key(key) {}

  WordBuilder w;
  FloatType element;
  Value key;

  Value constant(const APFloat &value) {
    return floatEverywhere(w, element, value);
  }
  Value constant(double value) { return constant(APFloat(value)); }
  template <typename Op> Value unary(Value x) {
    return w.b.create<Op>(w.loc, x.getType(), x);
  }
  /// A random mantissa under the exponent of 1, less 1, into the interval.
  Value uniform(const UniformBounds &bounds);
  Value erfInv(Value x) {
    Type wide = element.getWidth() < 32 ? w.b.getF32Type() : Type(element);
    Value result = buildErfInv(w.b, w.loc, converted(w.b, x, wide));
    return converted(w.b, result, element);
  }
  Value normal(const UniformBounds &bounds) {
    return w.make<MulOp>(constant(std::sqrt(2.0)), erfInv(uniform(bounds)));
  }
  Value gumbel() {
    Value inner = unary<LogOp>(uniform(gumbelBounds(element)));
    return unary<NegOp>(unary<LogOp>(unary<NegOp>(inner)));
  }

  /// `value`, rounded to `element`, in each element of the shape of `w`.
  static Value floatEverywhere(WordBuilder &w, FloatType element,
                               const APFloat &value) {
    bool isStatic = !ShapedType::isDynamicShape(w.shape);
    auto splat = RankedTensorType::get(
        isStatic ? ArrayRef<int64_t>(w.shape) : ArrayRef<int64_t>(), element);
    Value result =
        w.b.create<ConstantOp>(w.loc, cast<ElementsAttr>(DenseElementsAttr::get(
                                          splat, roundedTo(element, value))));
    return isStatic ? result : w.everywhere(result);
  }
};

} // namespace

Value FloatSampler::uniform(const UniformBounds &bounds) {
  unsigned width = element.getWidth(), drawn = randomBitsOf(element),
           mantissa = element.getFPMantissaWidth() - 1;
  Value bits = w.convert(bitsOf(w, key, drawn), width);
  Value fraction =
      w.make<ShiftRightLogicalOp>(bits, w.number(width, drawn - mantissa));
  uint64_t one = APFloat::getOne(element.getFloatSemantics())
                     .bitcastToAPInt()
                     .getZExtValue();
  Value pattern = w.make<OrOp>(fraction, w.number(width, one));
  Value unit = w.make<SubOp>(
      w.b.create<BitcastOp>(w.loc, w.type(element), pattern), constant(1.0));
  APFloat range = uniformRange(bounds);
  Value low = constant(bounds.low);
  Value inside;
  if (roundsOnce(element, bounds)) {
    FloatSampler wide(w.b, w.loc, cast<FloatType>(w.b.getF64Type()), w.shape,
                      w.sizes, key);
    Value product =
        w.make<MulOp>(converted(w.b, unit, wide.element), wide.constant(range));
    inside = converted(w.b, w.make<AddOp>(product, wide.constant(bounds.low)),
                       element);
  } else {
    inside = w.make<AddOp>(w.make<MulOp>(unit, constant(range)), low);
  }
  return w.make<MaxOp>(low, inside);
}

/// A sampler for the result of an op with sizes.
template <typename Op> static FloatSampler samplerOf(OpBuilder &b, Op op) {
  RankedTensorType type = typeOf(op.getResult());
  return FloatSampler(b, op.getLoc(), cast<FloatType>(type.getElementType()),
                      type.getShape(), op.getSizes(), op.getKey());
}

static SmallVector<Value> dynamicSizes(OpBuilder &b, Location loc,
                                       Value value) {
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < typeOf(value).getRank(); ++dim)
    if (typeOf(value).isDynamicDim(dim))
      sizes.push_back(b.create<DimOp>(loc, value, dim));
  return sizes;
}

static Value truncatedNormal(OpBuilder &b, RandomTruncatedNormalOp op) {
  FloatSampler sampler = samplerOf(b, op);
  FloatType type = sampler.element;
  Value value =
      sampler.normal(truncatedBounds(type, op.getLower(), op.getUpper()));
  return b.create<ClampOp>(
      op.getLoc(), value.getType(),
      sampler.constant(insideOf(type, op.getLower(), true)), value,
      sampler.constant(insideOf(type, op.getUpper(), false)));
}

/// Where uniform f32 numbers are below `probability`.
static Value bernoulli(OpBuilder &b, Location loc, Value key,
                       ArrayRef<int64_t> shape, ValueRange sizes,
                       double probability) {
  FloatSampler sampler(b, loc, b.getF32Type(), shape, sizes, key);
  Value drawn = sampler.uniform({APFloat(0.0f), APFloat(1.0f)});
  return b.create<CompareOp>(loc, sampler.w.type(b.getI1Type()),
                             CompareDirection::lt, drawn,
                             sampler.constant(probability));
}

static Value permutation(OpBuilder &b, RandomPermutationOp op) {
  RankedTensorType type = typeOf(op.getResult());
  Location loc = op.getLoc();
  Value result = b.create<IotaOp>(loc, type, 0, ValueRange{}),
        key = op.getKey();
  for (unsigned round = permutationRounds(type.getDimSize(0)); round > 0;
       --round) {
    Value keys = splitKey(b, loc, key, 2);
    key = keyAt(b, loc, keys, 0);
    WordBuilder w(b, loc, type.getShape());
    Value bits = bitsOf(w, keyAt(b, loc, keys, 1), 32);
    result = b.create<SortOp>(loc, TypeRange{bits.getType(), type},
                              ValueRange{bits, result}, uint64_t(0),
                              uint64_t(1), false)
                 .getResult(1);
  }
  return result;
}

static Value categorical(OpBuilder &b, RandomCategoricalOp op) {
  RankedTensorType logits = typeOf(op.getLogits());
  Location loc = op.getLoc();
  FloatSampler sampler(b, loc, cast<FloatType>(logits.getElementType()),
                       logits.getShape(), dynamicSizes(b, loc, op.getLogits()),
                       op.getKey());
  Value scores = sampler.w.make<AddOp>(sampler.gumbel(), op.getLogits());
  RankedTensorType type = typeOf(op.getResult());
  Value index =
      b.create<ArgReduceOp>(loc, type.clone(b.getI64Type()), ReduceKind::max,
                            scores, uint64_t(op.getAxis()), false);
  return converted(b, index, type.getElementType());
}

static Value dropout(OpBuilder &b, DropoutOp op) {
  RankedTensorType type = typeOf(op.getOperand());
  Location loc = op.getLoc();
  SmallVector<Value> sizes = dynamicSizes(b, loc, op.getOperand());
  double kept = 1.0 - op.getRate().convertToDouble();
  Value mask = bernoulli(b, loc, op.getKey(), type.getShape(), sizes, kept);
  WordBuilder w(b, loc, type.getShape(), sizes);
  auto everywhere = [&](double value) {
    return FloatSampler::floatEverywhere(
        w, cast<FloatType>(type.getElementType()), APFloat(value));
  };
  Value scaled = w.make<DivOp>(op.getOperand(), everywhere(kept));
  return b.create<SelectOp>(loc, mask, scaled, everywhere(0.0));
}

SmallVector<Value> buildRandomFormula(OpBuilder &b, Operation *op) {
  return TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case([&](RandomBitsOp op) -> SmallVector<Value> {
        auto [state, bits] = randomBitsFormula(b, op);
        return {state, bits};
      })
      .Case([&](SplitKeyOp op) -> SmallVector<Value> {
        return {splitKey(b, op.getLoc(), op.getKey(),
                         typeOf(op.getResult()).getDimSize(0))};
      })
      .Case([&](FoldInOp op) -> SmallVector<Value> { return {foldIn(b, op)}; })
      .Case([&](RandomUniformOp op) -> SmallVector<Value> {
        FloatSampler sampler = samplerOf(b, op);
        return {sampler.uniform({roundedTo(sampler.element, op.getLow()),
                                 roundedTo(sampler.element, op.getHigh())})};
      })
      .Case([&](RandomNormalOp op) -> SmallVector<Value> {
        FloatSampler sampler = samplerOf(b, op);
        return {sampler.normal(normalBounds(sampler.element))};
      })
      .Case([&](RandomTruncatedNormalOp op) -> SmallVector<Value> {
        return {truncatedNormal(b, op)};
      })
      .Case([&](RandomBernoulliOp op) -> SmallVector<Value> {
        return {bernoulli(b, op.getLoc(), op.getKey(),
                          typeOf(op.getResult()).getShape(), op.getSizes(),
                          op.getProbability().convertToDouble())};
      })
      .Case([&](RandomPermutationOp op) -> SmallVector<Value> {
        return {permutation(b, op)};
      })
      .Case([&](RandomCategoricalOp op) -> SmallVector<Value> {
        return {categorical(b, op)};
      })
      .Case(
          [&](DropoutOp op) -> SmallVector<Value> { return {dropout(b, op)}; })
      .Default([](Operation *) { return SmallVector<Value>(); });
}

} // namespace zenith::graph
