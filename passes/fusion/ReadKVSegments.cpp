// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives attention of few queries the pieces of keys and values, as a cache and
// what is appended to it; they are joined for others only.

#include "ir/encodings/KVSegments.h"
#include "ir/target/TargetModel.h"
#include "passes/fusion/OutlineFusions.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {

static RankedTensorType withSize(RankedTensorType type, int64_t dim,
                                 int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return type.clone(shape);
}

/// Where groups of heads share keys: pieces are repeated, and heads counted as
/// one, one by one. Null where `value` is anything else.
static Value repeatedByPieces(OpBuilder &builder, Value value, int64_t dim) {
  auto reshape = value.getDefiningOp<ReshapeOp>();
  auto repeat = reshape ? reshape.getOperand().getDefiningOp<BroadcastOp>()
                        : BroadcastOp();
  auto concat =
      repeat ? repeat.getOperand().getDefiningOp<ConcatOp>() : ConcatOp();
  if (!concat || !cast<RankedTensorType>(concat.getType()).hasStaticShape())
    return {};
  RankedTensorType joined = cast<RankedTensorType>(value.getType()),
                   repeated = cast<RankedTensorType>(repeat.getType());
  int64_t from = int64_t(concat.getDim()), to = repeat.getMapping()[from];
  if (!joined.hasStaticShape() || !repeated.hasStaticShape() ||
      cast<RankedTensorType>(concat.getType()).getDimSize(from) !=
          repeated.getDimSize(to) ||
      joined.getShape().drop_front(dim) != repeated.getShape().drop_front(to))
    return {};
  SmallVector<Value> pieces;
  for (Value piece : concat.getOperands()) {
    int64_t size = cast<RankedTensorType>(piece.getType()).getDimSize(from);
    Value own = builder.create<BroadcastOp>(value.getLoc(),
                                            withSize(repeated, to, size), piece,
                                            repeat.getMapping(), ValueRange());
    pieces.push_back(builder.create<ReshapeOp>(
        value.getLoc(), withSize(joined, dim, size), own, ValueRange()));
  }
  return builder.create<ConcatOp>(value.getLoc(), joined, uint64_t(dim),
                                  pieces);
}

static void readByPieces(AttentionOp attention) {
  OpBuilder builder(attention);
  int64_t dim = cast<RankedTensorType>(attention.getType()).getRank() - 2;
  OpOperand *operands[] = {&attention.getKeyMutable(),
                           &attention.getValueMutable()};
  Value whole[] = {attention.getKey(), attention.getValue()};
  for (OpOperand *operand : operands)
    if (auto concat = operand->get().getDefiningOp<ConcatOp>())
      operand->set(builder.clone(*concat)->getResult(0));
    else if (Value pieces = repeatedByPieces(builder, operand->get(), dim))
      operand->set(pieces);
  DimAnalysis dims;
  if (kvSegments(attention, dims, target::TargetModel::mostQueriesInPlace)
          .size() > 1)
    return;
  for (auto [operand, value] : llvm::zip(operands, whole))
    operand->set(value);
}

void readKVSegments(Block &block) {
  for (auto attention : block.getOps<AttentionOp>())
    readByPieces(attention);
}

} // namespace zenith::fusion
