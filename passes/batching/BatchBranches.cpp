// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batching of if and case.

#include "ir/matchers/RegionInlining.h"
#include "ir/matchers/TypeOf.h"
#include "passes/batching/BatchControl.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::batching {

bool sameShape(Value lhs, Value rhs) {
  DimAnalysis dims;
  return dims.dimsOf(lhs) == dims.dimsOf(rhs);
}

/// The branches as they are, with rows in what they read and give.
static LogicalResult keepBranches(Operation *op, Batcher &batcher) {
  OpBuilder &b = batcher.b;
  OperationState state(batcher.loc, op->getName());
  state.addOperands(batcher.mapped(op->getOperand(0)));
  for (OpResult result : op->getResults())
    state.addTypes(batcher.varies(result)
                       ? Type(batcher.batchedType(result.getType()))
                       : result.getType());
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  Operation *copy = b.create(state);
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), copy->getRegions())) {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&to);
    if (failed(batcher.run(from.front())))
      return failure();
    SmallVector<Value> yielded;
    for (auto [result, value, type] : llvm::zip_equal(
             op->getResults(), from.front().getTerminator()->getOperands(),
             copy->getResultTypes())) {
      Value given = batcher.varies(result) ? batcher.batched(value)
                                           : batcher.mapped(value);
      yielded.push_back(
          asType(b, batcher.loc, given,
                 batcher.varies(result) ? type : given.getType()));
    }
    b.create<YieldOp>(batcher.loc, yielded);
  }
  batcher.bind(op->getResults(), copy->getResults());
  return success();
}

/// Per branch the rows that take it.
static SmallVector<Value> takenRows(Operation *op, Batcher &batcher) {
  OpBuilder &b = batcher.b;
  Value selector = batcher.batched(op->getOperand(0));
  auto negated = [&](Value mask) -> Value {
    return b.create<NotOp>(batcher.loc, mask.getType(), mask);
  };
  if (isa<IfOp>(op))
    return {selector, negated(selector)};
  // The last branch is for all other indices.
  SmallVector<Value> masks;
  Value any;
  RankedTensorType type = typeOf(selector);
  for (unsigned i = 0; i + 1 < op->getNumRegions(); ++i) {
    auto scalar = RankedTensorType::get({}, type.getElementType());
    Value index = batcher.repeated(b.create<ConstantOp>(
        batcher.loc, cast<ElementsAttr>(DenseElementsAttr::get(
                         scalar, b.getIntegerAttr(type.getElementType(), i)))));
    Value mask = b.create<CompareOp>(batcher.loc, type.clone(b.getI1Type()),
                                     CompareDirection::eq, selector, index);
    any = any ? batcher.binary<OrOp>(any, mask) : mask;
    masks.push_back(mask);
  }
  if (any) {
    masks.push_back(negated(any));
    return masks;
  }
  auto flag = RankedTensorType::get({}, b.getI1Type());
  return {batcher.repeated(b.create<ConstantOp>(
      batcher.loc, cast<ElementsAttr>(DenseElementsAttr::get(flag, true))))};
}

/// All branches, one after the other, and a choice for each row.
static LogicalResult mergeBranches(Operation *op, Batcher &batcher) {
  Operation *first = op->getRegion(0).front().getTerminator();
  for (Region &region : op->getRegions().drop_front())
    for (auto [one, other] :
         llvm::zip_equal(first->getOperands(),
                         region.front().getTerminator()->getOperands()))
      if (!sameShape(one, other))
        return batcher.refuse(op, "has branches whose results differ in size, "
                                  "and a condition that differs between rows");
  SmallVector<Value> masks = takenRows(op, batcher), results;
  Value outer = batcher.active;
  for (auto [region, mask] : llvm::zip_equal(op->getRegions(), masks)) {
    batcher.active = outer ? batcher.binary<AndOp>(outer, mask) : mask;
    LogicalResult done = batcher.run(region.front());
    batcher.active = outer;
    if (failed(done))
      return failure();
    for (auto [i, value] :
         llvm::enumerate(region.front().getTerminator()->getOperands())) {
      Value given = asType(batcher.b, batcher.loc, batcher.batched(value),
                           batcher.batchedType(op->getResult(i).getType()));
      if (results.size() == i)
        results.push_back(given);
      else
        results[i] = batcher.selectRows(mask, given, results[i]);
    }
  }
  batcher.bind(op->getResults(), results);
  return success();
}

LogicalResult batchBranches(Operation *op, Batcher &batcher) {
  return batcher.varies(op->getOperand(0)) ? mergeBranches(op, batcher)
                                           : keepBranches(op, batcher);
}

} // namespace zenith::batching
