// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meaning of random ops that take keys: bits of the key and each element's
// index, and what becomes of them, each step rounded to the element type.

#include "ir/interpreter/random/EvalKeyed.h"
#include "ir/GraphOps.h"
#include "ir/interpreter/StridedCopy.h"
#include "ir/interpreter/random/CounterHash.h"
#include "ir/random/ErfInv.h"
#include "ir/random/RandomFormulas.h"
#include "ir/tensor/Scalar.h"
#include "ir/tensor/SmallFloat.h"
#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

//===----------------------------------------------------------------------===//
// Keys and bits
//===----------------------------------------------------------------------===//

static Words2 keyHalf(const Tensor &key, size_t half) {
  ArrayRef<uint32_t> words = elementsOf<uint32_t>(key);
  return {words[2 * half], words[2 * half + 1]};
}

/// Writes the key of a counter: each half of a long key is a key of its own.
static void storeKey(uint32_t *to, const Tensor &key, uint64_t counter) {
  for (size_t half = 0; half < size_t(key.size()) / 2; ++half) {
    Words2 words = threefry({uint32_t(counter >> 32), uint32_t(counter)},
                            keyHalf(key, half));
    to[2 * half] = words.first;
    to[2 * half + 1] = words.second;
  }
}

static Expected<Tensor> evaluateSplit(const OpEvaluation &e) {
  Expected<Tensor> result = e.allocate(e.resultType().getShape());
  if (!result)
    return result;
  MutableArrayRef<uint32_t> to = writableElements<uint32_t>(*result);
  for (int64_t i = 0, count = result->shape()[0]; i < count; ++i)
    storeKey(&to[size_t(i * e.operand(0).size())], e.operand(0), uint64_t(i));
  return result;
}

static Expected<Tensor> evaluateFoldIn(const OpEvaluation &e) {
  Expected<Tensor> result = e.allocate(e.operand(0).shape());
  if (!result)
    return result;
  Scalar data = elementAt(e.operand(1), 0);
  storeKey(writableElements<uint32_t>(*result).data(), e.operand(0),
           uint32_t(data.integer));
  return result;
}

/// Unsigned words of `width` bits, one per element of `shape`.
static Expected<Tensor> randomBits(const OpEvaluation &e, const Tensor &key,
                                   unsigned width, ArrayRef<int64_t> shape) {
  auto word =
      IntegerType::get(e.op->getContext(), width, IntegerType::Unsigned);
  Expected<Tensor> bits = e.temporary(shape, word);
  if (!bits)
    return bits;
  auto joined = [](Words2 words) {
    return words.first | uint64_t(words.second) << 32;
  };
  if (key.size() == 4) {
    uint64_t high = joined(keyHalf(key, 0));
    fillPhilox(*bits, {joined(keyHalf(key, 1)), high}, high);
    return bits;
  }
  ElementAccess access(word);
  char *to = bits->writable();
  for (int64_t i = 0; i < bits->size(); ++i, to += access.bytes()) {
    Words2 words =
        threefry({uint32_t(uint64_t(i) >> 32), uint32_t(i)}, keyHalf(key, 0));
    access.store(to,
                 Scalar::ofUnsigned(width == 64 ? uint64_t(words.first) << 32 |
                                                      words.second
                                                : words.first ^ words.second));
  }
  return bits;
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

namespace {

/// Floats of one type, computed in `Real`: double for f64, else float, rounded
/// to the type at each step.
template <typename Real> class Sampler {
public:
  explicit Sampler(FloatType type)
      : type(type), mantissa(int(type.getFPMantissaWidth()) - 1),
        drawn(int(graph::randomBitsOf(type))), small(SmallFloat::of(type)) {}

  Real rounded(Real value) const {
    return small ? Real(small->decode(small->encode(double(value)))) : value;
  }
  Real constant(const APFloat &value) const {
    APFloat exact = graph::roundedTo(type, value);
    bool losesInfo = false;
    exact.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return Real(exact.convertToDouble());
  }
  Real constant(double value) const { return constant(APFloat(value)); }

  Real uniform(uint64_t bits, const graph::UniformBounds &bounds) const {
    Real unit = std::ldexp(Real(bits >> (drawn - mantissa)), -mantissa);
    Real low = constant(bounds.low),
         range = constant(graph::uniformRange(bounds));
    Real inside = graph::roundsOnce(type, bounds)
                      ? Real(double(unit) * double(range) + double(low))
                      : rounded(rounded(unit * range) + low);
    return std::max(low, inside);
  }
  Real normal(uint64_t bits, const graph::UniformBounds &bounds) const {
    Real inner = rounded(erfinv::apply(uniform(bits, bounds)));
    return rounded(constant(std::sqrt(2.0)) * inner);
  }
  Real gumbel(uint64_t bits) const {
    Real inner = rounded(std::log(uniform(bits, graph::gumbelBounds(type))));
    return -rounded(std::log(-inner));
  }

  FloatType type;

private:
  int mantissa, drawn; ///< bits
  std::optional<SmallFloat> small;
};

} // namespace

/// Calls fn(sampler, words) with the words of a float of type `type` for each
/// element of `shape`.
template <typename Fn>
static llvm::Error withWords(const OpEvaluation &e, FloatType type,
                             const Tensor &key, ArrayRef<int64_t> shape,
                             Fn &&fn) {
  Expected<Tensor> bits = randomBits(e, key, graph::randomBitsOf(type), shape);
  if (!bits)
    return bits.takeError();
  ElementAccess access(bits->elementType());
  auto words = [&, from = bits->bytes()](int64_t i) {
    return uint64_t(access.load(from + i * access.bytes()).integer);
  };
  if (type.isF64())
    fn(Sampler<double>(type), words);
  else
    fn(Sampler<float>(type), words);
  return llvm::Error::success();
}

/// A result of floats, element i being draw(sampler, words of element i).
template <typename Draw>
static Expected<Tensor> sampled(const OpEvaluation &e, Draw &&draw) {
  Expected<Shape> shape = e.shapeFromOperands(1);
  if (!shape)
    return shape.takeError();
  Expected<Tensor> result = e.allocate(*shape);
  if (!result)
    return result;
  ElementAccess access(e.resultElement());
  char *to = result->writable();
  llvm::Error error = withWords(
      e, cast<FloatType>(e.resultElement()), e.operand(0), *shape,
      [&](const auto &sampler, auto words) {
        for (int64_t i = 0; i < result->size(); ++i, to += access.bytes())
          access.store(to, Scalar::ofFloat(double(draw(sampler, words(i)))));
      });
  if (error)
    return std::move(error);
  return result;
}

static Expected<Tensor> evaluateUniform(graph::RandomUniformOp op,
                                        const OpEvaluation &e) {
  return sampled(e, [&](const auto &sampler, uint64_t bits) {
    return sampler.uniform(bits,
                           {graph::roundedTo(sampler.type, op.getLow()),
                            graph::roundedTo(sampler.type, op.getHigh())});
  });
}

static Expected<Tensor> evaluateNormal(const OpEvaluation &e) {
  return sampled(e, [&](const auto &sampler, uint64_t bits) {
    return sampler.normal(bits, graph::normalBounds(sampler.type));
  });
}

static Expected<Tensor> evaluateTruncated(graph::RandomTruncatedNormalOp op,
                                          const OpEvaluation &e) {
  auto type = cast<FloatType>(e.resultElement());
  auto bounds = graph::truncatedBounds(type, op.getLower(), op.getUpper());
  return sampled(e, [&](const auto &sampler, uint64_t bits) {
    auto value = sampler.normal(bits, bounds);
    auto least = sampler.constant(graph::insideOf(type, op.getLower(), true));
    auto most = sampler.constant(graph::insideOf(type, op.getUpper(), false));
    return std::min(std::max(value, least), most);
  });
}

//===----------------------------------------------------------------------===//
// Draws
//===----------------------------------------------------------------------===//

/// Whether uniform f32 numbers are below `probability`, one for each element.
static Expected<std::vector<bool>> bernoulli(const OpEvaluation &e,
                                             const Tensor &key,
                                             ArrayRef<int64_t> shape,
                                             double probability) {
  std::vector<bool> result(size_t(ShapedType::getNumElements(shape)));
  llvm::Error error =
      withWords(e, Float32Type::get(e.op->getContext()), key, shape,
                [&](const auto &sampler, auto words) {
                  for (size_t i = 0; i < result.size(); ++i)
                    result[i] =
                        sampler.uniform(words(int64_t(i)),
                                        {APFloat(0.0f), APFloat(1.0f)}) <
                        sampler.constant(probability);
                });
  if (error)
    return std::move(error);
  return result;
}

static Expected<Tensor> evaluateBernoulli(graph::RandomBernoulliOp op,
                                          const OpEvaluation &e) {
  Expected<Shape> shape = e.shapeFromOperands(1);
  if (!shape)
    return shape.takeError();
  Expected<Tensor> result = e.allocate(*shape);
  if (!result)
    return result;
  auto drawn =
      bernoulli(e, e.operand(0), *shape, op.getProbability().convertToDouble());
  if (!drawn)
    return drawn.takeError();
  char *to = result->writable();
  for (size_t i = 0; i < drawn->size(); ++i)
    to[i] = (*drawn)[i];
  return result;
}

static Expected<Tensor> evaluateDropout(graph::DropoutOp op,
                                        const OpEvaluation &e) {
  const Tensor &operand = e.operand(0);
  Expected<Tensor> result = e.allocate(operand.shape());
  if (!result)
    return result;
  double kept = 1.0 - op.getRate().convertToDouble();
  auto drawn = bernoulli(e, e.operand(1), operand.shape(), kept);
  if (!drawn)
    return drawn.takeError();
  auto type = cast<FloatType>(e.resultElement());
  ElementAccess access(type);
  char *to = result->writable();
  const char *from = operand.bytes();
  auto scale = [&](const auto &sampler) {
    using Real = decltype(sampler.constant(kept));
    for (bool isKept : *drawn) {
      if (isKept)
        access.store(to, Scalar::ofFloat(double(Real(access.load(from).real) /
                                                sampler.constant(kept))));
      to += access.bytes();
      from += access.bytes();
    }
  };
  if (type.isF64())
    scale(Sampler<double>(type));
  else
    scale(Sampler<float>(type));
  return result;
}

static Expected<Tensor> evaluatePermutation(const OpEvaluation &e) {
  int64_t count = e.resultType().getDimSize(0);
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  Tensor key = e.operand(0);
  for (unsigned round = graph::permutationRounds(count); round > 0; --round) {
    Tensor next(key.type()), own(key.type());
    storeKey(writableElements<uint32_t>(next).data(), key, 0);
    storeKey(writableElements<uint32_t>(own).data(), key, 1);
    Expected<Tensor> bits = randomBits(e, own, 32, {count});
    if (!bits)
      return bits;
    ArrayRef<uint32_t> words = elementsOf<uint32_t>(*bits);
    // Places break ties, which keeps the order of equal words.
    std::vector<std::pair<uint32_t, size_t>> places;
    for (size_t i = 0; i < order.size(); ++i)
      places.emplace_back(words[i], i);
    std::sort(places.begin(), places.end());
    std::vector<int64_t> sorted;
    for (auto [word, place] : places)
      sorted.push_back(order[place]);
    order = std::move(sorted);
    key = next;
  }
  Expected<Tensor> result = e.allocate({count});
  if (!result)
    return result;
  ElementAccess access(e.resultElement());
  char *to = result->writable();
  for (int64_t index : order) {
    access.store(to, Scalar::ofSigned(index));
    to += access.bytes();
  }
  return result;
}

/// The index of the largest element of each row; the first of equals, NaN
/// before all.
static Expected<Tensor> evaluateCategorical(graph::RandomCategoricalOp op,
                                            const OpEvaluation &e) {
  const Tensor &logits = e.operand(1);
  Shape shape(logits.shape()), strides = stridesOf(shape);
  int64_t axis = op.getAxis(), length = shape[axis], stride = strides[axis];
  if (length == 0)
    return e.fail("axis " + Twine(axis) + " has no elements");
  shape.erase(shape.begin() + axis);
  Expected<Tensor> result = e.allocate(shape);
  if (!result)
    return result;
  auto type = cast<FloatType>(logits.elementType());
  ElementAccess access(type), indexAccess(e.resultElement());
  char *to = result->writable();
  llvm::Error error = withWords(
      e, type, e.operand(0), logits.shape(),
      [&](const auto &sampler, auto words) {
        auto scoreOf = [&](int64_t place) {
          auto noise = sampler.gumbel(words(place));
          double logit =
              access.load(logits.bytes() + place * access.bytes()).real;
          return sampler.rounded(noise + decltype(noise)(logit));
        };
        for (int64_t row = 0; row < result->size(); ++row) {
          int64_t first = row / stride * stride * length + row % stride;
          int64_t best = 0;
          auto largest = scoreOf(first);
          for (int64_t i = 1; i < length && largest == largest; ++i) {
            auto score = scoreOf(first + i * stride);
            if (score > largest || score != score) {
              best = i;
              largest = score;
            }
          }
          indexAccess.store(to, Scalar::ofSigned(best));
          to += indexAccess.bytes();
        }
      });
  if (error)
    return std::move(error);
  return result;
}

Expected<Tensor> zenith::interpreter::evaluateKeyed(const OpEvaluation &e) {
  if (isa<graph::SplitKeyOp>(e.op))
    return evaluateSplit(e);
  if (isa<graph::FoldInOp>(e.op))
    return evaluateFoldIn(e);
  if (auto op = dyn_cast<graph::RandomUniformOp>(e.op))
    return evaluateUniform(op, e);
  if (isa<graph::RandomNormalOp>(e.op))
    return evaluateNormal(e);
  if (auto op = dyn_cast<graph::RandomTruncatedNormalOp>(e.op))
    return evaluateTruncated(op, e);
  if (auto op = dyn_cast<graph::RandomBernoulliOp>(e.op))
    return evaluateBernoulli(op, e);
  if (isa<graph::RandomPermutationOp>(e.op))
    return evaluatePermutation(e);
  if (auto op = dyn_cast<graph::RandomCategoricalOp>(e.op))
    return evaluateCategorical(op, e);
  if (auto op = dyn_cast<graph::DropoutOp>(e.op))
    return evaluateDropout(op, e);
  return e.fail("has no meaning in the interpreter", ErrorCode::Unsupported);
}
