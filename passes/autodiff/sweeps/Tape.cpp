// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows are written and read at the trip's number, in place.

#include "passes/autodiff/sweeps/Tape.h"
#include "ir/matchers/TypeOf.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

/// At least 1: the body of a loop that never runs reads a row all the same.
static int64_t staticRows(Value rows) {
  auto constant = rows.getDefiningOp<ConstantOp>();
  if (!constant)
    return ShapedType::kDynamic;
  return std::max<int64_t>(1, cast<DenseElementsAttr>(constant.getValue())
                                  .getSplatValue<APInt>()
                                  .getSExtValue());
}

Value emptyTape(RuleBuilder &rule, Value rows, Value like) {
  RankedTensorType row = typeOf(like);
  SmallVector<int64_t> shape{staticRows(rows)};
  llvm::append_range(shape, row.getShape());
  SmallVector<Value> dims;
  if (ShapedType::isDynamic(shape[0]))
    dims.push_back(rows);
  llvm::append_range(dims, rule.dynamicDims(like));
  Value zero = rule.scalar(row.getElementType(), 0);
  auto tape = rule.builder.create<BroadcastOp>(rule.loc, row.clone(shape), zero,
                                               ArrayRef<int64_t>(), dims);
  rule.markRoom(tape);
  return tape;
}

static SmallVector<Value> startsAt(RuleBuilder &rule, Value row, size_t rank) {
  SmallVector<Value> starts{row};
  if (rank > 1)
    starts.append(rank - 1, rule.index(0));
  return starts;
}

Value writeRow(RuleBuilder &rule, Value tape, Value value, Value row) {
  SmallVector<int64_t> shape{1};
  llvm::append_range(shape, typeOf(value).getShape());
  Value part = rule.reshape(value, shape, rule.dynamicDims(value));
  return rule.builder.create<DynamicUpdateSliceOp>(
      rule.loc, tape.getType(), tape, part, startsAt(rule, row, shape.size()));
}

Value readRow(RuleBuilder &rule, Value tape, RankedTensorType type, Value row) {
  SmallVector<int64_t> sizes{1};
  if (type.hasStaticShape()) {
    llvm::append_range(sizes, type.getShape());
    Value part = rule.builder.create<DynamicSliceOp>(
        rule.loc, type.clone(sizes), tape, startsAt(rule, row, sizes.size()));
    return rule.reshape(part, type.getShape());
  }
  // A dynamic_slice has a static size; a gather takes whole dimensions.
  for (int64_t size : type.getShape())
    sizes.push_back(ShapedType::isDynamic(size) ? -1 : size);
  auto offsets = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  auto dims = GatherDimsAttr::get(rule.builder.getContext(), offsets, {0}, {},
                                  {}, {0}, 0);
  return rule.builder.create<GatherOp>(rule.loc, type, tape,
                                       rule.reshape(row, {1}), dims, sizes);
}

WhileOp withCarried(
    WhileOp loop, ValueRange inits,
    llvm::function_ref<SmallVector<Value>(RuleBuilder &, ValueRange)> yields) {
  Block &condition = loop.getCondition().front(),
        &body = loop.getBody().front();
  unsigned count = loop->getNumResults();
  SmallVector<Type> types(loop->getResultTypes());
  for (Value init : inits) {
    types.push_back(init.getType());
    condition.addArgument(init.getType(), loop.getLoc());
    body.addArgument(init.getType(), loop.getLoc());
  }
  Operation *end = body.getTerminator();
  OpBuilder inside(end);
  RuleBuilder rule(inside, loop.getLoc());
  SmallVector<Value> values(end->getOperands());
  llvm::append_range(values,
                     yields(rule, body.getArguments().drop_front(count)));
  end->setOperands(values);
  SmallVector<Value> operands(loop.getInits());
  llvm::append_range(operands, inits);
  OpBuilder builder(loop);
  auto wider = builder.create<WhileOp>(loop.getLoc(), types, operands);
  wider.getCondition().takeBody(loop.getCondition());
  wider.getBody().takeBody(loop.getBody());
  loop->replaceAllUsesWith(wider->getResults().take_front(count));
  loop->erase();
  return wider;
}

SmallVector<Value> tripLoop(
    RuleBuilder &rule, Value first, Value last, bool isUpwards,
    ValueRange inits, TypeRange types,
    llvm::function_ref<SmallVector<Value>(RuleBuilder &, Value, ValueRange)>
        body) {
  SmallVector<Value> operands{isUpwards ? first
                                        : rule.sub(last, rule.index(1))};
  llvm::append_range(operands, inits);
  SmallVector<Type> all{operands[0].getType()};
  llvm::append_range(all, types);
  auto loop = rule.builder.create<WhileOp>(rule.loc, all, operands);
  SmallVector<Location> places(all.size(), rule.loc);
  Block &condition = loop.getCondition().emplaceBlock(),
        &step = loop.getBody().emplaceBlock();
  condition.addArguments(all, places);
  step.addArguments(all, places);
  OpBuilder inside = OpBuilder::atBlockBegin(&condition);
  RuleBuilder test(inside, rule.loc);
  Value goesOn =
      test.compare(isUpwards ? CompareDirection::lt : CompareDirection::ge,
                   condition.getArgument(0), isUpwards ? last : first);
  inside.create<YieldOp>(rule.loc, goesOn);
  OpBuilder within = OpBuilder::atBlockBegin(&step);
  RuleBuilder work(within, rule.loc);
  SmallVector<Value> next =
      body(work, step.getArgument(0), step.getArguments().drop_front());
  SmallVector<Value> yielded{
      work.add(step.getArgument(0), work.index(isUpwards ? 1 : -1))};
  llvm::append_range(yielded, next);
  within.create<YieldOp>(rule.loc, yielded);
  return llvm::to_vector_of<Value>(loop->getResults().drop_front());
}

} // namespace zenith::autodiff
