// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of random numbers. They are a function of the node's `seed`, or
// of its index in the graph if it has none, so every run gives the same ones.
// No other implementation gives these numbers.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/NodeReading.h"

#include "llvm/Support/xxhash.h"
#include <cstring>
#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using llvm::SmallVector;

/// The key of the node: two words of the `seed`, or of the node's names.
static Value keyOf(NodeReading &n) {
  ImportBuilder &b = n.b;
  uint64_t key = 0;
  if (n.hasAttribute("seed")) {
    // Dropout's seed is an integer, those of other operators are floats.
    if (n.node.op == "Dropout") {
      key = uint64_t(n.intAttribute("seed", 0));
    } else {
      float seed = float(n.floatAttribute("seed", 0));
      uint32_t bits;
      std::memcpy(&bits, &seed, sizeof(bits));
      key = bits;
    }
  } else {
    key = llvm::xxh3_64bits(n.node.outputs.front() + n.node.name);
  }
  auto type = RankedTensorType::get({2}, b.builder.getIntegerType(32, false));
  return b.constant(DenseElementsAttr::get(
      type, llvm::ArrayRef<llvm::APInt>{llvm::APInt(32, key >> 32),
                                        llvm::APInt(32, uint32_t(key))}));
}

/// Uniform random numbers of (0, 1), f32, whose logarithm is finite. An element
/// depends on the key and its position alone, whatever is known of the shape.
static Value uniform(NodeReading &n, llvm::ArrayRef<DimExpr> dims) {
  ImportBuilder &b = n.b;
  constexpr double least = 1.0 / (1 << 24);
  return b.emit<graph::RandomUniformOp>(
      b.typeOf(dims, b.builder.getF32Type()), keyOf(n), b.dynamicScalars(dims),
      llvm::APFloat(least), llvm::APFloat(1.0));
}

/// The shape of the result: an attribute, or that of the input.
static DimVector shapeOf(NodeReading &n) {
  if (n.inputCount())
    return n.dims(0);
  DimVector shape;
  for (int64_t size : n.intsAttribute("shape")) {
    if (size < 0)
      n.fail(invalid("a dimension of the shape is negative"));
    shape.push_back(DimExpr(std::max<int64_t>(size, 0)));
  }
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

static void importRandomUniform(NodeReading &n) {
  ImportBuilder &b = n.b;
  DimVector shape = shapeOf(n);
  Type element = resultElement(n);
  if (n.failed())
    return;
  double low = n.floatAttribute("low", 0), high = n.floatAttribute("high", 1);
  Value value = b.binary<graph::AddOp>(
      b.binary<graph::MulOp>(uniform(n, shape), high - low), low);
  n.result(b.convert(value, element));
}

static void importRandomNormal(NodeReading &n) {
  ImportBuilder &b = n.b;
  DimVector shape = shapeOf(n);
  Type element = resultElement(n);
  if (n.failed())
    return;
  Value normal =
      b.emit<graph::RandomNormalOp>(b.typeOf(shape, b.builder.getF32Type()),
                                    keyOf(n), b.dynamicScalars(shape));
  Value value = b.binary<graph::AddOp>(
      b.binary<graph::MulOp>(normal, n.floatAttribute("scale", 1)),
      n.floatAttribute("mean", 0));
  n.result(b.convert(value, element));
}

/// 1 with the probability that the input gives.
static void importBernoulli(NodeReading &n) {
  ImportBuilder &b = n.b;
  DimVector shape = shapeOf(n);
  Type element = resultElement(n);
  if (n.failed())
    return;
  Value probability = b.convert(n.input(0), b.builder.getF32Type());
  n.result(
      b.convert(b.compare(CompareDirection::lt, uniform(n, shape), probability),
                element));
}

/// Classes drawn by their logarithmic weights: the largest of weight plus
/// Gumbel noise.
static void importMultinomial(NodeReading &n) {
  ImportBuilder &b = n.b;
  int64_t count = n.intAttribute("sample_size", 1);
  DimVector shape = n.dims(0);
  if (shape.size() != 2 || count < 0 || isConstant(shape[1], 0))
    return n.fail(invalid("Multinomial needs weights of rank 2"));
  Type element = b.builder.getI32Type();
  if (n.hasAttribute("dtype"))
    element = elementTypeOf(static_cast<DataType>(n.intAttribute("dtype", 0)),
                            b.builder.getContext());
  if (!element || !element.isSignlessInteger())
    return n.fail(invalid("Multinomial gives integers"));
  b.requireAtMost(1, shape[1], "the number of classes");
  DimVector draws = {shape[0], DimExpr(count), shape[1]};
  auto minusLog = [&](Value value) {
    return b.unary<graph::NegOp>(b.unary<graph::LogOp>(value));
  };
  Value noise = minusLog(minusLog(uniform(n, draws)));
  Value weights =
      b.broadcast(b.convert(n.input(0), b.builder.getF32Type()), {0, 2}, draws);
  Value scores = b.binary<graph::AddOp>(weights, noise);
  Type type = b.typeOf({draws[0], draws[1]}, b.builder.getI64Type());
  n.result(b.convert(b.emit<graph::ArgReduceOp>(type, graph::ReduceKind::max,
                                                scores, uint64_t(2),
                                                /*last=*/false),
                     element));
}

/// The operand, where nothing is dropped, and a mask that keeps everything.
static void keepAll(NodeReading &n) {
  n.result(0, n.imported(0));
  if (n.wants(1)) {
    Type element =
        n.version < 10 ? n.elementType(0) : Type(n.b.builder.getI1Type());
    n.result(1, n.b.filled(n.dims(0), element, 1));
  }
}

/// Nothing where the run decides; before opset 12 the mode is an attribute or
/// always that of inference.
static std::optional<bool> trains(NodeReading &n) {
  if (n.version < 7)
    return !n.intAttribute("is_test", 0);
  if (!n.has(2))
    return false;
  auto mode = n.knownElements(2);
  if (!mode || mode->values.size() != 1)
    return std::nullopt;
  auto value = mode->values[0].constant();
  return value ? std::optional<bool>(*value != 0) : std::nullopt;
}

/// Elements are dropped with probability `ratio`, and those that are kept are
/// divided by 1 - ratio; where the run says that it infers, all are kept.
static void importDropout(NodeReading &n) {
  ImportBuilder &b = n.b;
  constexpr double usualRatio = 0.5;
  std::optional<bool> mode = trains(n);
  std::optional<double> known = n.version < 12
                                    ? n.floatAttribute("ratio", usualRatio)
                                : n.has(1) ? n.constantScalar(1)
                                           : usualRatio;
  if (mode == false || known == 0.0)
    return keepAll(n);
  if (known && !(*known >= 0 && *known < 1))
    return n.fail(invalid("Dropout's ratio is not in [0, 1)"));
  Type f32 = b.builder.getF32Type(), element = n.elementType(0);
  Type wide = element.isF64() ? element : f32;
  DimVector dims = n.dims(0);
  Value ratio = known ? b.scalarConstant(wide, *known)
                      : b.reshape(b.convert(n.input(1), wide), {});
  Value kept =
      b.compare(CompareDirection::ge, uniform(n, dims), b.convert(ratio, f32));
  Value factor = b.binary<graph::DivOp>(
      b.scalarConstant(wide, 1),
      b.binary<graph::SubOp>(b.scalarConstant(wide, 1), ratio));
  if (!mode) {
    Value training =
        b.reshape(b.convert(n.input(2), b.builder.getI1Type()), {});
    kept = b.select(training, kept, b.filled(dims, b.builder.getI1Type(), 1));
    factor = b.select(training, factor, b.scalarConstant(wide, 1));
  }
  Value scaled = b.binary<graph::MulOp>(b.convert(n.input(0), wide), factor);
  n.result(
      0, b.convert(b.select(kept, scaled, b.scalarConstant(wide, 0)), element));
  if (n.wants(1))
    n.result(1, n.version < 10 ? b.convert(kept, element) : kept);
}

llvm::ArrayRef<OpRow> zenith::onnx::randomRows() {
  static constexpr OpRow rows[] = {
      {"Bernoulli", 15, newest, 1, 1, importBernoulli},
      {"Dropout", 1, newest, 1, 3, importDropout},
      {"Multinomial", 7, newest, 1, 1, importMultinomial},
      {"RandomNormal", 1, newest, 0, 0, importRandomNormal},
      {"RandomNormalLike", 1, newest, 1, 1, importRandomNormal},
      {"RandomUniform", 1, newest, 0, 0, importRandomUniform},
      {"RandomUniformLike", 1, newest, 1, 1, importRandomUniform},
  };
  return rows;
}
