// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of layers on quantized bytes (com.microsoft): computed in f32
// between dequantization and quantization, matmuls in i32.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/ScalarValue.h"
#include "frontends/onnx/layers/ContractionReading.h"
#include "frontends/onnx/layers/QuantizationReading.h"

#include <fmt/format.h>
#include <numeric>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using llvm::SmallVector;

/// Input `index` times the scale that follows it, less the zero point after
/// that, in f32.
static ScalarValue dequantized(NodeReading &n, size_t index) {
  ImportBuilder &b = n.b;
  Value value =
      b.convert(shiftedOperand(n, index, index + 2, 0), b.builder.getF32Type());
  return ScalarValue(b, value) *
         ScalarValue(b, scaleAlong(n, index + 1, -1, 0));
}

/// The result in the type of input `like`, by the scale at `scale` and the zero
/// point after it.
static void setQuantized(NodeReading &n, ScalarValue value, size_t like,
                         size_t scale) {
  ImportBuilder &b = n.b;
  auto element = dyn_cast<IntegerType>(n.elementType(like));
  if (!element || element.getWidth() != 8)
    n.fail(invalid(fmt::format("{} needs integers of 8 bits", n.node.op)));
  Value factor = n.failed() ? Value() : scaleAlong(n, scale, -1, 0);
  bool hasZero = n.has(scale + 1);
  if (!n.failed() && hasZero &&
      (n.elementType(scale + 1) != element ||
       !b.product(n.dims(scale + 1)).isConstant(1)))
    n.fail(invalid("the result's zero point is no scalar of its type"));
  if (n.failed())
    return;
  Value zero = hasZero ? b.reshape(n.input(scale + 1), {}) : Value();
  n.result(quantized(b, value / ScalarValue(b, factor), zero, element));
}

template <typename Op> static void importBinary(NodeReading &n) {
  if (!n.needs({3, 4, 6}))
    return;
  ScalarValue lhs = dequantized(n, 0), rhs = dequantized(n, 3);
  if (n.elementType(0) != n.elementType(3))
    n.fail(invalid("the operands differ in type"));
  if (!n.failed())
    setQuantized(n, {n.b, n.b.binary<Op>(lhs, rhs)}, 0, 6);
}

static void importQuantizedSigmoid(NodeReading &n) {
  if (!n.needs({3}))
    return;
  ScalarValue x = dequantized(n, 0);
  if (!n.failed())
    setQuantized(n, x.apply<graph::LogisticOp>(), 0, 3);
}

static void importQuantizedLeakyRelu(NodeReading &n) {
  if (!n.needs({3}))
    return;
  ScalarValue x = dequantized(n, 0);
  if (n.failed())
    return;
  Value isBelow = x.compare(graph::CompareDirection::lt, 0.0);
  setQuantized(n, (x * n.floatAttribute("alpha", 0.01f)).where(isBelow, x), 0,
               3);
}

static void importQuantizedConcat(NodeReading &n) {
  ImportBuilder &b = n.b;
  if (n.inputCount() % 3 != 2)
    return n.fail(invalid("QLinearConcat needs a scale and a zero point, and "
                          "three inputs for each part"));
  SmallVector<Value> parts;
  for (size_t i = 2; i < n.inputCount() && n.needs({i, i + 1}); i += 3)
    parts.push_back(dequantized(n, i));
  int64_t axis = n.failed() ? 0 : n.axisAttribute("axis", 0, n.rank(2));
  if (!n.failed())
    setQuantized(n, {b, b.concat(axis, parts)}, 2, 0);
}

static void importQuantizedAveragePool(NodeReading &n) {
  ImportBuilder &b = n.b;
  int64_t rank = n.rank(0);
  if (!n.needs({3}))
    return;
  if (rank < 3)
    return n.fail(invalid("QLinearGlobalAveragePool needs rank 3 or more"));
  bool isLast = n.intAttribute("channels_last", 0) != 0;
  SmallVector<int64_t> spatial(rank - 2);
  std::iota(spatial.begin(), spatial.end(), isLast ? 1 : 2);
  ScalarValue x = dequantized(n, 0);
  if (!n.failed())
    setQuantized(n, {b, b.mean(x, spatial, true)}, 0, 3);
}

/// Bytes if there is a scale for the result, else floats.
static void importQuantizedGemm(NodeReading &n) {
  ImportBuilder &b = n.b;
  if (n.rank(0) != 2 || n.rank(3) != 2)
    return n.fail(invalid("QGemm needs operands of rank 2"));
  bool turnsLhs = n.intAttribute("transA", 0) != 0,
       turnsRhs = n.intAttribute("transB", 0) != 0;
  Value lhs = shiftedOperand(n, 0, 2, 0),
        rhs = shiftedOperand(n, 3, 5, turnsRhs ? 0 : 1);
  if (n.failed())
    return;
  Value sums = dot(b, lhs, rhs, 0, turnsLhs ? 0 : 1, turnsRhs ? 1 : 0);
  if (n.has(6)) {
    if (!n.elementType(6).isSignlessInteger(32))
      return n.fail(invalid("the bias is not i32"));
    sums = b.binary<graph::AddOp>(sums, n.input(6));
  }
  ScalarValue scale(b, scaleAlong(n, 1, -1, 0)),
      columns(b, scaleAlong(n, 4, 1, 2));
  if (n.failed())
    return;
  ScalarValue value = ScalarValue(b, b.convert(sums, b.builder.getF32Type())) *
                      (scale * columns * n.floatAttribute("alpha", 1));
  if (n.has(7))
    return setQuantized(n, value, 0, 7);
  n.result(value);
}

llvm::ArrayRef<OpRow> zenith::onnx::quantizedLayerRows() {
  static constexpr OpRow rows[] = {
      {"QGemm", 1, newest, 6, 9, importQuantizedGemm},
      {"QLinearAdd", 1, newest, 2, 8, importBinary<graph::AddOp>},
      {"QLinearConcat", 1, newest, 1, anyNumber, importQuantizedConcat},
      {"QLinearGlobalAveragePool", 1, newest, 2, 5, importQuantizedAveragePool},
      {"QLinearLeakyRelu", 1, newest, 2, 5, importQuantizedLeakyRelu},
      {"QLinearMul", 1, newest, 2, 8, importBinary<graph::MulOp>},
      {"QLinearSigmoid", 1, newest, 2, 5, importQuantizedSigmoid},
  };
  return rows;
}
