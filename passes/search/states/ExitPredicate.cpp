// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates a loop's condition on the values that its body yields.

#include "passes/search/states/ExitPredicate.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::search {

namespace {

/// Values of the condition, with the values that the body yields for its
/// arguments.
class ConditionWalk {
public:
  explicit ConditionWalk(WhileOp loop)
      : condition(loop.getCondition().front()), body(loop.getBody().front()) {}

  /// The value that the body yields for an argument of the condition; other
  /// values as they are.
  Value follow(Value value) const {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != &condition)
      return value;
    return body.getTerminator()->getOperand(argument.getArgNumber());
  }
  /// Whether it can be computed where the body begins, without the states.
  bool isKnown(Value value, const BfsLoop &bfs) const {
    value = follow(value);
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getOwner() == &body)
      return argument.getArgNumber() != bfs.layer &&
             argument.getArgNumber() != bfs.earlier;
    if (!isInLoop(value))
      return true;
    Operation *op = value.getDefiningOp();
    return op && op->getNumRegions() == 0 &&
           llvm::all_of(op->getOperands(),
                        [&](Value operand) { return isKnown(operand, bfs); });
  }
  /// Its ops again; `mapping` has the body's arguments.
  Value clone(OpBuilder &builder, Value value, IRMapping &mapping) const {
    value = follow(value);
    if (mapping.contains(value) || !isInLoop(value))
      return mapping.lookupOrDefault(value);
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands()) {
      Value copy = clone(builder, operand, mapping);
      mapping.map(operand, copy);
    }
    builder.clone(*op, mapping);
    return mapping.lookup(value);
  }

private:
  bool isInLoop(Value value) const {
    Block *block = value.getParentBlock();
    return block == &body || block == &condition;
  }

  Block &condition, &body;
};

} // namespace

/// What has to be true together.
static void listParts(Value value, SmallVectorImpl<Value> &conjuncts) {
  if (auto both = value.getDefiningOp<AndOp>()) {
    listParts(both.getLhs(), conjuncts);
    listParts(both.getRhs(), conjuncts);
  } else {
    conjuncts.push_back(value);
  }
}

std::optional<ExitPredicate> ExitPredicate::find(const BfsLoop &bfs) {
  WhileOp loop = bfs.loop;
  ExitPredicate turn(loop);
  listParts(loop.getCondition().front().getTerminator()->getOperand(0),
            turn.conjuncts);
  ConditionWalk walk(loop);
  // A constant says nothing, and a loop that goes on anyway has no last turn.
  llvm::erase_if(turn.conjuncts, [&](Value part) {
    return part.getDefiningOp<ConstantOp>() || !walk.isKnown(part, bfs);
  });
  if (turn.conjuncts.empty())
    return std::nullopt;
  return turn;
}

Value ExitPredicate::build(OpBuilder &builder, const IRMapping &carried) const {
  WhileOp own = loop;
  ConditionWalk walk(own);
  IRMapping mapping = carried;
  Value all;
  for (Value part : conjuncts) {
    Value here = walk.clone(builder, part, mapping);
    all =
        all ? builder.create<AndOp>(own.getLoc(), all, here).getResult() : here;
  }
  return all;
}

} // namespace zenith::search
