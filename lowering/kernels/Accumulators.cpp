// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates, combines and finishes accumulators in a fixed order.

#include "lowering/kernels/Accumulators.h"
#include "lowering/builder/LaneValue.h"
#include "lowering/elements/ElementConversions.h"
#include "lowering/elements/ReductionSteps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

Accumulators::Accumulators(ElementEmitter &emitter,
                           ArrayRef<const Reduction *> reductions,
                           unsigned lanes)
    : emitter(emitter), kernel(emitter.kernel),
      reductions(reductions.begin(), reductions.end()), lanes(lanes) {
  for (const Reduction *reduction : reductions)
    values += reduction->arg() ? 2 : 1;
}

Type Accumulators::placeType(const Reduction &reduction) const {
  return kernel.b.getIntegerType(placeBits(reduction, kernel.dims));
}

// Index in a lane that met nothing better than the neutral element; greater
// than any real index.
static int64_t noPlace(Type type, bool last) {
  return last ? -1 : type.isInteger(32) ? INT32_MAX : INT64_MAX;
}

SmallVector<Value> Accumulators::start() {
  SmallVector<Value> state;
  for (const Reduction *reduction : reductions) {
    Value neutral = neutralElement(emitter.kernel, reduction->kind(),
                                   reduction->element, kernel.b.getIndexType());
    state.push_back(counts(*reduction) ? neutral
                                       : kernel.broadcast(neutral, lanes));
    if (reduction->arg()) {
      bool last = cast<graph::ArgReduceOp>(reduction->op).getLast();
      Type type = placeType(*reduction);
      state.push_back(
          kernel.broadcast(kernel.integer(type, noPlace(type, last)), lanes));
    }
  }
  return state;
}

Value Accumulators::combine(const Reduction &reduction, Value x, Value y) {
  if (!reduction.plainMax)
    return reduceStep(emitter, reduction.kind(), reduction.element, x, y);
  Value pair[] = {x, y};
  emitter.unify(pair);
  LaneValue sum{&kernel, pair[0]}, now{&kernel, pair[1]};
  return select(now > sum, now, sum).v;
}

/// How many lanes of a mask are set, as a `type`.
static Value countLanes(KernelBuilder &kernel, Value mask, Type type) {
  OpBuilder &b = kernel.b;
  auto lanes = unsigned(cast<VectorType>(mask.getType()).getNumElements());
  Type word = b.getIntegerType(lanes);
  Value bits = b.create<vector::ExtractOp>(
      kernel.loc,
      b.create<vector::BitCastOp>(kernel.loc, VectorType::get({1}, word), mask),
      0);
  Value count = b.create<math::CtPopOp>(kernel.loc, bits);
  unsigned wanted = type.getIntOrFloatBitWidth();
  if (wanted > lanes)
    return b.create<arith::ExtUIOp>(kernel.loc, type, count);
  if (wanted < lanes)
    return b.create<arith::TruncIOp>(kernel.loc, type, count);
  return count;
}

SmallVector<Value> Accumulators::step(ValueRange state,
                                      ArrayRef<LaneIndex> index, bool masked) {
  SmallVector<Value> next(state), elements;
  for (const Reduction *reduction : reductions) {
    elements.push_back(emitter.emit(
        counts(*reduction) ? reduction->counted : reduction->operand, index));
    if (!elements.back())
      return next;
  }
  unsigned at = 0;
  for (auto [reduction, element] : llvm::zip(reductions, elements)) {
    Value x = kernel.broadcast(element, lanes);
    Value mask = masked ? emitter.active.mask : Value();
    auto keep = [&](Value now, Value before) {
      return mask ? kernel.b
                        .create<arith::SelectOp>(kernel.loc, mask, now, before)
                        .getResult()
                  : now;
    };
    if (counts(*reduction)) {
      if (mask)
        x = kernel.b.create<arith::AndIOp>(kernel.loc, mask, x);
      next[at] = combine(*reduction, state[at],
                         countLanes(kernel, x, state[at].getType()));
      ++at;
    } else if (reduction->arg()) {
      auto op = cast<graph::ArgReduceOp>(reduction->op);
      Value place = kernel.b.create<arith::IndexCastOp>(
          kernel.loc, typeLike(placeType(*reduction), x.getType()),
          kernel.broadcast(emitter.indices.value(index[op.getDim()]), lanes));
      Value bestPlace;
      Value best = argStep(emitter.kernel, op, state[at], state[at + 1], x,
                           place, bestPlace);
      next[at] = keep(best, state[at]);
      next[at + 1] = keep(bestPlace, state[at + 1]);
      at += 2;
    } else {
      next[at] = keep(combine(*reduction, state[at], x), state[at]);
      ++at;
    }
  }
  return next;
}

// On equal values the smaller index wins (with `last`, the larger one); a NaN
// beats all but another NaN.
std::pair<Value, Value> Accumulators::better(const Reduction &reduction,
                                             std::pair<Value, Value> x,
                                             std::pair<Value, Value> y) {
  auto op = cast<graph::ArgReduceOp>(reduction.op);
  bool last = op.getLast();
  LaneValue xPlace{&kernel, x.second}, yPlace{&kernel, y.second};
  Flag earlier = last ? yPlace > xPlace : yPlace < xPlace;
  LaneValue xv{&kernel, x.first}, yv{&kernel, y.first};
  Value beats, equal;
  if (isa<FloatType>(reduction.element)) {
    Flag greater = op.getKind() == graph::ReduceKind::max ? yv > xv : yv < xv;
    beats = (greater || (yv.isNaN() && !xv.isNaN())).v;
    equal = ((xv == yv) || (yv.isNaN() && xv.isNaN())).v;
  } else {
    bool isUnsigned =
        reduction.element.isUnsignedInteger() || reduction.element.isInteger(1);
    using P = arith::CmpIPredicate;
    P predicate = op.getKind() == graph::ReduceKind::max
                      ? (isUnsigned ? P::ugt : P::sgt)
                      : (isUnsigned ? P::ult : P::slt);
    beats = kernel.b.create<arith::CmpIOp>(kernel.loc, predicate, yv.v, xv.v);
    equal = kernel.b.create<arith::CmpIOp>(kernel.loc, P::eq, yv.v, xv.v);
  }
  Flag take = Flag{&kernel, beats} || (Flag{&kernel, equal} && earlier);
  return {select(take, yv, xv).v, select(take, yPlace, xPlace).v};
}

SmallVector<Value> Accumulators::combine(ValueRange x, ValueRange y) {
  SmallVector<Value> result;
  for (const Reduction *reduction : reductions) {
    unsigned at = result.size();
    if (reduction->arg()) {
      auto [best, place] =
          better(*reduction, {x[at], x[at + 1]}, {y[at], y[at + 1]});
      result.append({best, place});
    } else {
      result.push_back(combine(*reduction, x[at], y[at]));
    }
  }
  return result;
}

/// Reduces the lanes of a vector to a scalar, by halves; the last two as a
/// vector as well, since maxima of scalar floats take branches.
static Value joinLanes(KernelBuilder &kernel, Value lanes,
                       function_ref<Value(Value, Value)> join) {
  OpBuilder &b = kernel.b;
  auto type = cast<VectorType>(lanes.getType());
  for (int64_t width = type.getNumElements() / 2; width > 1; width /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < width; ++lane) {
      low.push_back(lane);
      high.push_back(lane + width);
    }
    lanes = join(b.create<vector::ShuffleOp>(kernel.loc, lanes, lanes, low),
                 b.create<vector::ShuffleOp>(kernel.loc, lanes, lanes, high));
  }
  Value turned = b.create<vector::ShuffleOp>(kernel.loc, lanes, lanes,
                                             ArrayRef<int64_t>{1, 0});
  return b.create<vector::ExtractOp>(kernel.loc, join(lanes, turned), 0);
}

// Reduces the lanes of an arg_reduce to the best value, then to its first or
// last index: fewer instructions than carrying both along.
SmallVector<Value> Accumulators::acrossLanes(ValueRange state) {
  if (lanes < 2)
    return SmallVector<Value>(state);
  SmallVector<Value> results;
  for (const Reduction *reduction : reductions) {
    Value values = state[results.size()];
    if (counts(*reduction)) {
      results.push_back(values);
      continue;
    }
    Value best = joinLanes(kernel, values, [&](Value x, Value y) {
      return combine(*reduction, x, y);
    });
    results.push_back(best);
    if (!reduction->arg())
      continue;
    LaneValue all{&kernel, values}, places{&kernel, state[results.size()]};
    Flag isBest = all == LaneValue{&kernel, kernel.broadcast(best, lanes)};
    if (isa<FloatType>(reduction->element))
      isBest = isBest || all.isNaN();
    bool last = cast<graph::ArgReduceOp>(reduction->op).getLast();
    Value none = kernel.integer(places.v.getType(),
                                noPlace(placeType(*reduction), last));
    places = select(isBest, places, LaneValue{&kernel, none});
    results.push_back(
        joinLanes(kernel, places.v, [&](Value x, Value y) -> Value {
          if (last)
            return kernel.b.create<arith::MaxSIOp>(kernel.loc, x, y);
          return kernel.b.create<arith::MinSIOp>(kernel.loc, x, y);
        }));
  }
  return results;
}

SmallVector<Value> Accumulators::finish(ValueRange state) {
  SmallVector<Value> results;
  unsigned at = 0;
  for (const Reduction *reduction : reductions) {
    if (!reduction->arg()) {
      results.push_back(
          roundTo(emitter.kernel, reduction->element, state[at++]));
      continue;
    }
    auto op = cast<graph::ArgReduceOp>(reduction->op);
    LaneValue place{&kernel, state[at + 1]};
    at += 2;
    Type type = placeType(*reduction);
    // Nothing beat the neutral element, so all elements equal it and the first
    // one is the result.
    place =
        select(place == LaneValue{&kernel,
                                  kernel.integer(place.v.getType(),
                                                 noPlace(type, op.getLast()))},
               place.like(0), place);
    Type target =
        typeLike(registerType(getElementTypeOrSelf(op.getResult().getType())),
                 place.v.getType());
    unsigned from = type.getIntOrFloatBitWidth(),
             to = getElementTypeOrSelf(target).getIntOrFloatBitWidth();
    if (to > from)
      place.v = kernel.b.create<arith::ExtSIOp>(kernel.loc, target, place.v);
    else if (to < from)
      place.v = kernel.b.create<arith::TruncIOp>(kernel.loc, target, place.v);
    results.push_back(place.v);
  }
  return results;
}

} // namespace zenith::kernels
