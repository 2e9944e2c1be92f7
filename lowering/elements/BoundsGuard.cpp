// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditions that could not be decided at compile time, as branches and masks.

#include "lowering/elements/BoundsGuard.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <numeric>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

/// True where a bound cannot lie between lanes of a vector, since the bound and
/// the first lane are multiples of a factor that spans all lanes.
static bool lanesAgree(IndexMath &indices, const LaneIndex &x,
                       const DimExpr &low, const DimExpr &high) {
  auto stride = indices.laneStride(x).constant();
  if (x.perLane || !stride || *stride <= 0)
    return false;
  int64_t aligned = std::gcd(indices.knownDivisor(x),
                             std::gcd(indices.knownDivisor(LaneIndex(low)),
                                      indices.knownDivisor(LaneIndex(high))));
  return *stride * (indices.width - 1) < aligned;
}

/// Lanes as a known number of elements apart, of which the first ones are on
/// one side of a bound: a mask of so many lanes takes fewer instructions than
/// an index of each lane.
static bool lanesInOrder(IndexMath &indices, const LaneIndex &x) {
  auto stride = indices.laneStride(x).constant();
  return !x.perLane && indices.width > 1 && stride && *stride != 0;
}

/// x < bound in lanes that lanesInOrder holds for, or x >= bound.
static Value compareLanes(ElementEmitter &emitter, const LaneIndex &x,
                          const DimExpr &bound, bool isBelow) {
  KernelBuilder &kernel = emitter.kernel;
  int64_t stride = *emitter.indices.laneStride(x).constant();
  Value first = emitter.indices.laneBase(x), end = kernel.size(bound),
        distance = stride > 0
                       ? kernel.sub(end, first)
                       : kernel.add(kernel.sub(first, end), kernel.index(1)),
        step = kernel.index(std::abs(stride));
  Value count = kernel.div(kernel.add(kernel.max(distance, kernel.index(0)),
                                      kernel.sub(step, kernel.index(1))),
                           step);
  Value lanes = kernel.mask(count, emitter.indices.width);
  if (isBelow == (stride > 0))
    return lanes;
  return kernel.b.create<arith::XOrIOp>(kernel.loc, lanes,
                                        kernel.integer(lanes.getType(), 1));
}

/// low <= x < high, where both can be false: scalar where x is uniform.
static Value insideCondition(ElementEmitter &emitter, const LaneIndex &x,
                             const DimExpr &low, const DimExpr &high) {
  KernelBuilder &kernel = emitter.kernel;
  IndexMath &indices = emitter.indices;
  OpBuilder &b = kernel.b;
  bool agree = lanesAgree(indices, x, low, high),
       inOrder = !agree && lanesInOrder(indices, x);
  Value i;
  if (!inOrder)
    i = agree ? indices.laneBase(x) : indices.value(x);
  auto compare = [&](arith::CmpIPredicate predicate,
                     const DimExpr &bound) -> Value {
    if (inOrder)
      return compareLanes(emitter, x, bound,
                          predicate == arith::CmpIPredicate::slt);
    unsigned width = isa<VectorType>(i.getType()) ? indices.width : 1;
    return b.create<arith::CmpIOp>(kernel.loc, predicate, i,
                                   kernel.broadcast(kernel.size(bound), width));
  };
  Value condition;
  LaneIndex least = indices.shift(x, DimExpr(0) - low);
  if (!indices.provablyNonNegative(least))
    condition = compare(arith::CmpIPredicate::sge, low);
  if (!indices.provablyBelow(x, high)) {
    Value below = compare(arith::CmpIPredicate::slt, high);
    condition =
        condition
            ? b.create<arith::AndIOp>(kernel.loc, condition, below).getResult()
            : below;
  }
  return condition;
}

static Value both(KernelBuilder &kernel, Value x, Value y) {
  return !x   ? y
         : !y ? x
              : kernel.b.create<arith::AndIOp>(kernel.loc, x, y).getResult();
}

bool BoundsGuard::add(const LaneIndex &x, const DimExpr &low,
                      const DimExpr &high) {
  if (emitter->indices.provablyInside(x, low, high))
    return true;
  if (emitter->indices.provablyOutside(x, low, high))
    return false;
  if (Value condition = insideCondition(*emitter, x, low, high)) {
    Value &target = isa<VectorType>(condition.getType()) ? lanes : uniform;
    target = both(emitter->kernel, target, condition);
  }
  return true;
}

void BoundsGuard::maskLanes() const {
  emitter->active.mask = both(emitter->kernel, emitter->active.mask, lanes);
}

/// `then` under a mask, else `otherwise`.
static Value chooseLanes(ElementEmitter &emitter, Value condition,
                         function_ref<Value()> then,
                         function_ref<Value()> otherwise) {
  KernelBuilder &kernel = emitter.kernel;
  Value x;
  {
    ElementEmitter::Scope scope(emitter);
    emitter.active.mask = both(kernel, emitter.active.mask, condition);
    x = then();
  }
  Value y = x ? otherwise() : Value();
  if (!y)
    return {};
  unsigned width = emitter.indices.width;
  return kernel.b.create<arith::SelectOp>(kernel.loc, condition,
                                          kernel.broadcast(x, width),
                                          kernel.broadcast(y, width));
}

/// `then` or `otherwise` by a branch.
static Value chooseBranch(ElementEmitter &emitter, Value condition, bool lanes,
                          function_ref<Value()> then,
                          function_ref<Value()> otherwise) {
  KernelBuilder &kernel = emitter.kernel;
  OpBuilder &b = kernel.b;
  // The type of the branches is known after one of them is emitted: emit the
  // first one apart, then create the `if` around it.
  Value x;
  OpBuilder::InsertPoint here = b.saveInsertionPoint();
  auto probe =
      b.create<scf::IfOp>(kernel.loc, condition, /*withElseRegion=*/true);
  auto fill = [&](Block *block, function_ref<Value()> body) -> Value {
    b.setInsertionPoint(block->getTerminator());
    ElementEmitter::Scope scope(emitter);
    Value value = body();
    return value && lanes ? kernel.broadcast(value, emitter.indices.width)
                          : value;
  };
  x = fill(probe.thenBlock(), then);
  Value y = x ? fill(probe.elseBlock(), otherwise) : Value();
  b.restoreInsertionPoint(here);
  if (!y)
    return {};
  b.setInsertionPointAfter(probe);
  auto choice = b.create<scf::IfOp>(kernel.loc, TypeRange{x.getType()},
                                    condition, /*withElseRegion=*/true);
  // The blocks themselves are moved, because memos of values inside refer to
  // blocks.
  choice.getThenRegion().takeBody(probe.getThenRegion());
  choice.getElseRegion().takeBody(probe.getElseRegion());
  for (auto [block, value] :
       {std::pair(choice.thenBlock(), x), std::pair(choice.elseBlock(), y)}) {
    block->getTerminator()->erase();
    b.setInsertionPointToEnd(block);
    b.create<scf::YieldOp>(kernel.loc, value);
  }
  b.setInsertionPointAfter(choice);
  probe.erase();
  return choice.getResult(0);
}

Value BoundsGuard::emit(bool asLanes, function_ref<Value()> then,
                        function_ref<Value()> otherwise) const {
  auto inner = [&] {
    return lanes ? chooseLanes(*emitter, lanes, then, otherwise) : then();
  };
  return uniform ? chooseBranch(*emitter, uniform, asLanes, inner, otherwise)
                 : inner();
}

} // namespace zenith::kernels
