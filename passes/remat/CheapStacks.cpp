// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that stack values and elementwise functions of them for later loops:
// only the former are stacked, and the later loops compute the rest again.

#include "ir/GraphOps.h"
#include "ir/matchers/MovementRewrites.h"
#include "ir/matchers/RegionInlining.h"
#include "ir/matchers/SplatConstant.h"
#include "ir/matchers/TypeOf.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/autodiff/DerivationPasses.h"
#include "passes/autodiff/sweeps/CountedLoop.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace zenith {
#define GEN_PASS_DEF_RECOMPUTECHEAPSTACKSPASS
#include "passes/autodiff/DerivationPasses.h.inc"
} // namespace zenith

using namespace zenith::graph;

namespace zenith::remat {

using namespace zenith::autodiff;

static bool isZero(Value value) { return splatValue(value) == 0.0; }

/// Whether all starts but the first are 0.
static bool startsAtRow(OperandRange starts) {
  return !starts.empty() && llvm::all_of(starts.drop_front(), isZero);
}

/// A value as it was before dimensions of size 1 were added.
static Value withoutUnits(Value value) {
  for (Operation *op = value.getDefiningOp(); op && isStaticRename(op);
       op = value.getDefiningOp())
    value = op->getOperand(0);
  return value;
}

namespace {

/// A carried value into which each trip writes a row that only later loops
/// read.
struct Stack {
  unsigned index;
  Value row;   ///< [1, ...], of the body
  Value value; ///< the same without dimensions of size 1 that were added
  SmallVector<DynamicSliceOp> reads;
};

/// One loop with stacks, and the loops that read them.
class StackingLoop {
public:
  explicit StackingLoop(WhileOp loop) : loop(loop) {}

  /// Whether there are stacks that others make superfluous.
  bool analyse();
  void rewrite(PatternRewriter &rewriter);

private:
  Block &body() { return loop.getBody().front(); }
  std::optional<Stack> stackAt(unsigned index);
  std::optional<SmallVector<DynamicSliceOp>> readsOf(Value result,
                                                     Type rowType);
  bool isCheap(const Stack &stack);
  Value again(RuleBuilder &rule, Value value, DynamicSliceOp read,
              IRMapping &made);

  WhileOp loop;
  unsigned counter = 0;
  int64_t trips = 0;
  SmallVector<Stack> stacks;
  llvm::MapVector<Value, unsigned> stackOf; ///< by values of rows
  BitVector dropped;                        ///< by stack
};

} // namespace

std::optional<SmallVector<DynamicSliceOp>> StackingLoop::readsOf(Value result,
                                                                 Type rowType) {
  SmallVector<DynamicSliceOp> reads;
  for (OpOperand &use : result.getUses()) {
    auto slice = dyn_cast<DynamicSliceOp>(use.getOwner());
    if (!slice || use.getOperandNumber() != 0 || slice.getType() != rowType ||
        !startsAtRow(slice->getOperands().drop_front()))
      return std::nullopt;
    auto reader = dyn_cast<WhileOp>(slice->getParentOp());
    bool isAfter = reader && reader->getBlock() == loop->getBlock() &&
                   loop->isBeforeInBlock(reader) &&
                   slice->getBlock() == &reader.getBody().front();
    if (!isAfter)
      return std::nullopt;
    reads.push_back(slice);
  }
  if (reads.empty())
    return std::nullopt;
  return reads;
}

std::optional<Stack> StackingLoop::stackAt(unsigned index) {
  Value argument = body().getArgument(index);
  auto update = body()
                    .getTerminator()
                    ->getOperand(index)
                    .getDefiningOp<DynamicUpdateSliceOp>();
  bool isUsedInCondition =
      !loop.getCondition().front().getArgument(index).use_empty();
  if (!update || isUsedInCondition || !argument.hasOneUse() ||
      update->getOperand(0) != argument || !update->hasOneUse() ||
      update->getOperand(2) != body().getArgument(counter) ||
      !startsAtRow(update->getOperands().drop_front(2)))
    return std::nullopt;
  Value row = update->getOperand(1);
  RankedTensorType type = typeOf(update.getResult()), rowType = typeOf(row);
  if (!type.hasStaticShape() || type.getDimSize(0) != trips ||
      rowType.getDimSize(0) != 1 ||
      rowType.getShape().drop_front() != type.getShape().drop_front())
    return std::nullopt;
  auto reads = readsOf(loop.getResult(index), rowType);
  if (!reads)
    return std::nullopt;
  return Stack{index, row, withoutUnits(row), std::move(*reads)};
}

/// Whether few elementwise ops make the row of rows of other stacks of its size
/// or smaller.
bool StackingLoop::isCheap(const Stack &stack) {
  constexpr unsigned mostOps = 16;
  SmallVector<Value> open{stack.value};
  llvm::SmallPtrSet<Operation *, 16> ops;
  bool readsStack = false;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (value != stack.value && stackOf.count(value)) {
      readsStack = true;
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!op) {
      // Carried values are gone by then; what is around the loop is not.
      if (cast<BlockArgument>(value).getOwner() == &body())
        return false;
      continue;
    }
    if (op->getBlock() != &body() || splatValue(value))
      continue;
    auto broadcast = dyn_cast<BroadcastOp>(op);
    bool isFree = isa<ReshapeOp>(op) || broadcast;
    if ((!isFree && familyOf(op) != Family::Elementwise) ||
        op->getNumResults() != 1 || !typeOf(value).hasStaticShape())
      return false;
    if (ops.insert(op).second && !isFree && ops.size() > mostOps)
      return false;
    llvm::append_range(open, op->getOperands());
  }
  return readsStack;
}

bool StackingLoop::analyse() {
  std::optional<CountedLoop> counted = countedLoop(loop);
  std::optional<double> limit =
      counted ? splatValue(counted->limit) : std::nullopt;
  if (!limit || counted->step != 1 || counted->withLimit ||
      !isZero(loop.getInits()[counted->counter]))
    return false;
  counter = counted->counter;
  trips = int64_t(*limit);
  for (unsigned index = 0; index < loop->getNumResults(); ++index)
    if (std::optional<Stack> stack = stackAt(index)) {
      stackOf.insert({stack->value, stacks.size()});
      stacks.push_back(std::move(*stack));
    }
  dropped.resize(stacks.size());
  for (auto [index, stack] : llvm::enumerate(stacks)) {
    // Of stacks of one value the first stays.
    bool isTwin = stackOf.lookup(stack.value) != index;
    if (isTwin || isCheap(stack))
      dropped.set(index);
  }
  return dropped.any();
}

/// A value of the body of the trip that `read` reads.
Value StackingLoop::again(RuleBuilder &rule, Value value, DynamicSliceOp read,
                          IRMapping &made) {
  if (Value known = made.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  auto stacked = stackOf.find(value);
  Value result;
  if (stacked != stackOf.end() && !dropped.test(stacked->second)) {
    const Stack &stack = stacks[stacked->second];
    SmallVector<Value> starts{read->getOperand(1)};
    starts.append(typeOf(stack.row).getRank() - 1,
                  rule.splat(read->getOperand(1), 0));
    result = rule.builder.create<DynamicSliceOp>(
        rule.loc, stack.row.getType(), loop.getResult(stack.index), starts);
    if (result.getType() != value.getType())
      result = rule.builder.create<ReshapeOp>(rule.loc, value.getType(), result,
                                              ValueRange());
  } else if (!op || op->getBlock() != &body()) {
    result = value;
  } else {
    for (Value operand : op->getOperands())
      again(rule, operand, read, made);
    result = rule.builder.clone(*op, made)->getResult(0);
  }
  made.map(value, result);
  return result;
}

void StackingLoop::rewrite(PatternRewriter &rewriter) {
  // What one body reads of one trip is computed once, before its first reader.
  llvm::MapVector<std::pair<Block *, Value>,
                  SmallVector<std::pair<DynamicSliceOp, unsigned>>>
      places;
  BitVector gone(loop->getNumResults());
  for (unsigned index : dropped.set_bits()) {
    gone.set(stacks[index].index);
    for (DynamicSliceOp read : stacks[index].reads)
      places[{read->getBlock(), read->getOperand(1)}].push_back({read, index});
  }
  for (auto &[place, reads] : places) {
    DynamicSliceOp first = llvm::min_element(reads, [](auto x, auto y) {
                             return x.first->isBeforeInBlock(y.first);
                           })->first;
    OpBuilder builder(first);
    RuleBuilder rule(builder, first.getLoc());
    IRMapping made;
    for (auto [read, index] : reads) {
      Value value = again(rule, stacks[index].value, read, made);
      if (value.getType() != read.getType())
        value = builder.create<ReshapeOp>(rule.loc, read.getType(), value,
                                          ValueRange());
      read.replaceAllUsesWith(value);
    }
    for (auto [read, index] : reads)
      read.erase();
  }
  rewriter.setInsertionPoint(loop);
  dropCarried(loop, gone, rewriter);
}

namespace {

struct RecomputeCheapStacksPass
    : impl::RecomputeCheapStacksPassBase<RecomputeCheapStacksPass> {
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<GraphDialect, func::FuncDialect>();
  }

  void runOnOperation() override {
    SmallVector<WhileOp> loops;
    // Inner loops first.
    getOperation().walk([&](WhileOp loop) { loops.push_back(loop); });
    for (WhileOp loop : loops) {
      StackingLoop stacking(loop);
      PatternRewriter rewriter(loop->getContext());
      if (stacking.analyse())
        stacking.rewrite(rewriter);
    }
  }
};

} // namespace
} // namespace zenith::remat
