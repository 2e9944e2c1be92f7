// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of random numbers. They are a function of the node's `seed`, or
// of its index in the graph if it has none, so every run gives the same ones.
// No other implementation gives these numbers.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/ElementFolding.h"
#include "frontends/onnx/import/NodeReading.h"

#include "llvm/Support/xxhash.h"
#include <cstring>
#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using llvm::SmallVector;

/// Uniform random numbers of (0, 1) with 24 random bits, f32. `stream` tells
/// several draws of one node apart.
static Value uniform(NodeReading &n, const SmallVector<int64_t> &shape) {
  ImportBuilder &b = n.b;
  uint64_t key = 0;
  if (n.hasAttribute("seed")) {
    float seed = float(n.floatAttribute("seed", 0));
    uint32_t bits;
    std::memcpy(&bits, &seed, sizeof(bits));
    key = bits;
  } else {
    key = llvm::xxh3_64bits(n.node.outputs.front() + n.node.name);
  }
  Type ui64 = b.builder.getIntegerType(64, false),
       ui32 = b.builder.getIntegerType(32, false);
  auto stateType = RankedTensorType::get({2}, ui64);
  Value state = b.constant(DenseElementsAttr::get(
      stateType,
      llvm::ArrayRef<llvm::APInt>{llvm::APInt(64, key), llvm::APInt(64, 0)}));
  SmallVector<Type> types = {stateType, RankedTensorType::get(shape, ui32)};
  Value bits = b.emitAll<graph::RandomBitsOp>(
      TypeRange(types), graph::RandomKind::threefry, state)[1];
  constexpr double unit = 1.0 / (1 << 24);
  Value high = b.binary<graph::ShiftRightLogicalOp>(bits, 8.0);
  Value uniform = b.convert(high, b.builder.getF32Type());
  return b.binary<graph::MulOp>(b.binary<graph::AddOp>(uniform, 0.5), unit);
}

/// Standard normal random numbers from pairs of uniform ones (Box and Muller).
static Value normal(NodeReading &n, SmallVector<int64_t> shape) {
  ImportBuilder &b = n.b;
  SmallVector<int64_t> pairs = {2};
  pairs.append(shape);
  Value both = uniform(n, pairs);
  DimVector dims(shape.begin(), shape.end());
  auto half = [&](int64_t index) {
    return b.reshape(b.sliceDim(both, 0, DimExpr(index), DimExpr(1)), dims);
  };
  constexpr double twoPi = 6.283185307179586;
  Value radius = b.unary<graph::SqrtOp>(
      b.binary<graph::MulOp>(b.unary<graph::LogOp>(half(0)), -2.0));
  return b.binary<graph::MulOp>(
      radius, b.unary<graph::CosOp>(b.binary<graph::MulOp>(half(1), twoPi)));
}

/// The shape of the result: an attribute, or that of the input.
static std::optional<SmallVector<int64_t>> shapeOf(NodeReading &n) {
  if (n.inputCount() == 0)
    return n.intsAttribute("shape");
  auto shape = staticShape(n.dims(0));
  if (!shape)
    n.fail(unsupported("random numbers of a dynamic shape"));
  return shape;
}

static Type resultElement(NodeReading &n) {
  Type element = n.inputCount() ? n.elementType(0) : n.b.builder.getF32Type();
  if (n.hasAttribute("dtype"))
    element = elementTypeOf(static_cast<DataType>(n.intAttribute("dtype", 0)),
                            n.b.builder.getContext());
  if (!element) {
    n.fail(unsupported("random numbers of this data type"));
    return n.b.builder.getF32Type();
  }
  return element;
}

static bool checkShape(NodeReading &n,
                       const std::optional<SmallVector<int64_t>> &shape) {
  if (shape && llvm::any_of(*shape, [](int64_t size) { return size < 0; }))
    n.fail(invalid("a dimension of the shape is negative"));
  return shape && !n.failed();
}

static void importRandomUniform(NodeReading &n) {
  ImportBuilder &b = n.b;
  auto shape = shapeOf(n);
  Type element = resultElement(n);
  if (!checkShape(n, shape))
    return;
  double low = n.floatAttribute("low", 0), high = n.floatAttribute("high", 1);
  Value value = b.binary<graph::AddOp>(
      b.binary<graph::MulOp>(uniform(n, *shape), high - low), low);
  n.result(b.convert(value, element));
}

static void importRandomNormal(NodeReading &n) {
  ImportBuilder &b = n.b;
  auto shape = shapeOf(n);
  Type element = resultElement(n);
  if (!checkShape(n, shape))
    return;
  Value value = b.binary<graph::AddOp>(
      b.binary<graph::MulOp>(normal(n, *shape), n.floatAttribute("scale", 1)),
      n.floatAttribute("mean", 0));
  n.result(b.convert(value, element));
}

/// 1 with the probability that the input gives.
static void importBernoulli(NodeReading &n) {
  ImportBuilder &b = n.b;
  auto shape = shapeOf(n);
  Type element = resultElement(n);
  if (!checkShape(n, shape))
    return;
  Value probability = b.convert(n.input(0), b.builder.getF32Type());
  n.result(b.convert(
      b.compare(CompareDirection::lt, uniform(n, *shape), probability),
      element));
}

/// Classes drawn by their logarithmic weights: the largest of weight plus
/// Gumbel noise.
static void importMultinomial(NodeReading &n) {
  ImportBuilder &b = n.b;
  int64_t count = n.intAttribute("sample_size", 1);
  auto shape = staticShape(n.dims(0));
  if (!shape)
    return n.fail(unsupported("random numbers of a dynamic shape"));
  if (shape->size() != 2 || count < 0 || (*shape)[1] < 1)
    return n.fail(invalid("Multinomial needs weights of rank 2"));
  Type element = b.builder.getI32Type();
  if (n.hasAttribute("dtype"))
    element = elementTypeOf(static_cast<DataType>(n.intAttribute("dtype", 0)),
                            b.builder.getContext());
  if (!element || !element.isSignlessInteger())
    return n.fail(invalid("Multinomial gives integers"));
  SmallVector<int64_t> draws = {(*shape)[0], count, (*shape)[1]};
  DimVector dims(draws.begin(), draws.end());
  auto minusLog = [&](Value value) {
    return b.unary<graph::NegOp>(b.unary<graph::LogOp>(value));
  };
  Value noise = minusLog(minusLog(uniform(n, draws)));
  Value weights =
      b.broadcast(b.convert(n.input(0), b.builder.getF32Type()), {0, 2}, dims);
  Value scores = b.binary<graph::AddOp>(weights, noise);
  auto type =
      RankedTensorType::get({draws[0], draws[1]}, b.builder.getI64Type());
  n.result(b.convert(b.emit<graph::ArgReduceOp>(type, graph::ReduceKind::max,
                                                scores, uint64_t(2),
                                                /*last=*/false),
                     element));
}

llvm::ArrayRef<OpRow> zenith::onnx::randomRows() {
  static constexpr OpRow rows[] = {
      {"Bernoulli", 15, newest, 1, 1, importBernoulli},
      {"Multinomial", 7, newest, 1, 1, importMultinomial},
      {"RandomNormal", 1, newest, 0, 0, importRandomNormal},
      {"RandomNormalLike", 1, newest, 1, 1, importRandomNormal},
      {"RandomUniform", 1, newest, 0, 0, importRandomUniform},
      {"RandomUniformLike", 1, newest, 1, 1, importRandomUniform},
  };
  return rows;
}
