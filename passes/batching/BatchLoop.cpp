// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batching of loops.

#include "ir/matchers/RegionInlining.h"
#include "passes/batching/BatchControl.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::batching {
namespace {

/// A loop whose rows end together, or one by one.
class LoopBatcher {
public:
  LoopBatcher(WhileOp loop, Batcher &batcher)
      : loop(loop), batcher(batcher), b(batcher.b),
        condition(loop.getCondition().front()), body(loop.getBody().front()) {}

  LogicalResult endTogether();
  LogicalResult endOneByOne();

private:
  /// A block of `region` with arguments of these types.
  Block *blockFor(Region &region, TypeRange types) {
    SmallVector<Location> locations(types.size(), batcher.loc);
    return b.createBlock(&region, {}, types, locations);
  }
  /// What the body yields for carried value `i`, in the type that is carried.
  Value yielded(unsigned i) {
    Value value = body.getTerminator()->getOperand(i);
    Type type = loop.getResult(i).getType();
    if (!batcher.varies(loop.getResult(i)))
      return asType(b, batcher.loc, batcher.mapped(value), type);
    return asType(b, batcher.loc, batcher.batched(value),
                  batcher.batchedType(type));
  }
  /// Initial values, with rows where the carried value has them.
  SmallVector<Value> inits() {
    SmallVector<Value> values;
    for (auto [init, result] :
         llvm::zip_equal(loop.getInits(), loop.getResults()))
      values.push_back(batcher.varies(result) ? batcher.batched(init)
                                              : batcher.mapped(init));
    return values;
  }
  SmallVector<Type> types() {
    SmallVector<Type> result;
    for (OpResult value : loop.getResults())
      result.push_back(batcher.varies(value)
                           ? Type(batcher.batchedType(value.getType()))
                           : value.getType());
    return result;
  }
  /// Of each row with the carried values `carried`, whether the loop goes on.
  FailureOr<Value> goesOn(ValueRange carried) {
    batcher.bind(condition.getArguments(), carried);
    if (failed(batcher.run(condition)))
      return failure();
    return batcher.batched(condition.getTerminator()->getOperand(0));
  }
  LogicalResult bodyOfRows(WhileOp copy);

  WhileOp loop;
  Batcher &batcher;
  OpBuilder &b;
  Block &condition, &body;
};

} // namespace

/// The loop as it is, with rows in what it carries. It need not run where no
/// row comes to it.
LogicalResult LoopBatcher::endTogether() {
  Value comes = batcher.active ? batcher.anyRow(batcher.active) : Value();
  SmallVector<Type> carried = types();
  auto copy = b.create<WhileOp>(batcher.loc, carried, inits());
  {
    OpBuilder::InsertionGuard guard(b);
    Block *block = blockFor(copy.getCondition(), carried);
    batcher.bind(condition.getArguments(), block->getArguments());
    if (failed(batcher.run(condition)))
      return failure();
    Value goesOn = batcher.mapped(condition.getTerminator()->getOperand(0));
    if (comes)
      goesOn = batcher.binary<AndOp>(goesOn, comes);
    b.create<YieldOp>(batcher.loc, goesOn);
  }
  {
    OpBuilder::InsertionGuard guard(b);
    Block *block = blockFor(copy.getBody(), carried);
    batcher.bind(body.getArguments(), block->getArguments());
    if (failed(batcher.run(body)))
      return failure();
    SmallVector<Value> next;
    for (unsigned i = 0; i < carried.size(); ++i)
      next.push_back(yielded(i));
    b.create<YieldOp>(batcher.loc, next);
  }
  batcher.bind(loop.getResults(), copy.getResults());
  return success();
}

/// The loop carries which rows go on: they are found before it for the first
/// step, and in each step for the next one.
LogicalResult LoopBatcher::endOneByOne() {
  for (auto [init, result] :
       llvm::zip_equal(loop.getInits(), loop.getResults()))
    if (!sameShape(init, result))
      return batcher.refuse(loop, "carries a value whose size changes, and "
                                  "rows end after different steps");
  SmallVector<Value> first;
  for (auto [value, type] : llvm::zip_equal(inits(), types()))
    first.push_back(asType(b, batcher.loc, value, type));
  FailureOr<Value> starts = goesOn(first);
  if (failed(starts))
    return failure();
  if (batcher.active)
    starts = batcher.binary<AndOp>(batcher.active, *starts);
  first.push_back(*starts);
  SmallVector<Type> carried{TypeRange(ValueRange(first))};
  auto copy = b.create<WhileOp>(batcher.loc, carried, first);
  {
    OpBuilder::InsertionGuard guard(b);
    Block *block = blockFor(copy.getCondition(), carried);
    b.create<YieldOp>(batcher.loc,
                      batcher.anyRow(block->getArguments().back()));
  }
  if (failed(bodyOfRows(copy)))
    return failure();
  batcher.bind(loop.getResults(), copy.getResults().drop_back());
  return success();
}

LogicalResult LoopBatcher::bodyOfRows(WhileOp copy) {
  OpBuilder::InsertionGuard guard(b);
  Block *block = blockFor(copy.getBody(), copy.getResultTypes());
  Value outer = batcher.active, rows = block->getArguments().back();
  auto restore = llvm::make_scope_exit([&] { batcher.active = outer; });
  batcher.active = rows;
  batcher.bind(body.getArguments(), block->getArguments().drop_back());
  if (failed(batcher.run(body)))
    return failure();
  SmallVector<Value> next;
  for (unsigned i = 0; i < loop.getNumResults(); ++i)
    next.push_back(batcher.selectRows(rows, yielded(i), block->getArgument(i)));
  FailureOr<Value> more = goesOn(next);
  if (failed(more))
    return failure();
  next.push_back(batcher.binary<AndOp>(rows, *more));
  b.create<YieldOp>(batcher.loc, next);
  return success();
}

LogicalResult batchLoop(WhileOp op, Batcher &batcher) {
  LoopBatcher loop(op, batcher);
  Value goesOn = op.getCondition().front().getTerminator()->getOperand(0);
  return batcher.varies(goesOn) ? loop.endOneByOne() : loop.endTogether();
}

} // namespace zenith::batching
