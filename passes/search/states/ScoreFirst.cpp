// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: steps of beam searches score all candidates, and deduplicate only
// the best of them.

#include "ir/SearchOps.h"
#include "ir/remarks/Remark.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/GraphPasses.h"
#include "passes/search/states/BeamScores.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_SCOREFIRSTPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::search {

namespace {

struct ScoreFirstPass : impl::ScoreFirstPassBase<ScoreFirstPass> {
  using ScoreFirstPassBase::ScoreFirstPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    ScoreFirstPassBase::getDependentDialects(registry);
    registry.insert<SearchDialect>();
  }

  void runOnOperation() override {
    SmallVector<UniqueOp> found;
    getOperation().walk([&](UniqueOp unique) {
      auto loop = dyn_cast<WhileOp>(unique->getParentOp());
      if (loop && unique->getParentRegion() == &loop.getBody())
        found.push_back(unique);
    });
    for (UniqueOp unique : found)
      visit(unique);
  }

private:
  void visit(UniqueOp unique);
  void remark(Operation *op, remarks::Code code,
              ArrayRef<remarks::Value> values = {}) {
    if (explain)
      remarks::emit(op, code, values);
  }
};

/// Rows that a step keeps, their indices among the candidates, and scores.
struct Best {
  Value states, places, scores, tries;
};

class StepBuilder {
public:
  StepBuilder(OpBuilder &builder, const BeamStep &step)
      : step(step), builder(builder), location(step.best->getLoc()),
        ops(builder, location), scores(ops, builder, location, step) {}

  /// The result of the step; `tries` is how many candidates it deduplicates
  /// first.
  Best build(Value tries);
  /// The result of the step that counts all candidates.
  Best buildCounting();

private:
  Best keep(Value candidates, Value numbers, Value scoresOfThem, Value &count);
  Value triesForWidth(Value tried, Value distinct);

  const BeamStep &step;
  OpBuilder &builder;
  Location location;
  RowBuilder ops;
  BeamScores scores;
};

} // namespace

/// The first `width` distinct candidates that are not known, and how many there
/// are in all.
Best StepBuilder::keep(Value candidates, Value numbers, Value scoresOfThem,
                       Value &count) {
  Value zero = ops.number(0), width = ops.number(step.width);
  auto [once, at] = ops.distinctAt(candidates);
  if (step.known.empty()) {
    count = ops.count(at);
    Value kept = ops.part(at, zero, ops.min(count, width));
    return {ops.pick(candidates, kept), ops.pick(numbers, kept),
            ops.pick(scoresOfThem, kept), Value()};
  }
  Value isKnown;
  for (Value set : step.known) {
    Value isIn = builder.create<IsInOp>(
        location, ops.type({anySize}, builder.getI1Type()), once, set);
    isKnown = isKnown ? ops.either(isKnown, isIn) : isIn;
  }
  SmallVector<Value> fresh =
      ops.keep(ops.negate(isKnown),
               {once, ops.pick(numbers, at), ops.pick(scoresOfThem, at)});
  count = ops.count(fresh[0]);
  Value kept = ops.min(count, width);
  return {ops.part(fresh[0], zero, kept), ops.part(fresh[1], zero, kept),
          ops.part(fresh[2], zero, kept), Value()};
}

/// How many candidates contain as many distinct states as the beam holds,
/// estimated from those tried; an eighth more, since the share changes from
/// step to step.
Value StepBuilder::triesForWidth(Value tried, Value distinct) {
  Value width = ops.number(step.width);
  Value wanted =
      ops.div(ops.mul(tried, width), ops.add(distinct, ops.number(1)));
  wanted = ops.add(wanted, ops.div(wanted, ops.number(8)));
  return ops.max(wanted, ops.number(step.width + step.width / 8 + 1));
}

/// Equal states have equal scores, so the first of them in order of score and
/// index is the first in order of index. Only the best candidates become rows;
/// half more where too few of these are distinct.
Best StepBuilder::build(Value tries) {
  Value all = scores.scores(), total = scores.count();
  auto scoreList = cast<RankedTensorType>(all.getType());
  enum Carried { wanted, kept, places, least, enough };
  Value no = ops.condition(false);
  auto states = cast<RankedTensorType>(step.states.getType());
  SmallVector<Value> inits{
      tries, ops.constant({}, {0, step.positions()}, states.getElementType()),
      ops.constant({}, {0}, ops.i64()),
      ops.constant({}, {0}, scoreList.getElementType()), no};
  SmallVector<Type> types{tries.getType(), states, ops.listType(),
                          ops.type({anySize}, scoreList.getElementType()),
                          no.getType()};
  ValueRange best = ops.loop(
      types, inits, [&](ValueRange now) { return ops.negate(now[enough]); },
      [&](ValueRange now) -> SmallVector<Value> {
        Value tried = ops.min(now[wanted], total);
        auto top =
            builder.create<TopKOp>(location, types[least], ops.listType(), all,
                                   tried, uint64_t(0), /*smallest=*/true);
        Value count;
        Best found = keep(scores.rows(top.getIndices()), top.getIndices(),
                          top.getValues(), count);
        Value isEnough = ops.either(
            ops.compare(CompareDirection::ge, count, ops.number(step.width)),
            ops.compare(CompareDirection::eq, tried, total));
        Value more = ops.add(
            tried, ops.add(ops.div(tried, ops.number(2)), ops.number(1)));
        return {ops.select(isEnough, triesForWidth(tried, count), more),
                found.states, found.places, found.scores, isEnough};
      });
  return {best[kept], best[places], best[least], best[wanted]};
}

/// What counts candidates tells which of equal ones is the first.
Best StepBuilder::buildCounting() {
  CountNeighboursOp counts = scores.counts();
  for (OpOperand *use : step.formedUses)
    use->set(counts.getFormed());
  for (OpOperand *use : step.freshUses)
    use->set(counts.getFresh());
  Value all = scores.scoresAmong(counts.getFirsts()),
        kept = ops.min(counts.getFresh(), ops.number(step.width));
  TopKOp best = step.best;
  auto top = builder.create<TopKOp>(location, all.getType(), ops.listType(),
                                    all, kept, uint64_t(0), /*smallest=*/true);
  auto scoreList = cast<RankedTensorType>(best.getValues().getType());
  return {scores.rows(top.getIndices()), top.getIndices(),
          ops.convert(top.getValues(), scoreList.getElementType()), Value()};
}

/// Adds a loop-carried value and returns its argument in the body; the body
/// does not yield it yet.
static BlockArgument carry(WhileOp &loop, Value init) {
  OpBuilder builder(loop);
  SmallVector<Value> inits(loop.getInits());
  SmallVector<Type> types(loop.getResultTypes());
  inits.push_back(init);
  types.push_back(init.getType());
  auto wider = builder.create<WhileOp>(loop.getLoc(), types, inits);
  wider->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  wider.getCondition().takeBody(loop.getCondition());
  wider.getBody().takeBody(loop.getBody());
  wider.getCondition().addArgument(init.getType(), loop.getLoc());
  BlockArgument now =
      wider.getBody().addArgument(init.getType(), loop.getLoc());
  loop->replaceAllUsesWith(wider->getResults().drop_back());
  loop.erase();
  loop = wider;
  return now;
}

/// Erases ops of a block and of regions in it whose values nobody uses.
static void eraseUnused(Block &block) {
  SmallVector<Operation *> ops;
  block.walk([&](Operation *op) {
    if (op->getNumRegions() == 0)
      ops.push_back(op);
  });
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

static void scoreFirst(BeamStep &step) {
  auto loop = cast<WhileOp>(step.unique->getParentOp());
  OpBuilder builder(loop);
  Best best;
  if (step.isCounted()) {
    builder.setInsertionPointAfter(step.states.getDefiningOp());
    best = StepBuilder(builder, step).buildCounting();
  } else {
    Value tries = RowBuilder(builder, loop.getLoc())
                      .number(step.width + step.width / 2 + 1);
    BlockArgument now = carry(loop, tries);
    builder.setInsertionPointAfter(step.states.getDefiningOp());
    best = StepBuilder(builder, step).build(now);
    loop.getBody().front().getTerminator()->insertOperands(
        loop.getNumResults() - 1, best.tries);
  }
  Value count = RowBuilder(builder, step.best->getLoc()).count(best.states);
  for (DimOp size : step.sizes)
    size.getResult().replaceAllUsesWith(count);
  for (OpOperand *use : step.emptyUses)
    use->set(use->get() == step.states ? best.states : best.places);
  for (GatherOp pick : step.picks)
    pick.getResult().replaceAllUsesWith(
        pick.getOperand() == step.states ? best.states : best.places);
  for (Operation *user : step.best.getIndices().getUsers())
    if (auto size = dyn_cast<DimOp>(user))
      size.getResult().replaceAllUsesWith(count);
  step.best.getValues().replaceAllUsesWith(best.scores);
  eraseUnused(loop.getBody().front());
}

void ScoreFirstPass::visit(UniqueOp unique) {
  DimAnalysis dims;
  BeamRefusal why;
  std::optional<BeamStep> step = matchBeamStep(unique, dims, why);
  if (!step) {
    if (why.isCounted)
      remark(unique, remarks::Code::SEA401);
    else if (!why.reason.empty())
      remark(unique, remarks::Code::SEA302, {why.reason});
    return;
  }
  if (llvm::is_contained(without, "score-first")) {
    remark(unique, remarks::Code::SEA302, {"as asked"});
    return;
  }
  remark(unique, remarks::Code::SEA301);
  scoreFirst(*step);
}

} // namespace zenith::search
