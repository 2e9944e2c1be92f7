// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of models that carry a state along a sequence and do not attend
// to all of it: linear attention and causal convolution.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/LoopBuilder.h"
#include "frontends/onnx/import/SampleReading.h"
#include "frontends/onnx/import/ScalarValue.h"
#include "frontends/onnx/layers/AttentionReading.h"

#include <cmath>
#include <fmt/format.h>
#include <numeric>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Causal convolution
//===----------------------------------------------------------------------===//

/// x after its state: [batch, features, state + length].
static Value withState(NodeReading &n, Value x, int64_t state) {
  ImportBuilder &b = n.b;
  if (state == 0)
    return x;
  DimVector dims = b.dims(x);
  dims[2] = DimExpr(state);
  Value past = n.has(3) ? n.input(3) : b.filled(dims, n.elementType(0), 0);
  return b.concat(2, {past, x});
}

static void importCausalConvolution(NodeReading &n) {
  ImportBuilder &b = n.b;
  if (n.rank(0) != 3 || n.rank(1) != 3 || (n.has(3) && n.rank(3) != 3) ||
      !isa<FloatType>(n.elementType(0)))
    return n.fail(invalid("the input and the weight need floats of rank 3"));
  DimVector dims = n.dims(0), kernel = n.dims(1);
  auto features = kernel[0].constant(), taps = kernel[2].constant();
  std::string activation = n.stringAttribute("activation", "none");
  bool isSwish = activation == "silu" || activation == "swish";
  if (!features || !taps || *taps < 1)
    return n.fail(unsupported("a kernel of unknown size"));
  if (!isSwish && activation != "none")
    return n.fail(
        invalid(fmt::format("attribute 'activation' is '{}'", activation)));
  Value x = withState(n, n.input(0), *taps - 1), weight = n.input(1);
  auto dimsAttr = graph::ConvDimsAttr::get(b.builder.getContext(), 0, 1, {2}, 1,
                                           0, {2}, 0, 1, {2});
  SmallVector<int64_t> one = {1}, zero = {0};
  Value value = b.emit<graph::ConvolutionOp>(b.typeOf(dims, n.elementType(0)),
                                             x, weight, dimsAttr, one, zero,
                                             zero, one, one, *features);
  if (n.has(2))
    value = b.binary<graph::AddOp>(value, b.broadcast(n.input(2), {1}, dims));
  if (isSwish)
    value = b.binary<graph::MulOp>(value, b.unary<graph::LogisticOp>(value));
  n.result(0, value);
  if (n.wants(1))
    n.result(1, b.sliceDim(x, 2, dims[2], DimExpr(*taps - 1)));
}

//===----------------------------------------------------------------------===//
// Linear attention
//===----------------------------------------------------------------------===//

namespace {

/// All operands with time first: [time, batch, heads, ...] in f32 or wider.
class LinearAttention {
public:
  explicit LinearAttention(NodeReading &n) : n(n), b(n.b) {}
  void run();

private:
  bool read();
  Value byTime(size_t index, int64_t heads, const DimExpr &size);
  Value initialState();
  /// The state after a step, and the output that queries read from it.
  std::pair<Value, Value> step(Value state,
                               llvm::function_ref<Value(Value)> at);
  void finish(Value state, Value outputs);

  NodeReading &n;
  ImportBuilder &b;
  Type wide;
  Value query, key, value, decay, beta;
  DimExpr time, batch, keySize, valueSize;
  int64_t queryHeads = 0, heads = 0, share = 1;
  double scale = 1;
};

Value LinearAttention::byTime(size_t index, int64_t heads,
                              const DimExpr &size) {
  Value x = b.reshape(b.convert(n.input(index), wide),
                      {batch, time, DimExpr(heads), size});
  return b.transpose(x, {1, 0, 2, 3});
}

bool LinearAttention::read() {
  std::string rule = n.stringAttribute("update_rule", "gated_delta");
  bool gated = rule == "gated" || rule == "gated_delta",
       delta = rule == "delta" || rule == "gated_delta";
  if (!gated && !delta && rule != "linear")
    n.fail(invalid(fmt::format("attribute 'update_rule' is '{}'", rule)));
  queryHeads = n.intAttribute("q_num_heads", 0);
  heads = n.intAttribute("kv_num_heads", 0);
  for (size_t i = 0; i < 3; ++i)
    if (n.rank(i) != 3 || !isa<FloatType>(n.elementType(i)))
      n.fail(invalid("queries, keys and values need floats of rank 3"));
  if (queryHeads < 1 || heads < 1 || queryHeads % heads)
    n.fail(invalid(
        fmt::format("{} heads of queries and {} of keys", queryHeads, heads)));
  if ((gated && !n.has(4)) || (delta && !n.has(5)))
    n.fail(invalid(fmt::format("update_rule {} needs {}", rule,
                               gated && !n.has(4) ? "decay" : "beta")));
  if (n.failed())
    return false;
  share = queryHeads / heads;
  batch = n.dims(0)[0];
  time = n.dims(0)[1];
  auto key = n.dims(1)[2].exactDiv(DimExpr(heads)),
       value = n.dims(2)[2].exactDiv(DimExpr(heads));
  if (!key || !value || n.dims(0)[2] != *key * DimExpr(queryHeads)) {
    n.fail(invalid("heads do not divide the features"));
    return false;
  }
  keySize = *key;
  valueSize = *value;
  wide = wideFloat(b, n.elementType(0));
  scale = n.floatAttribute("scale", 0);
  if (scale == 0 && !keySize.constant())
    n.fail(unsupported("heads of dynamic size without a scale"));
  else if (scale == 0)
    scale = 1 / std::sqrt(double(*keySize.constant()));
  query = byTime(0, queryHeads, keySize);
  this->key = byTime(1, heads, keySize);
  this->value = byTime(2, heads, valueSize);
  if (gated)
    decay = byTime(4, heads, *n.dims(4)[2].exactDiv(DimExpr(heads)));
  if (delta)
    beta = byTime(5, n.dims(5)[2].isConstant(1) ? 1 : heads, DimExpr(1));
  return !n.failed();
}

Value LinearAttention::initialState() {
  DimVector dims = {batch, DimExpr(heads), keySize, valueSize};
  return n.has(3) ? b.convert(n.input(3), wide) : b.filled(dims, wide, 0);
}

std::pair<Value, Value>
LinearAttention::step(Value state, llvm::function_ref<Value(Value)> at) {
  auto asColumn = [&](Value vector) { // along the state's keys
    DimVector dims = b.dims(vector);
    dims.push_back(DimExpr(1));
    return ScalarValue(b, b.reshape(vector, dims));
  };
  auto asRow = [&](Value vector) {
    DimVector dims = b.dims(vector);
    dims.insert(dims.begin() + 2, DimExpr(1));
    return ScalarValue(b, b.reshape(vector, dims));
  };
  ScalarValue s(b, state), k = asColumn(at(key)), v = asRow(at(value));
  if (decay)
    s = s * asColumn(at(decay)).apply<graph::ExpOp>();
  if (beta) {
    ScalarValue known(b, b.reduce(graph::ReduceKind::sum, s * k, {2}, true));
    v = (v - known) * asRow(at(beta));
  }
  s = s + k * v;
  Value q =
      b.reshape(at(query), {batch, DimExpr(heads), DimExpr(share), keySize});
  auto dimsAttr =
      graph::DotDimsAttr::get(b.builder.getContext(), {0, 1}, {0, 1}, {3}, {2});
  Value output = b.emit<graph::DotGeneralOp>(
      b.typeOf({batch, DimExpr(heads), DimExpr(share), valueSize}, wide), q, s,
      dimsAttr);
  return {s, b.binary<graph::MulOp>(output, scale)};
}

/// Outputs are [time, batch, heads, share, size].
void LinearAttention::finish(Value state, Value outputs) {
  Value joined =
      b.reshape(b.transpose(outputs, {1, 0, 2, 3, 4}),
                {batch, time, b.product({DimExpr(queryHeads), valueSize})});
  n.result(0, b.convert(joined, n.elementType(0)));
  if (n.wants(1))
    n.result(1,
             b.convert(state, n.has(3) ? n.elementType(3) : n.elementType(0)));
}

void LinearAttention::run() {
  if (!read())
    return;
  Value state = initialState();
  DimVector one = {DimExpr(1), batch, DimExpr(heads), DimExpr(share),
                   valueSize};
  constexpr int64_t mostUnrolled = 4;
  auto steps = time.constant();
  if (steps && *steps > 0 && *steps <= mostUnrolled) {
    SmallVector<Value> outputs;
    for (int64_t t = 0; t < *steps; ++t) {
      auto at = [&](Value value) {
        DimVector dims = b.dims(value);
        dims.erase(dims.begin());
        return b.reshape(b.sliceDim(value, 0, DimExpr(t), DimExpr(1)), dims);
      };
      auto [next, output] = step(state, at);
      state = next;
      outputs.push_back(b.reshape(output, one));
    }
    return finish(state, b.concat(0, outputs));
  }
  DimVector all = one;
  all[0] = time;
  Values results = buildFor(
      b, b.scalar(time), {state, b.filled(all, wide, 0)},
      [&](Value index, ValueRange carried) -> Values {
        auto at = [&](Value value) { return takeAt(b, value, 0, index); };
        auto [next, output] = step(carried[0], at);
        return {next, putAt(b, carried[1], index, output)};
      });
  if (!n.failed())
    finish(results[0], results[1]);
}

} // namespace

static void importLinearAttention(NodeReading &n) { LinearAttention(n).run(); }

llvm::ArrayRef<OpRow> zenith::onnx::sequenceModelRows() {
  static constexpr OpRow rows[] = {
      {"CausalConvWithState", 27, newest, 2, 4, importCausalConvolution},
      {"LinearAttention", 27, newest, 3, 6, importLinearAttention},
  };
  return rows;
}
