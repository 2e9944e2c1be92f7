// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches the forms that fusion leaves of stacks: an update in a fusion of its
// own, and slices in the fusions that read.

#include "lowering/memory/LoopStacks.h"

#include "ir/matchers/HostScalars.h"
#include "ir/matchers/MovementRewrites.h"
#include "ir/matchers/SplatConstant.h"
#include "ir/matchers/TypeOf.h"
#include "lowering/memory/FunctionPlans.h"

using namespace mlir;

namespace zenith::memory {

using graph::FusionOp;

static bool isZero(Value value) { return graph::splatValue(value) == 0.0; }

CallCounts callCounts(ModuleOp module, const SymbolTable &symbols) {
  CallCounts counts;
  module.walk([&](Operation *op) {
    forEachCallee(op, symbols, [&](func::FuncOp callee) { ++counts[callee]; });
  });
  return counts;
}

static func::FuncOp bodyOf(host::LoopOp loop, const SymbolTable &symbols) {
  return symbols.lookup<func::FuncOp>(loop.getBody());
}

/// The value outside of a fusion that an argument of its body is.
static Value outsideOf(FusionOp fusion, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == &fusion.getBody().front()
             ? fusion.getInputs()[argument.getArgNumber()]
             : Value();
}

std::optional<LoopTrips> tripsOf(host::LoopOp loop,
                                 const SymbolTable &symbols) {
  auto condition = symbols.lookup<func::FuncOp>(loop.getCondition());
  func::FuncOp body = bodyOf(loop, symbols);
  auto compare = condition.getBody()
                     .front()
                     .getTerminator()
                     ->getOperand(0)
                     .getDefiningOp<graph::CompareOp>();
  if (!compare || compare.getDirection() != graph::CompareDirection::lt)
    return std::nullopt;
  auto counter = dyn_cast<BlockArgument>(compare->getOperand(0));
  std::optional<double> limit = graph::splatValue(compare->getOperand(1));
  unsigned index = counter ? counter.getArgNumber() : 0;
  if (!counter || !limit || *limit < 1 || *limit > 1e9 ||
      index >= loop.getInits().size() || !isZero(loop.getInits()[index]) ||
      !graph::isHostScalarType(counter.getType()))
    return std::nullopt;
  auto next = body.getBody()
                  .front()
                  .getTerminator()
                  ->getOperand(index)
                  .getDefiningOp<graph::AddOp>();
  Value own = body.getArgument(index);
  bool isNext = next && ((next->getOperand(0) == own &&
                          graph::splatValue(next->getOperand(1)) == 1.0) ||
                         (next->getOperand(1) == own &&
                          graph::splatValue(next->getOperand(0)) == 1.0));
  if (!isNext)
    return std::nullopt;
  return LoopTrips{index, int64_t(*limit)};
}

/// Whether a slice of `fusion` starts at a row that `index`, outside of the
/// fusion, names, and at 0 elsewhere.
static bool startsAtRow(FusionOp fusion, OperandRange starts, Value &index) {
  if (starts.empty() || !llvm::all_of(starts.drop_front(), [&](Value start) {
        Value outside = outsideOf(fusion, start);
        return isZero(outside ? outside : start);
      }))
    return false;
  Value outside = outsideOf(fusion, starts.front());
  if (!outside || (index && index != outside) ||
      cast<RankedTensorType>(outside.getType()).getElementTypeBitWidth() < 32)
    return false;
  index = outside;
  return true;
}

/// The carried value that is the row of a stack, seen through reshapes.
static std::optional<unsigned> carriedRow(const LoopStack &stack,
                                          unsigned carried) {
  Value value = stack.write->getOperand(1);
  while (Operation *op = value.getDefiningOp()) {
    if (!graph::isStaticRename(op))
      return std::nullopt;
    value = op->getOperand(0);
  }
  Value outside = outsideOf(stack.update, value);
  auto argument = outside ? dyn_cast<BlockArgument>(outside) : BlockArgument();
  if (!argument || argument.getArgNumber() >= carried)
    return std::nullopt;
  return argument.getArgNumber();
}

namespace {

class StackSearch {
public:
  StackSearch(StackedLoop &found, const SymbolTable &symbols,
              const CallCounts &calls)
      : found(found), symbols(symbols), calls(calls) {}
  std::optional<LoopStack> stackAt(unsigned index) const;

private:
  bool addReads(LoopStack &stack) const;
  bool addReads(LoopStack &stack, BlockArgument captured) const;

  StackedLoop &found;
  const SymbolTable &symbols;
  const CallCounts &calls;
};

} // namespace

/// Whether functions have one caller, so that they may be changed, and get all
/// that they read from it as arguments.
static bool isOnlyCaller(host::LoopOp loop, const SymbolTable &symbols,
                         const CallCounts &calls) {
  return loop.getShared().empty() &&
         calls.lookup(symbols.lookup(loop.getBody())) == 1 &&
         calls.lookup(symbols.lookup(loop.getCondition())) == 1 &&
         // Sizes that operands have are named by their number.
         llvm::all_of(loop.getDims(), [](Attribute dims) {
           return llvm::all_of(cast<ArrayAttr>(dims),
                               llvm::IsaPred<graph::DimAttr>);
         });
}

bool StackSearch::addReads(LoopStack &stack, BlockArgument captured) const {
  Type row = stack.write->getOperand(1).getType();
  for (OpOperand &use : captured.getUses()) {
    auto fusion = dyn_cast<FusionOp>(use.getOwner());
    if (!fusion)
      return false;
    StackRead read{fusion, use.getOperandNumber(), Value()};
    for (OpOperand &inside :
         fusion.getBody().getArgument(read.operand).getUses()) {
      auto slice = dyn_cast<graph::DynamicSliceOp>(inside.getOwner());
      if (!slice || inside.getOperandNumber() != 0 || slice.getType() != row ||
          !startsAtRow(fusion, slice->getOperands().drop_front(), read.index))
        return false;
    }
    if (!read.index)
      return false;
    stack.reads.push_back(read);
  }
  return true;
}

bool StackSearch::addReads(LoopStack &stack) const {
  for (OpOperand &use : found.loop.getResult(stack.index).getUses()) {
    auto reader = dyn_cast<host::LoopOp>(use.getOwner());
    if (!reader || reader->getBlock() != found.loop->getBlock() ||
        !isOnlyCaller(reader, symbols, calls))
      return false;
    size_t first =
        reader.getInits().size() + reader.getConditionCaptures().size();
    if (use.getOperandNumber() < first)
      return false;
    unsigned argument =
        reader.getInits().size() + (use.getOperandNumber() - first);
    if (!addReads(stack, bodyOf(reader, symbols).getArgument(argument)))
      return false;
  }
  return !stack.reads.empty();
}

std::optional<LoopStack> StackSearch::stackAt(unsigned index) const {
  Block &block = found.body.getBody().front();
  auto result = dyn_cast<OpResult>(block.getTerminator()->getOperand(index));
  auto update = result ? dyn_cast<FusionOp>(result.getOwner()) : FusionOp();
  if (!update || update->getNumResults() != 1 || !result.hasOneUse())
    return std::nullopt;
  auto write = update.getBody()
                   .front()
                   .getTerminator()
                   ->getOperand(0)
                   .getDefiningOp<graph::DynamicUpdateSliceOp>();
  BlockArgument own = block.getArgument(index);
  Value counter;
  if (!write || outsideOf(update, write->getOperand(0)) != own ||
      !own.hasOneUse() || !write->getOperand(0).hasOneUse() ||
      !found.condition.getArgument(index).use_empty() ||
      !startsAtRow(update, write->getOperands().drop_front(2), counter) ||
      counter != block.getArgument(found.counter))
    return std::nullopt;
  RankedTensorType type = graph::typeOf(own),
                   row = graph::typeOf(write->getOperand(1));
  bool isElementwise = llvm::all_of(
      update.getBody().front().without_terminator(), [&](Operation &op) {
        return &op == write || isa<graph::ConstantOp>(op) ||
               graph::familyOf(&op) == graph::Family::Elementwise ||
               graph::familyOf(&op) == graph::Family::Movement;
      });
  if (!isElementwise || !type.hasStaticShape() ||
      type.getDimSize(0) != found.trips || row.getDimSize(0) != 1 ||
      row.getShape().drop_front() != type.getShape().drop_front())
    return std::nullopt;
  LoopStack stack{index, update, write, std::nullopt, {}};
  if (!addReads(stack))
    return std::nullopt;
  stack.carried = carriedRow(stack, found.loop.getInits().size());
  return stack;
}

std::optional<StackedLoop> stackedLoop(host::LoopOp loop,
                                       const SymbolTable &symbols,
                                       const CallCounts &calls) {
  std::optional<LoopTrips> trips = tripsOf(loop, symbols);
  if (!trips || !isOnlyCaller(loop, symbols, calls))
    return std::nullopt;
  StackedLoop found{loop,
                    symbols.lookup<func::FuncOp>(loop.getCondition()),
                    bodyOf(loop, symbols),
                    trips->counter,
                    trips->count,
                    {}};
  StackSearch search(found, symbols, calls);
  for (unsigned index = 0; index < loop->getNumResults(); ++index)
    if (std::optional<LoopStack> stack = search.stackAt(index))
      found.stacks.push_back(std::move(*stack));
  if (found.stacks.empty())
    return std::nullopt;
  return found;
}

} // namespace zenith::memory
