// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rule of FlexAttention: attention whose scores and weights are modified
// by subgraphs.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/SampleReading.h"
#include "frontends/onnx/layers/AttentionReading.h"

#include <cmath>
#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using llvm::ArrayRef;

/// A value modified by the subgraph of an attribute; the value itself if the
/// attribute is absent.
static Value modified(NodeReading &n, const char *name, Value value) {
  const NodeAttribute *attribute = n.node.attribute(name);
  if (!attribute || n.failed())
    return value;
  if (attribute->graphs.size() != 1 ||
      attribute->graphs[0].inputs.size() != 1 ||
      attribute->graphs[0].outputs.size() != 1) {
    n.fail(invalid(
        fmt::format("attribute '{}' is not a graph of one value", name)));
    return value;
  }
  ImportedValue argument;
  argument.type = cast<RankedTensorType>(value.getType());
  argument.data = value;
  std::vector<ImportedValue *> results = n.source.importSubgraph(
      attribute->graphs[0], {n.source.keepValue(std::move(argument))});
  if (results.empty())
    return value;
  if (results[0]->kind != ImportedValue::Tensor) {
    n.fail(invalid(fmt::format("'{}' gives no tensor", name)));
    return value;
  }
  Value result = n.read(*results[0]);
  if (!sameDims(n.b.dims(result), n.b.dims(value)) ||
      result.getType() != value.getType())
    n.fail(invalid(fmt::format("'{}' changes the shape or the type", name)));
  return n.failed() ? value : result;
}

static void importFlexAttention(NodeReading &n) {
  ImportBuilder &b = n.b;
  Type element = n.elementType(0);
  for (size_t i = 0; i < 3; ++i)
    if (n.rank(i) != 4 || !isa<FloatType>(n.elementType(i)))
      return n.fail(invalid("queries, keys and values need floats of rank 4"));
  DimVector queries = n.dims(0), keys = n.dims(1), values = n.dims(2);
  DimExpr share = queriesPerKey(n, queries[1], keys[1]);
  auto precision =
      static_cast<DataType>(n.intAttribute("softmax_precision", 0));
  Type wide = precision == DataType::Undefined
                  ? wideFloat(b, element)
                  : elementTypeOf(precision, b.builder.getContext());
  if (!n.failed() && !isa_and_nonnull<FloatType>(wide))
    n.fail(invalid("softmax_precision is no float"));
  if (n.failed())
    return;
  bool hasScale = n.hasAttribute("scale");
  double scale =
      hasScale ? n.floatAttribute("scale", 1) : scaleOfHeads(queries[3]);
  DimExpr rows = b.product({share, queries[2]});
  Value converted = b.convert(n.input(0), wide);
  Value q = b.reshape(hasScale ? converted : scaledByHeads(b, converted),
                      {queries[0], keys[1], rows, queries[3]});
  auto contract = [&](Value lhs, Value rhs, int64_t contracted,
                      const DimExpr &columns) {
    auto dimsAttr = graph::DotDimsAttr::get(b.builder.getContext(), {0, 1},
                                            {0, 1}, {3}, {contracted});
    return b.emit<graph::DotGeneralOp>(
        b.typeOf({queries[0], keys[1], rows, columns}, wide), lhs, rhs,
        dimsAttr);
  };
  DimVector perHead = {queries[0], queries[1], queries[2], keys[2]},
            grouped = {queries[0], keys[1], rows, keys[2]};
  Value scores = b.binary<graph::MulOp>(
      contract(q, b.convert(n.input(1), wide), 3, keys[2]), scale);
  scores = modified(n, "score_mod", b.reshape(scores, perHead));
  Value weights =
      b.emit<graph::SoftmaxOp>(scores.getType(), scores, ArrayRef<int64_t>(3));
  weights = modified(n, "prob_mod", weights);
  if (n.failed())
    return;
  Value result = contract(b.reshape(weights, grouped),
                          b.convert(n.input(2), wide), 2, values[3]);
  n.result(b.convert(
      b.reshape(result, {queries[0], queries[1], queries[2], values[3]}),
      element));
}

llvm::ArrayRef<OpRow> zenith::onnx::flexRows() {
  static constexpr OpRow rows[] = {
      {"FlexAttention", 1, newest, 3, 3, importFlexAttention},
  };
  return rows;
}
