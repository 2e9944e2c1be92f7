// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention of few queries reads the segments of keys and values, a KV cache
// and what is appended to it, where they lie; they are joined for other readers
// only.

#include "ir/encodings/KVSegments.h"
#include "ir/target/TargetModel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/fusion/EraseDeadOps.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_READKVSEGMENTSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::fusion {

static RankedTensorType withSize(RankedTensorType type, int64_t dim,
                                 int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return type.clone(shape);
}

/// Where groups of heads share keys: each segment is broadcast to the heads of
/// its group, and both dimensions are joined. Null where `value` has no such
/// form.
static Value repeatedSegments(OpBuilder &builder, Value value, int64_t dim) {
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
  SmallVector<Value> segments;
  for (Value segment : concat.getOperands()) {
    int64_t size = cast<RankedTensorType>(segment.getType()).getDimSize(from);
    Value own = builder.create<BroadcastOp>(
        value.getLoc(), withSize(repeated, to, size), segment,
        repeat.getMapping(), ValueRange());
    segments.push_back(builder.create<ReshapeOp>(
        value.getLoc(), withSize(joined, dim, size), own, ValueRange()));
  }
  return builder.create<ConcatOp>(value.getLoc(), joined, uint64_t(dim),
                                  segments);
}

static void readBySegments(AttentionOp attention) {
  OpBuilder builder(attention);
  int64_t dim = cast<RankedTensorType>(attention.getType()).getRank() - 2;
  OpOperand *operands[] = {&attention.getKeyMutable(),
                           &attention.getValueMutable()};
  Value whole[] = {attention.getKey(), attention.getValue()};
  for (OpOperand *operand : operands)
    if (auto concat = operand->get().getDefiningOp<ConcatOp>())
      operand->set(builder.clone(*concat)->getResult(0));
    else if (Value segments = repeatedSegments(builder, operand->get(), dim))
      operand->set(segments);
  DimAnalysis dims;
  if (kvSegments(attention, dims, target::TargetModel::mostQueriesInPlace)
          .size() > 1)
    return;
  for (auto [operand, value] : llvm::zip(operands, whole))
    operand->set(value);
}

static void readKVSegments(Block &block) {
  for (auto attention : block.getOps<AttentionOp>())
    readBySegments(attention);
  // Concatenations of attention that reads no segments after all.
  eraseDeadOps(block);
}

namespace {

struct ReadKVSegmentsPass : impl::ReadKVSegmentsPassBase<ReadKVSegmentsPass> {
  using ReadKVSegmentsPassBase::ReadKVSegmentsPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.getBody().hasOneBlock())
      readKVSegments(function.getBody().front());
  }
};

} // namespace
} // namespace zenith::fusion
