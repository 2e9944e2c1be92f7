// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of layers that ONNX Runtime fuses (com.microsoft): a matmul with
// transposed operands, activations with a bias, sums before a norm.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/IndexReading.h"
#include "frontends/onnx/import/NodeReading.h"
#include "frontends/onnx/import/ScalarValue.h"
#include "frontends/onnx/layers/ContractionReading.h"

#include <fmt/format.h>
#include <numeric>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using graph::ReduceKind;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Matmul
//===----------------------------------------------------------------------===//

/// An operand with its first dimension before the last one, or with its last
/// two exchanged, or both.
static Value turned(ImportBuilder &b, Value value, bool batch, bool matrix) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  SmallVector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  if (rank < 2)
    return value;
  if (batch)
    std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (matrix)
    std::swap(order[rank - 2], order[rank - 1]);
  return b.transpose(value, order);
}

static void importFusedMatMul(NodeReading &n) {
  ImportBuilder &b = n.b;
  if (n.rank(0) < 1 || n.rank(1) < 1)
    return n.fail(invalid("FusedMatMul of a scalar"));
  Value lhs = turned(b, n.input(0), n.intAttribute("transBatchA", 0) != 0,
                     n.intAttribute("transA", 0) != 0),
        rhs = turned(b, n.input(1), n.intAttribute("transBatchB", 0) != 0,
                     n.intAttribute("transB", 0) != 0);
  Value product = matmul(b, lhs, rhs);
  double alpha = n.floatAttribute("alpha", 1);
  n.result(alpha == 1 ? product : b.binary<graph::MulOp>(product, alpha));
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

template <graph::GeluForm form> static void importGelu(NodeReading &n) {
  Value x = n.input(0);
  if (n.has(1))
    x = n.b.binary<graph::AddOp>(x, n.input(1));
  if (!n.failed())
    n.result(n.b.emit<graph::GeluOp>(x.getType(), form, x));
}

static void importQuickGelu(NodeReading &n) {
  ScalarValue x(n.b, n.input(0));
  n.result(x *
           (x * n.floatAttribute("alpha", 1.702f)).apply<graph::LogisticOp>());
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

/// A layer norm over the last dimension; a null scale or bias is absent.
static Value layerNorm(NodeReading &n, Value x, Value scale, Value bias) {
  int64_t axis = cast<RankedTensorType>(x.getType()).getRank() - 1;
  return n.b.emit<graph::LayerNormOp>(
      x.getType(), x, scale, bias, uint64_t(axis),
      llvm::APFloat(double(float(n.floatAttribute("epsilon", 1e-12f)))));
}

/// Mean and 1 / deviation along the last dimension.
static void setStatistics(NodeReading &n, Value x) {
  ImportBuilder &b = n.b;
  int64_t last = b.dims(x).size() - 1;
  ScalarValue wide(b, b.convert(x, b.builder.getF32Type()));
  ScalarValue mean(b, b.mean(wide, {last}, true)), centered = wide - mean;
  ScalarValue variance(b, b.mean(centered * centered, {last}, true));
  n.result(1, mean);
  n.result(
      2,
      (variance + n.floatAttribute("epsilon", 1e-12f)).apply<graph::RsqrtOp>());
}

/// input + skip + bias, where `bias` is the input's position.
static Value skipSum(NodeReading &n, size_t bias) {
  ImportBuilder &b = n.b;
  Value sum = b.binary<graph::AddOp>(n.input(0), n.input(1));
  if (!n.failed() && !sameDims(b.dims(sum), n.dims(0)))
    n.fail(invalid("the second input does not fit into the first"));
  if (n.has(bias))
    sum = b.binary<graph::AddOp>(sum, n.input(bias));
  n.result(3, sum);
  return sum;
}

static bool checkFloats(NodeReading &n) {
  if (n.rank(0) < 1 || !isa<FloatType>(n.elementType(0)))
    n.fail(
        invalid(fmt::format("{} needs floats of rank 1 or more", n.node.op)));
  return !n.failed();
}

static void importSkipLayerNormalization(NodeReading &n) {
  if (!checkFloats(n))
    return;
  Value sum = skipSum(n, 4);
  if (n.failed())
    return;
  n.result(0, layerNorm(n, sum, n.input(2), n.has(3) ? n.input(3) : Value()));
  if (n.wants(1) || n.wants(2))
    setStatistics(n, sum);
}

static void importSkipSimplifiedLayerNormalization(NodeReading &n) {
  if (!checkFloats(n))
    return;
  Value sum = skipSum(n, 3);
  if (n.failed())
    return;
  if (n.wants(1) || n.wants(2))
    return n.fail(
        unsupported("statistics of SkipSimplifiedLayerNormalization"));
  n.result(0, n.b.emit<graph::RmsNormOp>(
                  sum.getType(), sum, n.input(2), uint64_t(n.rank(0) - 1),
                  llvm::APFloat(
                      double(float(n.floatAttribute("epsilon", 1e-12f))))));
}

/// The sum of three embeddings of [batch, positions] and its norm.
static void importEmbedLayerNormalization(NodeReading &n) {
  enum {
    Ids,
    Segments,
    Words,
    Positions,
    SegmentTable,
    Gamma,
    Beta,
    Mask,
    PositionIds
  };
  ImportBuilder &b = n.b;
  if (!n.needs({Ids, Words, Positions, Gamma, Beta}))
    return;
  for (size_t table : {Words, Positions, SegmentTable})
    if (n.has(table) &&
        (n.rank(table) != 2 || !isa<FloatType>(n.elementType(table))))
      return n.fail(invalid("embeddings need floats of rank 2"));
  if (n.rank(Ids) != 2 || n.has(Segments) != n.has(SegmentTable))
    return n.fail(invalid("input_ids need rank 2, segments a table"));
  Value sum = gatherAlong(b, n.input(Words), 0, n.input(Ids));
  Value positions =
      n.has(PositionIds)
          ? gatherAlong(b, n.input(Positions), 0, n.input(PositionIds))
          : b.sliceDim(n.input(Positions), 0, DimExpr(0), n.dims(Ids)[1]);
  sum = b.binary<graph::AddOp>(sum, positions);
  if (n.has(Segments))
    sum = b.binary<graph::AddOp>(
        sum, gatherAlong(b, n.input(SegmentTable), 0, n.input(Segments)));
  if (n.failed())
    return;
  n.result(0, layerNorm(n, sum, n.input(Gamma), n.input(Beta)));
  n.result(2, sum);
  if (!n.wants(1))
    return;
  Type i32 = b.builder.getI32Type();
  if (!n.has(Mask))
    return n.result(1, b.filled({n.dims(Ids)[0]}, i32, 0));
  Value counts =
      ScalarValue(b, n.input(Mask)).compare(CompareDirection::eq, 1.0);
  n.result(1, b.reduce(ReduceKind::sum, b.convert(counts, i32), {1}, false));
}

llvm::ArrayRef<OpRow> zenith::onnx::fusedRows() {
  static constexpr OpRow rows[] = {
      {"BiasGelu", 1, newest, 2, 2, importGelu<graph::GeluForm::erf>},
      {"EmbedLayerNormalization", 1, newest, 1, 9,
       importEmbedLayerNormalization},
      {"FastGelu", 1, newest, 1, 2, importGelu<graph::GeluForm::tanh>},
      {"FusedMatMul", 1, newest, 2, 2, importFusedMatMul},
      {"Gelu", 1, newest, 1, 1, importGelu<graph::GeluForm::erf>},
      {"QuickGelu", 1, newest, 1, 1, importQuickGelu},
      {"SkipLayerNormalization", 1, newest, 3, 5, importSkipLayerNormalization},
      {"SkipSimplifiedLayerNormalization", 1, newest, 3, 4,
       importSkipSimplifiedLayerNormalization},
  };
  return rows;
}
