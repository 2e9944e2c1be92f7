// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes attention down where two products around a softmax are one.

#include "ir/matchers/SplatMatch.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/raise/AttentionMatch.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::cleanup {

namespace {

class AttentionWriter : AttentionMatch {
public:
  AttentionWriter(AttentionMatch match, OpBuilder &builder)
      : AttentionMatch(std::move(match)), builder(builder) {}
  Value build();

private:
  Value sizeOf(int number);
  Value spread(Value value, ArrayRef<int> numbers, const ScoreSpace &space,
               int standIn);
  Value moved(Value value, unsigned from, unsigned to, int standIn);
  Value permuted(Value value, ArrayRef<int64_t> permutation);
  Value ordered(Value value, const ScoreSpace &from, const ScoreSpace &to);
  Value converted(Value value, Type element);

  OpBuilder &builder;
};

} // namespace

Value AttentionWriter::sizeOf(int number) {
  ScoreSize &size = sizes[number];
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
  for (int number : to)
    permutation.push_back(indexOf(from, number));
  return permuted(value, permutation);
}

/// `value`, whose dimensions have `numbers` (-1: the one that stands in), in
/// the order of `space`, repeated along what it lacks.
Value AttentionWriter::spread(Value value, ArrayRef<int> numbers,
                              const ScoreSpace &space, int standIn) {
  auto numberOf = [&](unsigned d) {
    return numbers[d] < 0 ? standIn : numbers[d];
  };
  ScoreSpace own;
  for (unsigned d = 0; d < numbers.size(); ++d)
    own.push_back(numberOf(d));
  if (own.size() == space.size())
    return ordered(value, own, space);
  SmallVector<int64_t> mapping, shape;
  SmallVector<Value> dynamic;
  for (int number : own)
    mapping.push_back(indexOf(space, number));
  for (int number : space) {
    int64_t source = indexOf(own, number);
    bool isOwn = source < int64_t(own.size());
    shape.push_back(isOwn ? typeOf(value).getDimSize(source)
                          : sizes[number].fixed);
    if (ShapedType::isDynamic(shape.back()))
      dynamic.push_back(
          isOwn
              ? builder.create<DimOp>(root.getLoc(), value, source).getResult()
              : sizeOf(number));
  }
  return builder.create<BroadcastOp>(root.getLoc(), typeOf(value).clone(shape),
                                     value, mapping, dynamic);
}

/// Follows the scores from one space to another, either way.
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
      for (int number : spaces[target]) {
        bool isOwn = number == standIn;
        shape.push_back(isOwn ? typeOf(value).getDimSize(source)
                              : sizes[number].fixed);
        if (ShapedType::isDynamic(shape.back()))
          dynamic.push_back(
              isOwn ? builder.create<DimOp>(root.getLoc(), value, source)
                          .getResult()
                    : sizeOf(number));
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
  for (int number : space)
    if (number != row && number != key)
      rows.push_back(number);
  columns = rows;
  rows.append({row, key});
  columns.append({key, row});
  auto place = [&](Value value, ArrayRef<int> numbers, unsigned from,
                   int standIn, const ScoreSpace &order) {
    Value spreadOut = spread(value, numbers, spaces[from], standIn);
    return ordered(
        moved(converted(spreadOut, element), from, canonical, standIn), space,
        order);
  };
  Value q = place(query, queryNumbers, 0, key, rows),
        k = place(keys, keyNumbers, 0, row, columns),
        v = place(values, valueNumbers, last, row, columns), m;
  if (mask.kept && mask.keptNegated)
    mask.kept = builder.create<NotOp>(loc, mask.kept.getType(), mask.kept);
  if (Value given = mask.bias ? mask.bias : mask.kept)
    m = ordered(given, space, rows);
  SmallVector<int64_t> shape(typeOf(q).getShape());
  shape.back() = typeOf(v).getShape().back();
  FloatAttr removed =
      mask.kept ? builder.getF64FloatAttr(mask.removed) : FloatAttr();
  Value result = builder.create<AttentionOp>(
      loc, RankedTensorType::get(shape, element), q, k, v, m, APFloat(scale),
      mask.causal, removed, guarded);
  // Its features stand where the keys were.
  result = moved(ordered(result, rows, space), canonical, last, key);
  result = ordered(result, spaces[last], resultNumbers);
  result = converted(result, typeOf(root).getElementType());
  if (result.getType() == root.getType())
    return result;
  // One side knew more sizes than the other.
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

} // namespace zenith::cleanup
