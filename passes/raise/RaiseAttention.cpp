// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds graph.attention where two matmuls around a softmax are attention.

#include "passes/raise/RaiseAttention.h"
#include "ir/GraphOps.h"
#include "ir/matchers/TypeOf.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/raise/AttentionMatch.h"
#include "passes/raise/NearMiss.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::raise {

namespace {

class AttentionWriter : AttentionMatch {
public:
  AttentionWriter(AttentionMatch match, OpBuilder &builder)
      : AttentionMatch(std::move(match)), builder(builder) {}
  Value build();

private:
  Value sizeOf(int id);
  Value spread(Value value, ArrayRef<int> ids, const ScoreSpace &space,
               int standIn);
  Value moved(Value value, unsigned from, unsigned to, int standIn);
  Value permuted(Value value, ArrayRef<int64_t> permutation);
  Value ordered(Value value, const ScoreSpace &from, const ScoreSpace &to);
  Value converted(Value value, Type element);

  OpBuilder &builder;
};

} // namespace

Value AttentionWriter::sizeOf(int id) {
  ScoreSize &size = sizes[id];
  if (!size.scalar)
    size.scalar = builder.create<DimOp>(root.getLoc(), size.of, size.dim);
  return size.scalar;
}

Value AttentionWriter::converted(Value value, Type element) {
  if (typeOf(value).getElementType() == element)
    return value;
  return builder.create<ConvertOp>(root.getLoc(), typeOf(value).clone(element),
                                   value, UnitAttr());
}

Value AttentionWriter::permuted(Value value, ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return value;
  SmallVector<int64_t> shape;
  for (int64_t source : permutation)
    shape.push_back(typeOf(value).getDimSize(source));
  return builder.create<TransposeOp>(root.getLoc(), typeOf(value).clone(shape),
                                     value, permutation);
}

Value AttentionWriter::ordered(Value value, const ScoreSpace &from,
                               const ScoreSpace &to) {
  SmallVector<int64_t> permutation;
  for (int id : to)
    permutation.push_back(indexOf(from, id));
  return permuted(value, permutation);
}

/// `value`, whose dimensions have `ids` (-1: the one that replaces
/// another), in the order of `space`, broadcast along the dimensions that it
/// lacks.
Value AttentionWriter::spread(Value value, ArrayRef<int> ids,
                              const ScoreSpace &space, int standIn) {
  auto numberOf = [&](unsigned d) { return ids[d] < 0 ? standIn : ids[d]; };
  ScoreSpace own;
  for (unsigned d = 0; d < ids.size(); ++d)
    own.push_back(numberOf(d));
  if (own.size() == space.size())
    return ordered(value, own, space);
  SmallVector<int64_t> mapping, shape;
  SmallVector<Value> dynamic;
  for (int id : own)
    mapping.push_back(indexOf(space, id));
  for (int id : space) {
    int64_t source = indexOf(own, id);
    bool isOwn = source < int64_t(own.size());
    shape.push_back(isOwn ? typeOf(value).getDimSize(source) : sizes[id].fixed);
    if (ShapedType::isDynamic(shape.back()))
      dynamic.push_back(
          isOwn
              ? builder.create<DimOp>(root.getLoc(), value, source).getResult()
              : sizeOf(id));
  }
  return builder.create<BroadcastOp>(root.getLoc(), typeOf(value).clone(shape),
                                     value, mapping, dynamic);
}

/// Applies the movement between two spaces of the scores, in either direction.
Value AttentionWriter::moved(Value value, unsigned from, unsigned to,
                             int standIn) {
  while (from != to) {
    unsigned target = from < to ? from + 1 : from - 1;
    Operation *move = moves[std::min(from, target)];
    if (isa<TransposeOp>(move)) {
      value = ordered(value, spaces[from], spaces[target]);
    } else {
      int64_t source = indexOf(spaces[from], standIn);
      SmallVector<int64_t> shape;
      SmallVector<Value> dynamic;
      for (int id : spaces[target]) {
        bool isOwn = id == standIn;
        shape.push_back(isOwn ? typeOf(value).getDimSize(source)
                              : sizes[id].fixed);
        if (ShapedType::isDynamic(shape.back()))
          dynamic.push_back(
              isOwn ? builder.create<DimOp>(root.getLoc(), value, source)
                          .getResult()
                    : sizeOf(id));
      }
      value = builder.create<ReshapeOp>(
          root.getLoc(), typeOf(value).clone(shape), value, dynamic);
    }
    from = target;
  }
  return value;
}

Value AttentionWriter::build() {
  Location loc = root.getLoc();
  Type element = typeOf(softmax).getElementType();
  const ScoreSpace &space = spaces[canonical];
  unsigned last = spaces.size() - 1;
  ScoreSpace rows, columns; // [..., S, T] and [..., T, S]
  for (int id : space)
    if (id != row && id != key)
      rows.push_back(id);
  columns = rows;
  rows.append({row, key});
  columns.append({key, row});
  auto inSpace = [&](Value value, ArrayRef<int> ids, unsigned from, int standIn,
                     const ScoreSpace &order) {
    Value spreadOut = spread(value, ids, spaces[from], standIn);
    return ordered(
        moved(converted(spreadOut, element), from, canonical, standIn), space,
        order);
  };
  Value q = inSpace(query, queryIds, 0, key, rows),
        k = inSpace(keys, keyIds, 0, row, columns),
        v = inSpace(values, valueIds, last, row, columns), m;
  if (mask.kept && mask.keptNegated)
    mask.kept = builder.create<NotOp>(loc, mask.kept.getType(), mask.kept);
  if (Value given = mask.bias ? mask.bias : mask.kept)
    m = ordered(given, space, rows);
  SmallVector<int64_t> shape(typeOf(q).getShape());
  shape.back() = typeOf(v).getShape().back();
  FloatAttr removed =
      mask.kept ? builder.getF64FloatAttr(mask.removed) : FloatAttr();
  // Whoever names one of the three ops means what became of it.
  auto attention = builder.create<AttentionOp>(
      builder.getFusedLoc({loc, softmax.getLoc(), product.getLoc()}),
      RankedTensorType::get(shape, element), q, k, v, m, APFloat(scale),
      mask.causal, removed, guarded);
  if (root->hasAttr(highestPrecisionAttrName) ||
      product->hasAttr(highestPrecisionAttrName))
    attention->setAttr(highestPrecisionAttrName, builder.getUnitAttr());
  Value result = attention;
  // The features replace the keys.
  result = moved(ordered(result, rows, space), canonical, last, key);
  result = ordered(result, spaces[last], resultIds);
  result = converted(result, typeOf(root).getElementType());
  if (result.getType() == root.getType())
    return result;
  // The two shapes may differ in which sizes are static.
  SmallVector<Value> dynamic;
  for (int64_t d = 0; d < typeOf(root).getRank(); ++d)
    if (typeOf(root).isDynamicDim(d))
      dynamic.push_back(builder.create<DimOp>(loc, result, d));
  return builder.create<ReshapeOp>(loc, root.getType(), result, dynamic);
}

Value attentionFor(DotGeneralOp root, OpBuilder &builder) {
  NearMiss miss;
  FailureOr<AttentionMatch> match = matchAttention(root, miss);
  return succeeded(match) ? AttentionWriter(std::move(*match), builder).build()
                          : Value();
}

static LogicalResult raiseAttention(DotGeneralOp op,
                                    PatternRewriter &rewriter) {
  Value result = attentionFor(op, rewriter);
  if (!result)
    return failure();
  rewriter.replaceOp(op, result);
  return success();
}

void addAttentionPatterns(RewritePatternSet &patterns) {
  patterns.add(raiseAttention);
}

void explainAttention(func::FuncOp function) {
  function.walk([](DotGeneralOp op) {
    NearMiss miss;
    if (failed(matchAttention(op, miss)))
      miss.report(remarks::Code::FUS204);
  });
}

} // namespace zenith::raise
