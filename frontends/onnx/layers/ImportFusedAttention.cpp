// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rule of the Attention that ONNX Runtime fuses (com.microsoft): one
// matmul projects queries, keys and values.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/LoopBuilder.h"
#include "frontends/onnx/import/NodeReading.h"
#include "frontends/onnx/import/ScalarValue.h"
#include "frontends/onnx/layers/AttentionReading.h"
#include "frontends/onnx/layers/ContractionReading.h"

#include <cmath>
#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

class FusedAttention {
public:
  explicit FusedAttention(NodeReading &n) : n(n), b(n.b) {}
  void run();

private:
  enum Input { Data, Weights, Bias, Mask, Past, Added, PastLength };
  bool check();
  bool project();
  void extendByPast();
  /// True where a key counts: [batch, 1, queries or 1, keys]; null: all do.
  Value countedKeys();
  Value causalMask();
  Value mask();

  NodeReading &n;
  ImportBuilder &b;
  Type element;
  int64_t heads = 0;
  DimExpr batch, queries, past, keys;
  Value query, key, value; // [batch, heads, positions, size]
};

} // namespace

bool FusedAttention::check() {
  heads = n.intAttribute("num_heads", 0);
  element = n.elementType(Data);
  if (n.rank(Data) != 3 || n.rank(Weights) != 2 || heads < 1 ||
      !isa<FloatType>(element) || (n.has(Bias) && n.rank(Bias) != 1))
    n.fail(invalid("Attention needs floats of rank 3, weights of rank 2 and a "
                   "bias of rank 1"));
  if (n.intAttribute("do_rotary", 0))
    n.fail(unsupported("Attention with rotary embeddings"));
  if (n.has(PastLength) || n.intAttribute("past_present_share_buffer", 0))
    n.fail(unsupported("Attention whose past and present share a buffer"));
  return !n.failed();
}

bool FusedAttention::project() {
  auto columns = n.dims(Weights)[1].constant();
  if (!columns) {
    n.fail(unsupported("weights of dynamic shape"));
    return false;
  }
  SmallVector<int64_t> sizes = n.intsAttribute(
      "qkv_hidden_sizes", {*columns / 3, *columns / 3, *columns / 3});
  if (sizes.size() != 3 || sizes[0] + sizes[1] + sizes[2] != *columns ||
      sizes[0] != sizes[1]) {
    n.fail(invalid(fmt::format("{} columns of weights are no queries, keys and "
                               "values",
                               *columns)));
    return false;
  }
  Value all = matmul(b, n.input(Data), n.input(Weights));
  if (n.has(Bias))
    all = b.binary<graph::AddOp>(all, n.input(Bias));
  Value *parts[] = {&query, &key, &value};
  int64_t start = 0;
  for (auto [part, size] : llvm::zip(parts, sizes)) {
    if (n.failed())
      return false;
    *part =
        splitHeads(n, b.sliceDim(all, 2, DimExpr(start), DimExpr(size)), heads);
    start += size;
  }
  batch = n.dims(Data)[0];
  queries = n.dims(Data)[1];
  return !n.failed();
}

void FusedAttention::extendByPast() {
  past = DimExpr(0);
  if (n.has(Past)) {
    if (n.rank(Past) != 5)
      return n.fail(invalid("past needs rank 5"));
    DimVector dims = n.dims(Past);
    past = dims[3];
    dims.erase(dims.begin());
    auto half = [&](int64_t index) {
      return b.reshape(b.sliceDim(n.input(Past), 0, DimExpr(index), DimExpr(1)),
                       dims);
    };
    key = b.concat(2, {half(0), key});
    value = b.concat(2, {half(1), value});
  }
  keys = b.dims(key)[2];
  if (!n.wants(1))
    return;
  auto stacked = [&](Value part) {
    DimVector dims = b.dims(part);
    dims.insert(dims.begin(), DimExpr(1));
    return b.reshape(part, dims);
  };
  if (!sameDims(b.dims(key), b.dims(value)))
    return n.fail(unsupported("a present of keys and values that differ"));
  n.result(1, b.concat(0, {stacked(key), stacked(value)}));
}

Value FusedAttention::countedKeys() {
  if (!n.has(Mask))
    return {};
  DimExpr one(1);
  ScalarValue given(b, n.input(Mask));
  int64_t rank = n.rank(Mask);
  if (rank == 1 && n.dims(Mask)[0] == batch) {
    Type index = n.elementType(Mask);
    Value positions = b.iota(3, {one, one, one, keys}, index);
    Value lengths = b.reshape(given, {batch, one, one, one});
    return b.compare(CompareDirection::lt, positions, lengths);
  }
  if (rank != 2 && rank != 3) {
    n.fail(unsupported(fmt::format("a mask of rank {}", rank)));
    return {};
  }
  Value counted = given.compare(CompareDirection::ne, 0.0);
  DimVector dims = n.dims(Mask);
  return b.reshape(counted, rank == 2
                                ? DimVector{batch, one, one, dims[1]}
                                : DimVector{batch, one, dims[1], dims[2]});
}

Value FusedAttention::causalMask() {
  if (!n.intAttribute("unidirectional", 0))
    return {};
  DimExpr one(1);
  Type i64 = b.builder.getI64Type();
  Value row = b.binary<graph::AddOp>(b.iota(2, {one, one, queries, one}, i64),
                                     b.scalar(past));
  return b.compare(CompareDirection::le, b.iota(3, {one, one, one, keys}, i64),
                   row);
}

/// What is added to the scores; null: nothing.
Value FusedAttention::mask() {
  Value counted = countedKeys(), causal = causalMask();
  Type f32 = b.builder.getF32Type();
  if (n.failed() || (!counted && !causal && !n.has(Added)))
    return {};
  DimVector dims = {DimExpr(1), DimExpr(1), queries, keys};
  Value sum = b.filled(dims, f32, 0);
  auto without = [&](Value keeps, double otherwise) {
    ScalarValue zero(b, b.scalarConstant(f32, 0));
    return zero.where(keeps, otherwise);
  };
  if (counted)
    sum = b.binary<graph::AddOp>(
        sum, without(counted, n.floatAttribute("mask_filter_value", -10000)));
  if (n.has(Added))
    sum = b.binary<graph::AddOp>(sum, b.convert(n.input(Added), f32));
  constexpr double lowest = -3.4028234663852886e38;
  if (causal)
    sum = ScalarValue(b, sum).where(causal, lowest);
  return b.convert(sum, element);
}

void FusedAttention::run() {
  if (!check() || !project())
    return;
  extendByPast();
  if (n.failed())
    return;
  double scale = n.floatAttribute("scale", 0);
  if (scale == 0) {
    scale = scaleOfHeads(b.dims(query)[3]);
    query = scaledByHeads(b, query);
  }
  DimVector result = b.dims(query);
  result[3] = b.dims(value)[3];
  Value added = mask();
  if (n.failed())
    return;
  if (added) {
    DimVector scores = {batch, DimExpr(heads), queries, keys};
    added = b.broadcastTo(added, scores);
  }
  Value output = b.emit<graph::AttentionOp>(
      b.typeOf(result, element), query, key, value, added, llvm::APFloat(scale),
      /*causal=*/false, FloatAttr(), /*guarded=*/false);
  n.result(0, joinHeads(b, output));
}

static void importAttention(NodeReading &n) { FusedAttention(n).run(); }

llvm::ArrayRef<OpRow> zenith::onnx::fusedAttentionRows() {
  static constexpr OpRow rows[] = {
      {"Attention", 1, newest, 2, 7, importAttention},
  };
  return rows;
}
