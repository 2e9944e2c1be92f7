// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds softmax in a division by the sum of exponentials.

#include "passes/raise/SpelledSoftmax.h"
#include "ir/matchers/TypeOf.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::raise {

/// The reduction that `value` repeats along the reduced dimensions; null where
/// it doesn't, or not along these.
static ReduceOp repeatedReduction(Value value, ReduceKind kind) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return {};
  Value reduced = broadcast.getOperand();
  auto reshape = reduced.getDefiningOp<ReshapeOp>();
  if (reshape)
    reduced = reshape.getOperand();
  auto reduce = reduced.getDefiningOp<ReduceOp>();
  if (!reduce || reduce.getKind() != kind ||
      typeOf(reduce.getOperand()).getShape() != typeOf(value).getShape())
    return {};
  SmallVector<int64_t> kept, all;
  for (int64_t d = 0; d < typeOf(value).getRank(); ++d) {
    all.push_back(d);
    if (!llvm::is_contained(reduce.getDims(), d))
      kept.push_back(d);
  }
  if (!reshape)
    return broadcast.getMapping() == ArrayRef<int64_t>(kept) ? reduce
                                                             : ReduceOp();
  if (broadcast.getMapping() != ArrayRef<int64_t>(all))
    return {};
  for (int64_t d : reduce.getDims())
    if (typeOf(reshape.getResult()).getDimSize(d) != 1)
      return {};
  return reduce;
}

LogicalResult findSoftmax(DivOp op, ReduceOp &sum, SubOp &shifted,
                          NearMiss &miss) {
  auto exp = op.getLhs().getDefiningOp<ExpOp>();
  sum = repeatedReduction(op.getRhs(), ReduceKind::sum);
  if (!exp || !sum || sum.getOperand() != exp.getResult())
    return failure();
  shifted = exp.getOperand().getDefiningOp<SubOp>();
  ReduceOp max = shifted ? repeatedReduction(shifted.getRhs(), ReduceKind::max)
                         : ReduceOp();
  if (!max || max.getOperand() != shifted.getLhs())
    return miss.at(exp, "the largest element is not taken off before exp");
  if (max.getDims() != sum.getDims())
    return miss.at(max, "maximum and sum run along different dimensions");
  return success();
}

} // namespace zenith::raise
