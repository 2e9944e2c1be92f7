// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A result of a region that is cheap to make of others is computed again by
// those that read it, and never written: what a forward pass keeps for the
// backward one is then few arrays.

#include "ir/CompositeFormulas.h"
#include "ir/remarks/Remark.h"
#include "mlir/IR/IRMapping.h"
#include "passes/cost/CostRule.h"
#include "passes/fusion/FusionRule.h"
#include "passes/fusion/OutlineFusions.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {

namespace {

/// Additions that an element may cost again. One that leaves the caches of a
/// core may cost a division, one that would go through memory, there and back,
/// as much as a function: while eight numbers travel, a core computes tanh of
/// eight, and what a backward pass reads needs no room in between.
constexpr unsigned maxCost = 5, maxCostOfMedium = 8, maxCostOfLarge = 32;
constexpr int64_t mediumBytes = 512 << 10, largeBytes = 4 << 20;
/// Regions that a value outlives if it is kept for a backward pass.
constexpr unsigned longLife = 24;
/// Ops of a region that takes such work in.
constexpr unsigned maxOps = 128;

/// How a result follows from what is in memory anyway.
struct Formula {
  SmallVector<Operation *> ops;  ///< in program order
  llvm::SetVector<Value> leaves; ///< in the region: arguments, other results
  unsigned cost = 0;
};

class Recomputation {
public:
  Recomputation(FusionOp fusion, bool explain)
      : fusion(fusion), yield(cast<YieldOp>(body().getTerminator())),
        explain(explain) {}

  /// Takes results away from the last to the first; true where some went.
  bool run();

private:
  Block &body() { return fusion.getBody().front(); }
  bool remove(unsigned result);
  bool collect(Value value, unsigned result, Formula &formula,
               llvm::SmallPtrSetImpl<Operation *> &seen);
  bool isInMemory(Value value) const {
    return isa<BlockArgument>(value) ||
           (llvm::is_contained(yield->getOperands(), value) &&
            !gone.contains(value));
  }
  /// The value outside of the region that holds a leaf.
  Value outside(Value leaf);
  bool isWorth(Value result, const Formula &formula);
  void computeIn(FusionOp reader, Value result, Value yielded,
                 const Formula &formula);

  FusionOp fusion;
  YieldOp yield;
  bool explain;
  llvm::SmallPtrSet<Value, 8> gone; ///< yielded values without readers now
};

} // namespace

static bool sameShape(Value x, Value y) {
  return cast<RankedTensorType>(x.getType()).getShape() ==
         cast<RankedTensorType>(y.getType()).getShape();
}

/// The region from which on a value counts as kept for a backward pass; null
/// where there are not as many.
static Operation *lateAfter(Value value) {
  Operation *at = value.getDefiningOp();
  for (unsigned passed = 0; at && passed < longLife; ++passed)
    at = at->getNextNode();
  return at;
}

/// True where the last reader comes long after the value is made.
static bool livesLong(Value value) {
  Operation *at = lateAfter(value);
  return at && llvm::any_of(value.getUsers(), [&](Operation *user) {
           return at->isBeforeInBlock(user);
         });
}

/// Whether `value` is still there when a backward pass reads `other`. Later
/// readers of either may move: see memory::releaseOrder.
static bool isKeptToo(Value value, Value other) {
  if (isa<BlockArgument>(value))
    return livesLong(other);
  Operation *at = lateAfter(other);
  return at && llvm::any_of(other.getUsers(), [&](Operation *reader) {
           return at->isBeforeInBlock(reader) &&
                  llvm::any_of(value.getUsers(), [&](Operation *user) {
                    return !user->isBeforeInBlock(reader);
                  });
         });
}

static bool isFactor(FusionOp reader, Value value) {
  for (auto [input, argument] :
       llvm::zip(reader.getInputs(), reader.getBody().front().getArguments()))
    if (input == value &&
        llvm::any_of(argument.getUsers(),
                     [](Operation *user) { return isa<DotGeneralOp>(user); }))
      return true;
  return false;
}

/// Readers that ask for an element at a time, at the place that they compute;
/// with `factors` also products, which compute an operand while they pack it.
static bool takesWork(FusionOp reader, Value value, bool factors) {
  FusionKind kind = reader.getKind();
  if (kind != FusionKind::pointwise && kind != FusionKind::reduction &&
      kind != FusionKind::contraction)
    return false;
  Block &body = reader.getBody().front();
  if (std::distance(body.begin(), body.end()) > maxOps)
    return false;
  for (auto [input, argument] :
       llvm::zip(reader.getInputs(), body.getArguments())) {
    if (input != value)
      continue;
    for (Operation *user : argument.getUsers())
      if (familyOf(user) != Family::Elementwise &&
          !(isa<ReduceOp>(user) && kind == FusionKind::reduction) &&
          !(isa<DotGeneralOp>(user) && factors))
        return false;
  }
  return true;
}

/// 0 where it is not known.
static int64_t bytesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  bool isKnown = type.hasStaticShape() && type.getElementType().isIntOrFloat();
  return isKnown ? type.getNumElements() * type.getElementTypeBitWidth() / 8
                 : 0;
}

static unsigned limitFor(Value result) {
  int64_t bytes = bytesOf(result);
  return bytes >= largeBytes    ? maxCostOfLarge
         : bytes >= mediumBytes ? maxCostOfMedium
                                : maxCost;
}

Value Recomputation::outside(Value leaf) {
  if (auto argument = dyn_cast<BlockArgument>(leaf))
    return fusion.getInputs()[argument.getArgNumber()];
  for (auto [yielded, result] :
       llvm::zip(yield->getOperands(), fusion.getResults()))
    if (yielded == leaf)
      return result;
  return {};
}

/// Walks up from a result to values that are in memory.
bool Recomputation::collect(Value value, unsigned result, Formula &formula,
                            llvm::SmallPtrSetImpl<Operation *> &seen) {
  bool isResult = value == yield->getOperand(result);
  if (!isResult && isInMemory(value)) {
    formula.leaves.insert(value);
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (!seen.insert(op).second)
    return true;
  bool computes = familyOf(op) == Family::Elementwise;
  if (!isa<BroadcastOp>(op) && !computes && !isSplatConstant(op))
    return false;
  if (computes)
    formula.cost += cost::elementCost(op);
  if (formula.cost > limitFor(yield->getOperand(result)))
    return false;
  for (Value operand : op->getOperands())
    if (!collect(operand, result, formula, seen))
      return false;
  formula.ops.push_back(op);
  return true;
}

/// No reader reads more whole arrays than before, and a write is saved. A wider
/// one is read only instead of keeping both.
bool Recomputation::isWorth(Value result, const Formula &formula) {
  auto bitsOf = [](Value value) {
    Type element = getElementTypeOrSelf(value.getType());
    return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  };
  return llvm::all_of(result.getUsers(), [&](Operation *user) {
    auto reader = cast<FusionOp>(user);
    unsigned more = 0;
    bool wider = false;
    for (Value leaf : formula.leaves)
      if (sameShape(leaf, result) &&
          !llvm::is_contained(reader.getInputs(), outside(leaf))) {
        more += leaf.getType() == result.getType();
        wider |=
            bitsOf(leaf) > bitsOf(result) && !isKeptToo(outside(leaf), result);
      }
    return more <= 1 && !wider;
  });
}

static Value argumentFor(FusionOp reader, Value value) {
  Block &body = reader.getBody().front();
  for (auto [input, argument] :
       llvm::zip(reader.getInputs(), body.getArguments()))
    if (input == value)
      return argument;
  reader.getInputsMutable().append(value);
  return body.addArgument(value.getType(), value.getLoc());
}

void Recomputation::computeIn(FusionOp reader, Value result, Value yielded,
                              const Formula &formula) {
  Block &inside = reader.getBody().front();
  IRMapping map;
  for (Value leaf : formula.leaves)
    map.map(leaf, argumentFor(reader, outside(leaf)));
  OpBuilder builder = OpBuilder::atBlockBegin(&inside);
  for (Operation *op : formula.ops)
    builder.clone(*op, map);
  Value again = map.lookup(yielded);
  for (unsigned i = reader.getInputs().size(); i-- > 0;)
    if (reader.getInputs()[i] == result) {
      inside.getArgument(i).replaceAllUsesWith(again);
      inside.eraseArgument(i);
      reader.getInputsMutable().erase(i);
    }
}

bool Recomputation::remove(unsigned number) {
  Value result = fusion.getResult(number), yielded = yield->getOperand(number);
  auto type = cast<RankedTensorType>(result.getType());
  if (result.use_empty() || type.getRank() == 0 ||
      isa<BlockArgument>(yielded) ||
      llvm::count(yield->getOperands(), yielded) != 1)
    return false;
  llvm::SmallSetVector<Operation *, 4> readers(result.user_begin(),
                                               result.user_end());
  Operation *last = yielded.getDefiningOp();
  bool isConverted =
      isa<ConvertOp>(last) && isa<BlockArgument>(last->getOperand(0));
  bool factors =
      livesLong(result) && (isConverted || bytesOf(result) >= largeBytes);
  bool anyFactor = false;
  for (Operation *user : readers) {
    auto reader = dyn_cast<FusionOp>(user);
    if (!reader || !takesWork(reader, result, factors))
      return false;
    anyFactor |= isFactor(reader, result);
  }
  Formula formula;
  llvm::SmallPtrSet<Operation *, 8> seen;
  if (!collect(yielded, number, formula, seen) || !isWorth(result, formula) ||
      (anyFactor && formula.cost > maxCostOfMedium))
    return false;
  for (Operation *reader : readers)
    computeIn(cast<FusionOp>(reader), result, yielded, formula);
  if (explain)
    remarks::emit(fusion, remarks::Code::FUS106, {number, readers.size()});
  gone.insert(yielded);
  return true;
}

/// The same region without the results that nobody reads.
static void dropResults(FusionOp fusion) {
  Block &body = fusion.getBody().front();
  auto yield = cast<YieldOp>(body.getTerminator());
  SmallVector<Value> yielded, results;
  SmallVector<Type> types;
  for (auto [value, result] :
       llvm::zip(yield->getOperands(), fusion.getResults()))
    if (!result.use_empty()) {
      yielded.push_back(value);
      results.push_back(result);
      types.push_back(result.getType());
    }
  if (results.empty()) {
    fusion.erase();
    return;
  }
  yield->setOperands(yielded);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  for (unsigned i = body.getNumArguments(); i-- > 0;)
    if (body.getArgument(i).use_empty()) {
      body.eraseArgument(i);
      fusion.getInputsMutable().erase(i);
    }
  OpBuilder builder(fusion);
  auto smaller = builder.create<FusionOp>(fusion.getLoc(), types,
                                          fusion.getKind(), fusion.getInputs());
  smaller.getBody().takeBody(fusion.getBody());
  for (auto [value, result] : llvm::zip(results, smaller.getResults()))
    value.replaceAllUsesWith(result);
  fusion.erase();
}

bool Recomputation::run() {
  FusionKind kind = fusion.getKind();
  if (kind != FusionKind::pointwise && kind != FusionKind::contraction &&
      kind != FusionKind::reduction && kind != FusionKind::window)
    return false;
  for (unsigned i = fusion.getNumResults(); i-- > 0;)
    remove(i);
  if (gone.empty())
    return false;
  dropResults(fusion);
  return true;
}

void recomputeResults(func::FuncOp function, bool explain) {
  // From the last to the first: what a reader computes again may come from
  // regions before. Then what these do without may be kept for others too.
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<FusionOp> fusions(
        function.getBody().front().getOps<FusionOp>());
    for (FusionOp fusion : llvm::reverse(fusions))
      changed |= Recomputation(fusion, explain).run();
  }
}

} // namespace zenith::fusion
