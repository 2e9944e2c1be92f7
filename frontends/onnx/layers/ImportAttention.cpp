// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rule of Attention: the composite op if the node uses its result only,
// otherwise the formula spelled out.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/IndexReading.h"
#include "frontends/onnx/layers/AttentionReading.h"

#include <cmath>
#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using graph::ReduceKind;
using llvm::ArrayRef;
using llvm::SmallVector;

Value zenith::onnx::splitHeads(NodeReading &n, Value value, int64_t heads) {
  DimVector dims = n.b.dims(value);
  auto features = dims[2].constant();
  if (heads < 1 || (features && *features % heads)) {
    n.fail(invalid(fmt::format("{} heads do not divide {} features", heads,
                               dims[2].str())));
    return value;
  }
  DimExpr count(heads),
      size = n.b.divided(dims[2], count, "the remainder of features by heads");
  return n.b.transpose(n.b.reshape(value, {dims[0], dims[1], count, size}),
                       {0, 2, 1, 3});
}

Value zenith::onnx::joinHeads(ImportBuilder &b, Value value) {
  DimVector dims = b.dims(value);
  return b.reshape(b.transpose(value, {0, 2, 1, 3}),
                   {dims[0], dims[2], b.product({dims[1], dims[3]})});
}

DimExpr zenith::onnx::queriesPerKey(NodeReading &n, const DimExpr &queryHeads,
                                    const DimExpr &keyHeads) {
  if (queryHeads == keyHeads)
    return 1;
  auto queries = queryHeads.constant(), keys = keyHeads.constant();
  if (queries && keys && (*keys < 1 || *queries % *keys))
    n.fail(invalid(fmt::format("{} heads of keys do not divide {} heads of "
                               "queries",
                               *keys, *queries)));
  return n.b.divided(queryHeads, keyHeads,
                     "the remainder of heads of queries by those of keys");
}

double zenith::onnx::scaleOfHeads(const DimExpr &size) {
  auto known = size.constant();
  return known ? 1 / std::sqrt(double(*known)) : 1;
}

Value zenith::onnx::scaledByHeads(ImportBuilder &b, Value query) {
  DimExpr size = b.dims(query).back();
  if (size.constant())
    return query;
  Type wide = b.builder.getF32Type();
  Value factor = b.unary<graph::RsqrtOp>(b.convert(b.scalar(size), wide));
  return b.binary<graph::MulOp>(
      query, b.convert(factor, getElementTypeOrSelf(query.getType())));
}

namespace {

class AttentionReading {
public:
  explicit AttentionReading(NodeReading &n) : n(n), b(n.b) {}
  void run();

private:
  bool readOperands();
  void extendByPast();
  bool readFeatures();
  Value positions(int64_t dim);
  Value allowedByPosition();
  Value maskInput();
  Value makeMask();
  void byComposite(Value mask);
  void spelledOut(Value mask);
  /// [batch, key heads, share * queries, ...] from and to [batch, query heads,
  /// queries, ...]; queries that share a key head are stacked along the queries
  /// dimension.
  Value grouped(Value value);
  Value ungrouped(Value value);
  Value zeroWhere(Value isEmpty, Value value);
  void setResult(Value value);

  NodeReading &n;
  ImportBuilder &b;
  Value query, key, value; // [batch, heads, positions, size]
  bool joined = false;     // rank 3 in and out
  DimExpr share = 1;
  DimExpr batch, heads, queries, keys, past;
  double scale = 1, softcap = 0;
  bool causal = false;
  int64_t left = -1, right = -1;
  Type element;
};

bool AttentionReading::readOperands() {
  element = n.elementType(0);
  joined = n.rank(0) == 3;
  for (size_t i = 0; i < 3; ++i)
    if (n.rank(i) != (joined ? 3 : 4) || !isa<FloatType>(n.elementType(i)))
      n.fail(invalid("queries, keys and values need rank 3 or 4 and floats"));
  if (n.failed())
    return false;
  query = n.input(0);
  key = n.input(1);
  value = n.input(2);
  if (joined) {
    int64_t keyHeads = n.intAttribute("kv_num_heads", 0);
    query = splitHeads(n, query, n.intAttribute("q_num_heads", 0));
    key = splitHeads(n, key, keyHeads);
    value = splitHeads(n, value, keyHeads);
  }
  // Values may be of another type than queries and keys.
  if (!n.failed() && n.elementType(1) != element)
    n.fail(invalid("queries and keys differ in type"));
  if (n.failed())
    return false;
  extendByPast();
  DimVector dims = b.dims(query);
  batch = dims[0];
  heads = dims[1];
  queries = dims[2];
  keys = b.dims(key)[2];
  share = queriesPerKey(n, heads, b.dims(key)[1]);
  return !n.failed();
}

void AttentionReading::extendByPast() {
  past = DimExpr(0);
  if (n.has(4) != n.has(5))
    return n.fail(invalid("of past_key and past_value one is absent"));
  if (n.has(4)) {
    if (n.rank(4) != 4 || n.rank(5) != 4)
      return n.fail(invalid("past_key and past_value need rank 4"));
    past = n.dims(4)[2];
    key = b.concat(2, {n.input(4), key});
    value = b.concat(2, {n.input(5), value});
  }
  n.result(1, key);
  n.result(2, value);
}

bool AttentionReading::readFeatures() {
  softcap = n.floatAttribute("softcap", 0);
  causal = n.intAttribute("is_causal", 0) != 0;
  left = n.intAttribute("left_window_size", -1);
  right = n.intAttribute("right_window_size", -1);
  if (left < -1 || right < -1)
    n.fail(invalid("a window size is below -1"));
  if (n.has(6) && (n.has(4) || n.rank(6) != 1))
    n.fail(invalid("nonpad_kv_seqlen is no vector, or goes with past_key"));
  scale = n.hasAttribute("scale") ? n.floatAttribute("scale", 1)
                                  : scaleOfHeads(b.dims(query)[3]);
  if (!n.hasAttribute("scale"))
    query = scaledByHeads(b, query);
  return !n.failed();
}

/// Count of queries (dimension 2) or of keys (dimension 3).
Value AttentionReading::positions(int64_t dim) {
  DimVector dims = {DimExpr(1), DimExpr(1), DimExpr(1), DimExpr(1)};
  dims[dim] = dim == 2 ? queries : keys;
  return b.iota(dim, dims, b.builder.getI64Type());
}

/// Which keys a query may see by their positions; null: all.
Value AttentionReading::allowedByPosition() {
  Value allowed;
  auto add = [&](CompareDirection direction, Value lhs, Value rhs) {
    Value more = b.compare(direction, lhs, rhs);
    allowed = allowed ? b.binary<graph::AndOp>(allowed, more) : more;
  };
  Value key = positions(3), valid;
  if (n.has(6)) {
    valid = b.reshape(b.convert(n.input(6), b.builder.getI64Type()),
                      {batch, DimExpr(1), DimExpr(1), DimExpr(1)});
    add(CompareDirection::lt, key, valid);
  }
  if (!causal && left < 0 && right < 0)
    return allowed;
  // The position of a query among the keys.
  Value offset =
      valid ? b.binary<graph::SubOp>(valid, b.scalar(queries)) : b.scalar(past);
  Value position = b.binary<graph::AddOp>(positions(2), offset);
  int64_t ahead = causal ? 0 : right;
  if (ahead >= 0)
    add(CompareDirection::le, key,
        b.binary<graph::AddOp>(position, b.scalar(DimExpr(ahead))));
  if (left >= 0)
    add(CompareDirection::ge, key,
        b.binary<graph::SubOp>(position, b.scalar(DimExpr(left))));
  return allowed;
}

/// The given mask as rank 4, with keys that it lacks forbidden; a boolean mask
/// stays boolean.
Value AttentionReading::maskInput() {
  Value mask = n.input(3);
  bool isBoolean = n.elementType(3).isInteger(1);
  if (n.rank(3) > 4 || n.rank(3) < 1 ||
      (!isBoolean && !isa<FloatType>(n.elementType(3)))) {
    n.fail(invalid("attn_mask is neither booleans nor floats of rank 1 to 4"));
    return mask;
  }
  DimVector dims(4 - n.rank(3), DimExpr(1));
  dims.append(n.dims(3));
  mask = b.reshape(mask, dims);
  if (!isBoolean)
    mask = b.convert(mask, element);
  auto known = (keys - dims[3]).constant();
  if (dims[3].isConstant(1) || (known && *known <= 0) ||
      (!known && n.version < 24))
    return mask;
  // A mask of one key serves all keys; a shorter one otherwise is padded.
  DimExpr missing = DimExpr::max(keys - dims[3], DimExpr(0));
  if (!known)
    missing = missing *
              DimExpr::max(DimExpr::min(dims[3] - DimExpr(1), DimExpr(1)), 0);
  DimVector zeros(4, DimExpr(0)), high = zeros;
  high[3] = missing;
  return b.pad(mask,
               isBoolean ? b.scalarConstant(b.builder.getI1Type(), 0)
                         : b.scalarConstant(element, -INFINITY),
               zeros, high);
}

/// The summand of the scores, in full shape; null if there is none.
Value AttentionReading::makeMask() {
  Value allowed = allowedByPosition(), bias;
  if (n.has(3)) {
    Value mask = maskInput();
    if (n.failed())
      return {};
    if (!getElementTypeOrSelf(mask.getType()).isInteger(1))
      bias = mask;
    else
      allowed = allowed ? b.binary<graph::AndOp>(allowed, mask) : mask;
  }
  if (!allowed && !bias)
    return {};
  if (!bias)
    bias = b.scalarConstant(element, 0);
  if (allowed)
    bias = b.select(allowed, bias, b.scalarConstant(element, -INFINITY));
  DimVector full = {batch, heads, queries, keys};
  return b.broadcastTo(bias, full);
}

Value AttentionReading::grouped(Value value) {
  if (share.isConstant(1))
    return value;
  DimVector dims = b.dims(value);
  return b.reshape(
      value, {dims[0], b.dims(key)[1], b.product({share, dims[2]}), dims[3]});
}

Value AttentionReading::ungrouped(Value value) {
  if (share.isConstant(1))
    return value;
  DimVector dims = b.dims(value);
  return b.reshape(value, {dims[0], heads, queries, dims[3]});
}

/// A query that may see no key gives zeros.
Value AttentionReading::zeroWhere(Value isEmpty, Value value) {
  return b.select(isEmpty,
                  b.scalarConstant(getElementTypeOrSelf(value.getType()), 0),
                  value);
}

static Value isEmptyRow(ImportBuilder &b, Value scores) {
  Value best = b.reduce(ReduceKind::max, scores, {3}, true);
  return b.compare(
      CompareDirection::eq, best,
      b.scalarConstant(getElementTypeOrSelf(best.getType()), -INFINITY));
}

void AttentionReading::setResult(Value result) {
  n.result(0, joined ? joinHeads(b, result) : result);
}

void AttentionReading::byComposite(Value mask) {
  Value q = grouped(query), groupedMask = mask ? grouped(mask) : mask;
  DimVector dims = b.dims(q);
  dims[3] = b.dims(value)[3];
  Value result = b.emit<graph::AttentionOp>(
      b.typeOf(dims, element), q, key, value, groupedMask, llvm::APFloat(scale),
      /*causal=*/false, FloatAttr(), /*guarded=*/false);
  if (groupedMask)
    result = zeroWhere(isEmptyRow(b, groupedMask), result);
  setResult(ungrouped(result));
}

/// All steps in the order of the operator's document; `qk_matmul_output` is one
/// of them.
void AttentionReading::spelledOut(Value mask) {
  int64_t mode = n.intAttribute("qk_matmul_output_mode", 0);
  auto precision =
      static_cast<DataType>(n.intAttribute("softmax_precision", 0));
  Type softmaxType = precision == DataType::Undefined
                         ? element
                         : elementTypeOf(precision, b.builder.getContext());
  if (mode < 0 || mode > 3 || !isa_and_nonnull<FloatType>(softmaxType))
    return n.fail(invalid("qk_matmul_output_mode or softmax_precision is none "
                          "of the operator's"));
  auto dims =
      graph::DotDimsAttr::get(b.builder.getContext(), {0, 1}, {0, 1}, {3}, {3});
  Value q = grouped(query);
  DimVector rows = b.dims(q);
  rows[3] = keys;
  // Both operands are scaled by the root of the factor, so that scores in
  // narrow floats stay in range.
  double root = std::sqrt(std::abs(scale));
  Value scores = b.emit<graph::DotGeneralOp>(
      b.typeOf(rows, element), b.binary<graph::MulOp>(q, root),
      b.binary<graph::MulOp>(key, std::copysign(root, scale)), dims);
  auto output = [&](int64_t step, Value value) {
    if (mode == step)
      n.result(3, ungrouped(b.convert(value, element)));
  };
  output(0, scores);
  if (softcap != 0)
    scores = b.binary<graph::MulOp>(
        b.unary<graph::TanhOp>(b.binary<graph::DivOp>(scores, softcap)),
        softcap);
  output(1, scores);
  if (mask)
    scores = b.binary<graph::AddOp>(scores, grouped(mask));
  output(2, scores);
  Value wide = b.convert(scores, softmaxType);
  Value weights =
      b.emit<graph::SoftmaxOp>(wide.getType(), wide, ArrayRef<int64_t>(3));
  if (mask)
    weights = zeroWhere(isEmptyRow(b, scores), weights);
  weights = b.convert(weights, element);
  output(3, weights);
  auto sum =
      graph::DotDimsAttr::get(b.builder.getContext(), {0, 1}, {0, 1}, {3}, {2});
  rows[3] = b.dims(value)[3];
  Type valueType = getElementTypeOrSelf(value.getType());
  Value result = b.emit<graph::DotGeneralOp>(
      b.typeOf(rows, valueType), b.convert(weights, valueType), value, sum);
  setResult(ungrouped(b.convert(result, element)));
}

void AttentionReading::run() {
  if (!readOperands() || !readFeatures())
    return;
  Value mask = makeMask();
  if (n.failed())
    return;
  bool plain = softcap == 0 && !n.wants(3) &&
               !n.hasAttribute("softmax_precision") &&
               n.elementType(2) == element;
  plain ? byComposite(mask) : spelledOut(mask);
}

} // namespace

static void importAttention(NodeReading &n) { AttentionReading(n).run(); }

//===----------------------------------------------------------------------===//
// Rotary embedding
//===----------------------------------------------------------------------===//

/// Turns pairs of features by angles given as sines and cosines per position.
static Value rotated(ImportBuilder &b, Value x, const DimExpr &pairs,
                     Value cosine, Value sine, bool interleaved) {
  DimVector dims = b.dims(x), half = dims;
  half[3] = pairs;
  auto part = [&](int64_t index) {
    return b.sliceDim(x, 3,
                      interleaved ? DimExpr(index) : pairs * DimExpr(index),
                      pairs, interleaved ? 2 : 1);
  };
  Value first = part(0), second = part(1);
  cosine = b.broadcastTo(cosine, half);
  sine = b.broadcastTo(sine, half);
  Value real = b.binary<graph::SubOp>(b.binary<graph::MulOp>(cosine, first),
                                      b.binary<graph::MulOp>(sine, second));
  Value imaginary =
      b.binary<graph::AddOp>(b.binary<graph::MulOp>(sine, first),
                             b.binary<graph::MulOp>(cosine, second));
  if (!interleaved)
    return b.concat(3, {real, imaginary});
  half.push_back(DimExpr(1));
  Value joined =
      b.concat(4, {b.reshape(real, half), b.reshape(imaginary, half)});
  return b.reshape(joined, dims);
}

/// The cache's rows for each position: [batch, 1, positions, pairs].
static Value cacheRows(NodeReading &n, size_t index, const DimExpr &pairs) {
  ImportBuilder &b = n.b;
  Value cache = n.input(index);
  int64_t rank = n.rank(index);
  if (rank != (n.has(3) ? 2 : 3)) {
    n.fail(invalid(fmt::format("the caches need rank {}", n.has(3) ? 2 : 3)));
    return cache;
  }
  DimVector columns = n.dims(index);
  columns.back() = pairs;
  cache = b.withShape(cache, columns);
  if (n.has(3)) {
    if (n.rank(3) != 2) {
      n.fail(invalid("position_ids needs rank 2"));
      return cache;
    }
    Value at = wrapNegative(
        b, n.input(3), b.convert(b.scalar(n.dims(index)[0]), n.elementType(3)));
    cache = gatherAlong(b, cache, 0, at);
  }
  DimVector rows = b.dims(cache);
  return b.reshape(cache, {rows[0], DimExpr(1), rows[1], rows[2]});
}

static void importRotaryEmbedding(NodeReading &n) {
  ImportBuilder &b = n.b;
  bool joined = n.rank(0) == 3;
  if ((!joined && n.rank(0) != 4) || !isa<FloatType>(n.elementType(0)))
    return n.fail(invalid("RotaryEmbedding needs floats of rank 3 or 4"));
  Value x = n.input(0);
  if (joined)
    x = splitHeads(n, x, n.intAttribute("num_heads", 0));
  if (n.failed())
    return;
  DimExpr size = b.dims(x)[3];
  int64_t asked = n.intAttribute("rotary_embedding_dim", 0);
  DimExpr turned = asked == 0 ? size : DimExpr(asked), rest = size - turned;
  if (auto known = turned.constant();
      (known && (*known < 0 || *known % 2)) || rest.constant().value_or(0) < 0)
    return n.fail(invalid(fmt::format("{} of {} features cannot be turned",
                                      turned.str(), size.str())));
  b.requireAtMost(turned, size, "features to be turned");
  DimExpr pairs = b.divided(turned, DimExpr(2),
                            "the remainder of features to be turned by 2");
  Value cosine = cacheRows(n, 1, pairs), sine = cacheRows(n, 2, pairs);
  if (n.failed())
    return;
  Value part = b.sliceDim(x, 3, DimExpr(0), turned);
  Value result = rotated(b, part, pairs, cosine, sine,
                         n.intAttribute("interleaved", 0) != 0);
  if (!rest.isConstant(0))
    result = b.concat(3, {result, b.sliceDim(x, 3, turned, rest)});
  n.result(joined ? joinHeads(b, result) : result);
}

llvm::ArrayRef<OpRow> zenith::onnx::attentionRows() {
  static constexpr OpRow rows[] = {
      {"Attention", 23, newest, 3, 7, importAttention},
      {"RotaryEmbedding", 23, newest, 3, 4, importRotaryEmbedding},
  };
  return rows;
}
