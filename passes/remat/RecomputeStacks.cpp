// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that stack what later loops read row by row: only the carried values of
// each trip are stacked instead, and the later loop computes the rows again.

#include "ir/GraphOps.h"
#include "ir/matchers/RegionInlining.h"
#include "ir/matchers/SplatConstant.h"
#include "ir/matchers/TypeOf.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "passes/autodiff/DerivationPasses.h"
#include "passes/autodiff/sweeps/CountedLoop.h"
#include "passes/autodiff/sweeps/Tape.h"
#include "passes/cost/CostRule.h"
#include "passes/remat/LoopRecomputation.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace zenith {
#define GEN_PASS_DEF_RECOMPUTESTACKSPASS
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

namespace {

/// A carried value into which each trip writes a row that only other loops
/// read.
struct Stack {
  unsigned index;
  Value row; ///< [1, ...], of the body
  SmallVector<DynamicSliceOp> reads;
};

/// One loop with stacks, and the loops that read them.
class StackedLoop {
public:
  explicit StackedLoop(WhileOp loop) : loop(loop) {}

  /// Whether there are stacks, and all that their rows need can be had again.
  bool analyse();
  /// Recomputes the rows; the loop is another op afterwards.
  void rewrite();

  double once = 0;  ///< arithmetic of the loop
  double added = 0; ///< of what is computed again

private:
  Block &body() { return loop.getBody().front(); }
  std::optional<Stack> stackAt(unsigned index);
  std::optional<SmallVector<DynamicSliceOp>> readsOf(Value result,
                                                     Type rowType);
  bool collectNeeded();
  void stackCarried();
  void recompute(ArrayRef<DynamicSliceOp> reads);
  double flopsOf(Operation *op);

  WhileOp loop;
  unsigned counter = 0;
  int64_t trips = 0;
  SmallVector<Stack> stacks;
  llvm::SetVector<Operation *> needed; ///< ops of the body
  /// Carried values that change and that the rows rest on, by index.
  llvm::SetVector<unsigned> carried;
  /// Stacks of these, results of the loop.
  llvm::DenseMap<unsigned, Value> carriedRows;
};

} // namespace

std::optional<SmallVector<DynamicSliceOp>> StackedLoop::readsOf(Value result,
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

std::optional<Stack> StackedLoop::stackAt(unsigned index) {
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
  return Stack{index, row, std::move(*reads)};
}

bool StackedLoop::analyse() {
  std::optional<CountedLoop> counted = countedLoop(loop);
  std::optional<double> limit =
      counted ? splatValue(counted->limit) : std::nullopt;
  if (!limit || counted->step != 1 || counted->withLimit ||
      !isZero(loop.getInits()[counted->counter]))
    return false;
  counter = counted->counter;
  trips = int64_t(*limit);
  for (unsigned index = 0; index < loop->getNumResults(); ++index)
    if (std::optional<Stack> stack = stackAt(index))
      stacks.push_back(std::move(*stack));
  return !stacks.empty() && collectNeeded();
}

/// What the rows rest on, inside of the body.
bool StackedLoop::collectNeeded() {
  SmallVector<Value> open;
  for (const Stack &stack : stacks)
    open.push_back(stack.row);
  int64_t rowBytes = 0, carriedBytes = 0;
  auto bytesOf = [](Value value) {
    RankedTensorType type = typeOf(value);
    return type.getNumElements();
  };
  for (const Stack &stack : stacks)
    rowBytes += bytesOf(stack.row);
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getOwner() == &body()) {
      unsigned index = argument.getArgNumber();
      bool isConstant = body().getTerminator()->getOperand(index) == value;
      if (index == counter || isConstant || !carried.insert(index))
        continue;
      if (!typeOf(value).hasStaticShape())
        return false;
      carriedBytes += bytesOf(value);
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != &body() || !needed.insert(op))
      continue;
    if (!isMemoryEffectFree(op))
      return false;
    llvm::append_range(open, op->getOperands());
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    llvm::append_range(open, captured);
  }
  // A loop that carries as much as it stacks gains nothing.
  return carriedBytes < rowBytes;
}

void StackedLoop::stackCarried() {
  if (carried.empty())
    return;
  OpBuilder before(loop);
  RuleBuilder outside(before, loop.getLoc());
  SmallVector<Value> inits;
  for (unsigned index : carried)
    inits.push_back(
        emptyTape(outside, outside.index(trips), loop.getInits()[index]));
  Value trip = body().getArgument(counter);
  SmallVector<Value> values;
  for (unsigned index : carried)
    values.push_back(body().getArgument(index));
  loop =
      withCarried(loop, inits, [&](RuleBuilder &inside, ValueRange arguments) {
        Value row = inside.convert(trip, inside.builder.getI64Type());
        SmallVector<Value> next;
        for (auto [value, rows] : llvm::zip(values, arguments))
          next.push_back(writeRow(inside, rows, value, row));
        return next;
      });
  auto rows = loop->getResults().take_back(carried.size());
  for (auto [index, stack] : llvm::zip(carried, rows))
    carriedRows[index] = stack;
}

double StackedLoop::flopsOf(Operation *op) {
  DimAnalysis dims;
  double flops = 0;
  op->walk([&](cost::CostRule rule) {
    if (std::optional<int64_t> known = rule.flops(dims).constant())
      flops += double(*known);
  });
  return flops * double(trips);
}

/// Rows that one block reads at one index.
void StackedLoop::recompute(ArrayRef<DynamicSliceOp> reads) {
  Operation *first = *llvm::min_element(
      reads, [](auto x, auto y) { return x->isBeforeInBlock(y); });
  OpBuilder builder(first);
  RuleBuilder rule(builder, first->getLoc());
  IRMapping again;
  Value index = first->getOperand(1), own = body().getArgument(counter);
  // As the slice does, which stays within the stack.
  auto splat = [&](int64_t number) {
    return rule.splat(index, double(number));
  };
  Value row =
      rule.binary<MinOp>(rule.binary<MaxOp>(index, splat(0)), splat(trips - 1));
  again.map(own, typeOf(own) == typeOf(row)
                     ? row
                     : rule.convert(row, typeOf(own).getElementType()));
  for (BlockArgument argument : body().getArguments()) {
    unsigned number = argument.getArgNumber();
    if (number == counter)
      continue;
    if (Value stack = carriedRows.lookup(number))
      again.map(argument, readRow(rule, stack, typeOf(argument),
                                  rule.convert(row, builder.getI64Type())));
    else if (body().getTerminator()->getOperand(number) == argument)
      again.map(argument, loop.getInits()[number]);
  }
  llvm::SetVector<Operation *> wanted;
  SmallVector<Value> open;
  llvm::DenseMap<Operation *, Value> rowOf;
  for (DynamicSliceOp read : reads)
    for (const Stack &stack : stacks)
      if (read->getOperand(0) == loop.getResult(stack.index)) {
        rowOf[read] = stack.row;
        open.push_back(stack.row);
      }
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || !needed.contains(op) || !wanted.insert(op))
      continue;
    llvm::append_range(open, op->getOperands());
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    llvm::append_range(open, captured);
  }
  for (Operation &op : body())
    if (wanted.contains(&op)) {
      added += flopsOf(builder.clone(op, again));
    }
  for (DynamicSliceOp read : reads) {
    read->replaceAllUsesWith(
        ValueRange(again.lookupOrDefault(rowOf.lookup(read))));
    read->erase();
  }
}

void StackedLoop::rewrite() {
  once = flopsOf(loop);
  stackCarried();
  llvm::MapVector<std::pair<Block *, Value>, SmallVector<DynamicSliceOp>>
      places;
  llvm::DenseSet<Operation *> readers;
  for (const Stack &stack : stacks)
    for (DynamicSliceOp read : stack.reads) {
      places[{read->getBlock(), read->getOperand(1)}].push_back(read);
      if (readers.insert(read->getParentOp()).second)
        once += flopsOf(read->getParentOp());
    }
  for (auto &[place, reads] : places)
    recompute(reads);
  BitVector dropped(loop->getNumResults());
  for (const Stack &stack : stacks)
    dropped.set(stack.index);
  PatternRewriter rewriter(loop->getContext());
  rewriter.setInsertionPoint(loop);
  dropCarried(loop, dropped, rewriter);
}

namespace {

struct RecomputeStacksPass
    : impl::RecomputeStacksPassBase<RecomputeStacksPass> {
  using RecomputeStacksPassBase::RecomputeStacksPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<GraphDialect, func::FuncDialect>();
    cost::registerCostRules(registry);
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    auto module = function->getParentOfType<ModuleOp>();
    if (!module || !module->hasAttr(recomputeLoopsAttrName))
      return;
    SmallVector<WhileOp> loops;
    // Inner loops first.
    function.walk([&](WhileOp loop) { loops.push_back(loop); });
    double once = 0, added = 0;
    for (WhileOp loop : loops) {
      StackedLoop stacked(loop);
      if (!stacked.analyse())
        continue;
      stacked.rewrite();
      once += stacked.once;
      added += stacked.added;
    }
    if (added > 0)
      function->setAttr(
          loopFlopsAttrName,
          Builder(&getContext()).getDenseF64ArrayAttr({once, added}));
  }
};

} // namespace
} // namespace zenith::remat
