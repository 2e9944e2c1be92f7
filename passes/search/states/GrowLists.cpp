// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: lists to which each step of a loop appends get room to grow, so
// that a step moves no more than it adds.

#include "ir/SearchOps.h"
#include "ir/matchers/RowBuilder.h"
#include "ir/matchers/TypeOf.h"
#include "ir/target/TargetModel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/search/states/KnownStates.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_GROWLISTSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::search {

namespace {
struct GrowListsPass : impl::GrowListsPassBase<GrowListsPass> {
  using GrowListsPassBase::GrowListsPassBase;
  void runOnOperation() override;
};
} // namespace

/// Rows of integers, any number of them.
static bool isList(Type type) {
  auto list = cast<RankedTensorType>(type);
  return list.getRank() > 0 && list.isDynamicDim(0) &&
         !ShapedType::isDynamicShape(list.getShape().drop_front()) &&
         list.getElementType().isInteger() &&
         list.getElementTypeBitWidth() >= 8;
}

/// The lists of a loop that nothing reads before it ends.
static SmallVector<unsigned> listsOf(WhileOp loop) {
  SmallVector<unsigned> lists;
  for (unsigned place = 0; place < loop.getNumResults(); ++place)
    if (ConcatOp concat = appendTo(loop, place);
        concat && isList(loop.getResult(place).getType()) &&
        concat.getOperands()[0].hasOneUse())
      lists.push_back(place);
  return lists;
}

/// What a step yields for a list of `count` rows and for their number. A list
/// that is full becomes half as long again, or as long as it must be.
static std::pair<Value, Value> append(OpBuilder &builder, ConcatOp concat,
                                      Value count) {
  RowBuilder rows(builder, concat.getLoc());
  Value list = concat.getOperands()[0], more = concat.getOperands()[1];
  Value need = rows.add(count, rows.count(more)), size = rows.count(list);
  Value larger = rows.max(need, rows.add(size, rows.div(size, rows.number(2))));
  Value room =
      rows.select(rows.compare(CompareDirection::gt, need, size), larger, size);
  auto word = builder.getIntegerType(64, /*isSigned=*/false);
  Value none = rows.constant({}, {0}, word);
  auto added = builder.create<AppendNewOp>(
      concat.getLoc(),
      TypeRange{rows.type({anySize}, word), concat.getType(), need.getType()},
      none, ValueRange(list), ValueRange(more), count, room, rows.number(0),
      builder.getI64IntegerAttr(0));
  return {added.getList()[0], need};
}

static void growLists(WhileOp loop, ArrayRef<unsigned> lists) {
  OpBuilder builder(loop);
  RowBuilder rows(builder, loop.getLoc());
  SmallVector<Value> counts;
  for (unsigned list : lists)
    counts.push_back(rows.count(loop.getInits()[list]));
  unsigned first = loop.getNumResults();
  WhileOp grown = withCarried(loop, loop.getInits(), counts);
  Block &body = grown.getBody().front();
  Operation *yield = body.getTerminator();
  for (auto [number, list] : llvm::enumerate(lists)) {
    auto concat = yield->getOperand(list).getDefiningOp<ConcatOp>();
    builder.setInsertionPoint(concat);
    auto [values, count] =
        append(builder, concat, body.getArgument(first + unsigned(number)));
    yield->setOperand(list, values);
    yield->insertOperands(yield->getNumOperands(), count);
    concat.erase();
  }
  builder.setInsertionPointAfter(grown);
  for (OpResult result : loop.getResults()) {
    Value value = grown.getResult(result.getResultNumber());
    const auto *list = llvm::find(lists, result.getResultNumber());
    if (list != lists.end() && !result.use_empty())
      value =
          rows.part(value, rows.number(0),
                    grown.getResult(first + unsigned(list - lists.begin())));
    result.replaceAllUsesWith(value);
  }
  loop.erase();
}

void GrowListsPass::runOnOperation() {
  // Devices have kernels that join lists, and none that appends.
  if (target::modelOf(getOperation()).device)
    return;
  SmallVector<WhileOp> loops;
  getOperation().walk([&](WhileOp loop) { loops.push_back(loop); });
  for (WhileOp loop : loops)
    if (SmallVector<unsigned> lists = listsOf(loop); !lists.empty())
      growLists(loop, lists);
}

} // namespace zenith::search
