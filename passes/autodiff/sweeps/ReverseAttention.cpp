// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cotangents of attention by blocks of query rows, as FlashAttention computes
// them (Dao et al. 2022): the weights of a block are computed again, used and
// forgotten, so that no matrix of all queries by all keys is in memory.

#include "ir/matchers/TypeOf.h"
#include "passes/autodiff/composites/AttentionGradients.h"
#include "passes/autodiff/sweeps/PullBack.h"
#include "passes/autodiff/sweeps/ReverseSweep.h"
#include "passes/autodiff/sweeps/Tape.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

namespace {

/// The backward part of one attention, one block of query rows per trip.
class AttentionBlocks {
public:
  AttentionBlocks(AttentionOp op, RuleBuilder &rule, Value cotangent,
                  const BitVector &active, int64_t blockRows)
      : op(op), rule(rule), whole(operandsOf(op, rule)),
        cotangent(rule.widened(cotangent)), active(active), rows(blockRows),
        rowDim(typeOf(op.getQuery()).getRank() - 2),
        allRows(typeOf(op.getQuery()).getDimSize(rowDim)) {
    for (Value *operand : {&whole.query, &whole.key, &whole.value})
      *operand = rule.widened(*operand);
  }

  /// Cotangents, in f32 for narrower types, of those operands that are active.
  Derivatives run();

private:
  SmallVector<Value> trip(RuleBuilder &inside, Value trip, ValueRange sums);
  /// `value` at `first` in the dimension of rows.
  SmallVector<Value> startsAt(RuleBuilder &inside, Value first) {
    SmallVector<Value> starts(rowDim + 2, inside.index(0));
    starts[rowDim] = first;
    return starts;
  }
  Value rowsOf(RuleBuilder &inside, Value value, Value first);
  Value addRows(RuleBuilder &inside, Value sum, Value part, Value first);

  AttentionOp op;
  RuleBuilder &rule;
  AttentionOperands whole;
  Value cotangent;
  const BitVector &active;
  int64_t rows, rowDim, allRows;
  llvm::Error error = llvm::Error::success();
};

} // namespace

Value AttentionBlocks::rowsOf(RuleBuilder &inside, Value value, Value first) {
  auto shape = llvm::to_vector(typeOf(value).getShape());
  shape[rowDim] = rows;
  return inside.builder.create<DynamicSliceOp>(
      inside.loc, typeOf(value).clone(shape), value, startsAt(inside, first));
}

Value AttentionBlocks::addRows(RuleBuilder &inside, Value sum, Value part,
                               Value first) {
  part = inside.add(rowsOf(inside, sum, first), part);
  return inside.builder.create<DynamicUpdateSliceOp>(
      inside.loc, sum.getType(), sum, part, startsAt(inside, first));
}

SmallVector<Value> AttentionBlocks::trip(RuleBuilder &inside, Value trip,
                                         ValueRange sums) {
  Value next = inside.mul(trip, inside.index(rows));
  // The last block ends with the last row; rows that an earlier one had have
  // no cotangent in it.
  Value first = inside.binary<MinOp>(next, inside.index(allRows - rows));
  Value own = rowsOf(inside, cotangent, first);
  if (allRows % rows) {
    Value row = inside.iota(own, rowDim, inside.builder.getI64Type());
    row = inside.add(row, inside.broadcast(first, {}, row));
    Value isNew = inside.compare(CompareDirection::ge, row,
                                 inside.broadcast(next, {}, row));
    own = inside.where(isNew, own);
  }
  AttentionOperands block = whole;
  block.query = rowsOf(inside, whole.query, first);
  if (whole.mask)
    block.mask = rowsOf(inside, whole.mask, first);
  block.lastKey = inside.add(whole.lastKey, first);
  Derivatives parts = pullBack(
      inside.builder, inside.loc, {block.query, block.key, block.value}, active,
      {own}, [&](ArrayRef<Value> tangents) -> Derivatives {
        SmallVector<Value> all(tangents);
        all.push_back(Value());
        return SmallVector<Value>{attentionTangent(op, inside, block, all)};
      });
  SmallVector<Value> results(sums);
  if (!parts) {
    error = llvm::joinErrors(std::move(error), parts.takeError());
    return results;
  }
  for (auto [sum, index] : llvm::zip(results, active.set_bits())) {
    Value part = (*parts)[index];
    sum =
        index == 0 ? addRows(inside, sum, part, first) : inside.add(sum, part);
  }
  return results;
}

Derivatives AttentionBlocks::run() {
  const Value operands[] = {whole.query, whole.key, whole.value};
  SmallVector<Value> zeros;
  SmallVector<Type> types;
  for (unsigned index : active.set_bits()) {
    zeros.push_back(rule.zeros(operands[index]));
    types.push_back(operands[index].getType());
  }
  Value trips = rule.index(llvm::divideCeil(allRows, rows));
  auto results =
      tripLoop(rule, rule.index(0), trips, /*isUpwards=*/true, zeros, types,
               [&](RuleBuilder &inside, Value number, ValueRange sums) {
                 return trip(inside, number, sums);
               });
  if (error)
    return std::move(error);
  return results;
}

/// Query rows of a block, 0 where all scores at once are as good: an eighth of
/// all, a multiple of the rows that a GEMM keeps in caches.
static int64_t blockRowsOf(AttentionOp op) {
  for (Value operand : op->getOperands())
    if (!typeOf(operand).hasStaticShape())
      return 0;
  int64_t rows =
      typeOf(op.getQuery()).getDimSize(typeOf(op.getQuery()).getRank() - 2);
  constexpr int64_t least = 64, most = 256;
  if (rows < 4 * least)
    return 0;
  return std::clamp<int64_t>(llvm::alignTo(rows / 8, least), least, most);
}

bool ReverseSweep::takesBlocks(Operation *op) const {
  auto attention = dyn_cast<AttentionOp>(op);
  // The cotangent of a mask is a matrix of scores itself.
  return attention && blockRowsOf(attention) &&
         !(attention.getMask() && activity.isVaried(attention.getMask()));
}

llvm::Error ReverseSweep::visitAttention(AttentionOp op, Value cotangent) {
  RuleBuilder rule(builder, op.getLoc());
  auto operands = op->getOperands().take_front(3);
  BitVector active = activeAmong(operands);
  Derivatives sums =
      AttentionBlocks(op, rule, cotangent, active, blockRowsOf(op)).run();
  if (!sums)
    return sums.takeError();
  for (auto [sum, index] : llvm::zip(*sums, active.set_bits()))
    accumulate(operands[index],
               rule.convert(sum, typeOf(operands[index]).getElementType()));
  return llvm::Error::success();
}

} // namespace zenith::autodiff
