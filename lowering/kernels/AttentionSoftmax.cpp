// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three passes over a row of scores that stays in the first-level cache: masks,
// the largest score, weights.

#include "lowering/kernels/AttentionSoftmax.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

static constexpr double infinity = std::numeric_limits<double>::infinity();

AttentionSoftmax::AttentionSoftmax(KernelBuilder &kernel,
                                   ElementEmitter &emitter,
                                   const AttentionSchedule &space)
    : k(kernel), emitter(emitter), space(space), op(space.op), width(space.nr) {
}

void AttentionSoftmax::allocate() {
  auto memory = [&](int64_t count) -> Value {
    return k.b.create<memref::AllocaOp>(
        k.loc, MemRefType::get({count}, space.matmul.sum),
        k.b.getI64IntegerAttr(k.target.lineBytes));
  };
  scoreMemory = memory(space.blockRows * space.blockKeys);
  largest = memory(space.blockRows);
  totals = memory(space.blockRows);
}

/// Without any key a row is zeros, with none that is visible it is NaN.
void AttentionSoftmax::begin(Value rows) {
  Value keys = k.size(space.keyCount);
  Value none = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::eq, keys,
                                         k.index(0));
  Flag empty{&k, none};
  Value low = select(empty, scalar(0), scalar(-infinity)).v,
        total = select(empty, scalar(1), scalar(0)).v;
  k.loop(k.index(0), rows, k.index(1), [&](Value row) {
    k.b.create<memref::StoreOp>(k.loc, low, largest, row);
    k.b.create<memref::StoreOp>(k.loc, total, totals, row);
  });
}

Value AttentionSoftmax::load(Value memory, Value at, unsigned lanes) {
  if (lanes == 1)
    return k.b.create<memref::LoadOp>(k.loc, memory, at);
  return k.b.create<vector::LoadOp>(
      k.loc, VectorType::get({int64_t(lanes)}, space.matmul.sum), memory, at);
}

/// Weights far below the rounding error of the largest, which is 1, become
/// zeros: otherwise their multiplications by values would be denormal, which is
/// very slow on some processors.
LaneValue AttentionSoftmax::exponential(LaneValue x) {
  constexpr double vanishing = -64;
  VectorMath math(k);
  return space.matmul.sum.isF64() ? num(math.libm("exp", {x.v}))
                                  : math.expShort(x, vanishing);
}

/// Reduces the lanes by halves, in an order that depends on the width alone.
Value AttentionSoftmax::reduceLanes(Value lanes, bool isSum) {
  int64_t count = width;
  Value x = lanes;
  while (count > 1) {
    count /= 2;
    SmallVector<int64_t> low, high;
    for (int64_t i = 0; i < count; ++i) {
      low.push_back(i);
      high.push_back(count + i);
    }
    LaneValue a = num(k.b.create<vector::ShuffleOp>(k.loc, x, x, low)),
              b = num(k.b.create<vector::ShuffleOp>(k.loc, x, x, high));
    x = (isSum ? a + b : select(a > b, a, b)).v;
  }
  return k.b.create<vector::ExtractOp>(k.loc, x, int64_t(0));
}

Value AttentionSoftmax::masked(Value scores, ArrayRef<LaneIndex> index) {
  Value mask = op.getMask();
  Value lanes = emitter.emit(mask, index);
  if (!lanes)
    return scores;
  lanes = k.broadcast(lanes, width);
  if (!getElementTypeOrSelf(mask.getType()).isInteger(1))
    return (num(scores) + num(lanes)).v;
  double removed =
      op.getRemoved() ? op.getRemoved()->convertToDouble() : -infinity;
  return select(Flag{&k, lanes}, num(scores), num(scores).like(removed)).v;
}

/// Replaces the scores of keys after the query's own position by -inf.
Value AttentionSoftmax::visible(Value scores, Value row, Value key) {
  Value last = k.add(row, k.size(space.keyCount - space.queryCount));
  // Visible lanes from `key` on; a mask takes any count.
  Value count = k.add(k.sub(last, key), k.index(1));
  return select(Flag{&k, k.mask(k.max(count, k.index(0)), width)}, num(scores),
                num(scores).like(-infinity))
      .v;
}

void AttentionSoftmax::applyMask(Value at, Value row, const ScoreBlock &block) {
  if (!hasMask())
    return;
  Value queryRow = k.add(block.firstRow, row);
  k.laneLoop(k.index(0), block.keys, width, [&](Value start, Value lanes) {
    ElementEmitter::Scope scope(emitter);
    emitter.active.mask = lanes;
    Value to = k.add(at, start), key = k.add(block.firstKey, start);
    Value x = load(scoreMemory, to, width);
    if (auto factor = scale())
      x = (num(x) * *factor).v;
    if (op.getMask()) {
      IndexMath &math = emitter.indices;
      SmallVector<LaneIndex> index;
      for (auto [value, axis] : llvm::zip(block.batch, space.matmul.outer))
        index.push_back(math.scalar(value, axis.axis.size));
      index.push_back(math.scalar(queryRow, space.queryCount));
      index.push_back(math.lanes(key, space.keyCount, width));
      x = masked(x, index);
    }
    if (op.getCausal())
      x = visible(x, queryRow, key);
    k.b.create<vector::StoreOp>(k.loc, x, scoreMemory, to);
  });
}

/// Gives the padding after the last key the score -inf.
void AttentionSoftmax::padRow(Value at, Value keys) {
  Value rest = k.rem(keys, k.index(width));
  auto pad = [&] {
    Value to = k.add(at, k.sub(keys, rest));
    LaneValue x = num(load(scoreMemory, to, width));
    k.b.create<vector::StoreOp>(
        k.loc, select(Flag{&k, k.mask(rest, width)}, x, x.like(-infinity)).v,
        scoreMemory, to);
  };
  if (k.constantOf(rest) == 0)
    return;
  Value some = k.b.create<arith::CmpIOp>(k.loc, arith::CmpIPredicate::sgt, rest,
                                         k.index(0));
  k.ifThen(some, pad);
}

Value AttentionSoftmax::weigh(Value row, const ScoreBlock &block) {
  Value at = k.mul(row, k.index(space.blockKeys)), step = k.index(width);
  applyMask(at, row, block);
  padRow(at, block.keys);
  auto type = VectorType::get({int64_t(width)}, space.matmul.sum);
  Value found =
      k.loop(k.index(0), block.keys, step, {k.constant(type, -infinity)},
             [&](Value start, ValueRange carried) {
               LaneValue x = num(load(scoreMemory, k.add(at, start), width));
               LaneValue best = num(carried[0]);
               return SmallVector<Value>{select(x > best, x, best).v};
             })[0];
  std::optional<double> later = hasMask() ? std::nullopt : scale();
  LaneValue old = num(load(largest, row, 1)),
            here = num(reduceLanes(found, false));
  if (later)
    here = here * *later;
  LaneValue best = select(old > here, old, here);
  // A row without a visible key is shifted by nothing.
  LaneValue shift = select(best == -infinity, 0, best);
  LaneValue shifts = num(k.broadcast(shift.v, width));
  Value sum =
      k.loop(k.index(0), block.keys, step, {k.constant(type, 0.0)},
             [&](Value start, ValueRange carried) {
               Value to = k.add(at, start);
               LaneValue x = num(load(scoreMemory, to, width));
               LaneValue weight =
                   exponential(later ? fma(x, *later, -shifts) : x - shifts);
               k.b.create<vector::StoreOp>(k.loc, weight.v, scoreMemory, to);
               return SmallVector<Value>{(num(carried[0]) + weight).v};
             })[0];
  LaneValue factor = exponential(old - shift);
  LaneValue total =
      fma(num(load(totals, row, 1)), factor, num(reduceLanes(sum, true)));
  k.b.create<memref::StoreOp>(k.loc, best.v, largest, row);
  k.b.create<memref::StoreOp>(k.loc, total.v, totals, row);
  return factor.v;
}

Value AttentionSoftmax::normalised(Value row, Value sums) {
  LaneValue total = num(load(totals, row, 1)),
            best = num(load(largest, row, 1));
  Flag removed = best == -infinity;
  double missing = std::numeric_limits<double>::quiet_NaN();
  LaneValue inverse =
      select(removed, total.like(missing), total.like(1) / total);
  LaneValue lanes = num(sums) * num(k.broadcast(inverse.v, width));
  if (!op.getGuarded())
    return lanes.v;
  Flag bad{&k, k.broadcast(inverse.isNaN().v, width)};
  return select(bad, 0, lanes).v;
}

} // namespace zenith::kernels
