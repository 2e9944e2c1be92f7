// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rematerialization of cheap results: a result of a region that follows from
// other values in memory by a few elementwise ops is computed again by its
// readers and never written, so that a forward pass keeps few arrays for the
// backward pass. What is written for others need not wait for readers that can
// compute it again, or only compare it.

#include "ir/ops/CompositeFormulas.h"
#include "ir/remarks/Remark.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/GraphPasses.h"
#include "passes/cost/CostRule.h"
#include "passes/cost/RematerializationCosts.h"
#include "passes/fusion/EraseDeadOps.h"
#include "passes/fusion/FusionRule.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_CHEAPREMATERIALIZATIONPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::fusion {

namespace {

/// How a result follows from values that are in memory in any case.
struct Formula {
  SmallVector<Operation *> ops;  ///< in program order
  llvm::SetVector<Value> leaves; ///< in the region: arguments, other results
  unsigned cost = 0;
  unsigned mostCost = 0; ///< what an element may cost
};

using Readers = llvm::SmallSetVector<Operation *, 4>;

class Recomputation {
public:
  Recomputation(FusionOp fusion, bool explain)
      : fusion(fusion), yield(cast<YieldOp>(body().getTerminator())),
        costs(target::modelOf(fusion)), explain(explain) {}

  /// Goes from the last result to the first; true where some readers changed.
  bool run();

private:
  Block &body() { return fusion.getBody().front(); }
  bool remove(unsigned index);
  /// Computes a result again in its readers, in all or in those of a backward
  /// pass; true where it did.
  bool computeInAll(unsigned index);
  bool computeInLate(unsigned index);
  bool collect(Value value, unsigned result, Formula &formula,
               llvm::SmallPtrSetImpl<Operation *> &seen);
  bool isInMemory(Value value) const {
    return isa<BlockArgument>(value) ||
           (llvm::is_contained(yield->getOperands(), value) &&
            !gone.contains(value));
  }
  /// The value outside of the region that holds a leaf.
  Value outside(Value leaf);
  bool isWorthwhile(Value result, const Formula &formula);
  bool readsNoMore(FusionOp reader, Value result, const Formula &formula);
  bool endsEarlier(Value result, Operation *last, const Formula &formula);
  bool computeInEach(const Readers &readers, unsigned index,
                     const Formula &formula);
  void computeIn(FusionOp reader, Value result, Value yielded,
                 const Formula &formula);

  FusionOp fusion;
  YieldOp yield;
  cost::RematerializationCosts costs; ///< what recomputation may cost
  bool explain;
  llvm::SmallPtrSet<Value, 8> gone; ///< yielded values without readers now
};

} // namespace

static unsigned bitsOf(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

static bool sameShape(Value x, Value y) {
  return cast<RankedTensorType>(x.getType()).getShape() ==
         cast<RankedTensorType>(y.getType()).getShape();
}

/// Whether `value` is still there when a backward pass reads `other`. Later
/// readers of either may move: see zenith-order-steps.
static bool isKeptToo(Value value, Value other) {
  if (isa<BlockArgument>(value))
    return cost::livesLong(other);
  Operation *at = cost::lateAfter(other);
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

/// Readers that compute an element of an operand at the index of their own
/// element; with `factors` also matmuls, which compute an operand while they
/// pack it.
static bool takesRecomputation(FusionOp reader, Value value, bool factors) {
  if (!cost::takesComputation(reader))
    return false;
  FusionKind kind = reader.getKind();
  Block &body = reader.getBody().front();
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
  if (formula.cost > formula.mostCost)
    return false;
  for (Value operand : op->getOperands())
    if (!collect(operand, result, formula, seen))
      return false;
  formula.ops.push_back(op);
  return true;
}

/// No reader reads more arrays than before, and a write is saved. An array of a
/// wider type is read instead only if the wide one need not be kept longer.
bool Recomputation::isWorthwhile(Value result, const Formula &formula) {
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

/// Whether `reader` goes through no more bytes with the leaves than with the
/// result.
bool Recomputation::readsNoMore(FusionOp reader, Value result,
                                const Formula &formula) {
  unsigned more = 0;
  for (Value leaf : formula.leaves)
    if (sameShape(leaf, result) &&
        !llvm::is_contained(reader.getInputs(), outside(leaf)))
      more += bitsOf(leaf);
  return more <= bitsOf(result);
}

/// Whether less memory waits for `last` where it reads the leaves: what does
/// not live that long anyway is smaller than the result.
bool Recomputation::endsEarlier(Value result, Operation *last,
                                const Formula &formula) {
  unsigned longer = 0;
  for (Value leaf : formula.leaves)
    if (sameShape(leaf, result) &&
        llvm::all_of(outside(leaf).getUsers(), [&](Operation *user) {
          return user->isBeforeInBlock(last);
        }))
      longer += bitsOf(leaf);
  return longer < bitsOf(result);
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

bool Recomputation::computeInEach(const Readers &readers, unsigned index,
                                  const Formula &formula) {
  Value result = fusion.getResult(index), yielded = yield->getOperand(index);
  Value source = yielded;
  while (auto convert = source.getDefiningOp<ConvertOp>())
    source = convert.getOperand();
  bool isConverted = source != yielded && isa<BlockArgument>(source);
  bool factors =
      isConverted
          ? cost::livesLong(result,
                            cost::RematerializationCosts::longLifeOfRounded)
          : cost::livesLong(result) && bytesOf(result) >= costs.memoryBytes;
  bool anyFactor = false;
  for (Operation *user : readers) {
    auto reader = dyn_cast<FusionOp>(user);
    if (!reader || !takesRecomputation(reader, result, factors))
      return false;
    anyFactor |= isFactor(reader, result);
  }
  if (anyFactor && formula.cost > costs.sharedCache)
    return false;
  for (Operation *reader : readers)
    computeIn(cast<FusionOp>(reader), result, yielded, formula);
  if (explain)
    remarks::emit(fusion, remarks::Code::FUS106, {index, readers.size()});
  return true;
}

bool Recomputation::computeInAll(unsigned index) {
  Value result = fusion.getResult(index), yielded = yield->getOperand(index);
  Readers readers(result.user_begin(), result.user_end());
  Formula formula;
  formula.mostCost = costs.maxElementCost(bytesOf(result));
  llvm::SmallPtrSet<Operation *, 8> seen;
  return llvm::all_of(readers, llvm::IsaPred<FusionOp>) &&
         collect(yielded, index, formula, seen) &&
         isWorthwhile(result, formula) &&
         computeInEach(readers, index, formula);
}

/// Early readers leave the value in a cache, but it need not wait for those of
/// the backward pass.
bool Recomputation::computeInLate(unsigned index) {
  Value result = fusion.getResult(index), yielded = yield->getOperand(index);
  Formula formula;
  formula.mostCost = costs.maxWaitingCost(bytesOf(result));
  llvm::SmallPtrSet<Operation *, 8> seen;
  if (formula.mostCost == 0 || !collect(yielded, index, formula, seen))
    return false;
  bool isWidened = llvm::any_of(formula.leaves, [&](Value leaf) {
    return sameShape(leaf, result) && bitsOf(leaf) < bitsOf(result);
  });
  Operation *at = cost::lateAfter(
      result, isWidened ? cost::RematerializationCosts::longLifeOfRounded
                        : cost::RematerializationCosts::longLife);
  Readers late;
  Operation *last = nullptr;
  for (Operation *user : result.getUsers())
    if (at && at->isBeforeInBlock(user)) {
      late.insert(user);
      last = last && user->isBeforeInBlock(last) ? last : user;
    }
  return last && endsEarlier(result, last, formula) &&
         llvm::all_of(late,
                      [&](Operation *user) {
                        auto reader = dyn_cast<FusionOp>(user);
                        return reader && readsNoMore(reader, result, formula);
                      }) &&
         computeInEach(late, index, formula);
}

bool Recomputation::remove(unsigned index) {
  Value result = fusion.getResult(index), yielded = yield->getOperand(index);
  if (result.use_empty() ||
      cast<RankedTensorType>(result.getType()).getRank() == 0 ||
      isa<BlockArgument>(yielded) ||
      llvm::count(yield->getOperands(), yielded) != 1 ||
      !(computeInAll(index) || computeInLate(index)))
    return false;
  if (result.use_empty())
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
  eraseDeadOps(body);
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
  // Those that zenith-keep-narrow-values took the readers of.
  for (auto [yielded, result] :
       llvm::zip(yield->getOperands(), fusion.getResults()))
    if (result.use_empty() && llvm::count(yield->getOperands(), yielded) == 1)
      gone.insert(yielded);
  bool changed = false;
  for (unsigned i = fusion.getNumResults(); i-- > 0;)
    changed |= remove(i);
  if (gone.empty())
    return changed;
  dropResults(fusion);
  return true;
}

/// The comparison with a constant that is all that `reader` makes of `value`;
/// null where it makes more.
static CompareOp onlyComparison(Operation *reader, Value value) {
  auto fusion = dyn_cast<FusionOp>(reader);
  CompareOp only;
  if (!fusion || !cost::takesComputation(fusion))
    return nullptr;
  for (auto [input, argument] :
       llvm::zip(fusion.getInputs(), fusion.getBody().getArguments())) {
    if (input != value)
      continue;
    if (only || !argument.hasOneUse())
      return nullptr;
    only = dyn_cast<CompareOp>(*argument.user_begin());
    if (!only || only.getLhs() != argument ||
        !only.getRhs().getDefiningOp<ConstantOp>())
      return nullptr;
  }
  return only;
}

/// The comparisons that a backward pass makes of a result, all alike; none
/// where it reads the result itself.
static SmallVector<CompareOp> lateComparisons(Value result) {
  SmallVector<CompareOp> found;
  Operation *at =
      cost::lateAfter(result, cost::RematerializationCosts::longLifeOfRounded);
  for (Operation *user : result.getUsers()) {
    if (!at || !at->isBeforeInBlock(user))
      continue;
    CompareOp compare = onlyComparison(user, result);
    if (!compare ||
        (!found.empty() &&
         (compare->getAttrs() != found[0]->getAttrs() ||
          compare.getRhs().getDefiningOp<ConstantOp>().getValue() !=
              found[0].getRhs().getDefiningOp<ConstantOp>().getValue())))
      return {};
    found.push_back(compare);
  }
  return found;
}

/// Where a backward pass only compares a value, as that of relu does, the
/// region that makes it compares it as well, so that a byte waits.
static void compareEarly(FusionOp fusion) {
  cost::RematerializationCosts costs(target::modelOf(fusion));
  auto yield = cast<YieldOp>(fusion.getBody().front().getTerminator());
  SmallVector<std::pair<SmallVector<CompareOp>, Value>> masks;
  for (auto [value, result] :
       llvm::zip(yield->getOperands(), fusion.getResults())) {
    if (bitsOf(result) <= 8 || bytesOf(result) < costs.waitingBytes)
      continue;
    SmallVector<CompareOp> late = lateComparisons(result);
    if (late.empty())
      continue;
    OpBuilder builder(yield);
    IRMapping map;
    map.map(late[0].getLhs(), value);
    builder.clone(*late[0].getRhs().getDefiningOp(), map);
    masks.emplace_back(late, builder.clone(*late[0], map)->getResult(0));
  }
  if (masks.empty())
    return;
  SmallVector<Type> types(fusion.getResultTypes());
  for (auto &[late, mask] : masks) {
    types.push_back(mask.getType());
    yield->insertOperands(yield->getNumOperands(), mask);
  }
  OpBuilder builder(fusion);
  auto wider = builder.create<FusionOp>(fusion.getLoc(), types,
                                        fusion.getKind(), fusion.getInputs());
  wider.getBody().takeBody(fusion.getBody());
  ValueRange kept = wider.getResults().take_front(fusion.getNumResults());
  ValueRange added = wider.getResults().drop_front(fusion.getNumResults());
  for (auto [entry, result] : llvm::zip(masks, added))
    for (CompareOp compare : entry.first) {
      auto argument = cast<BlockArgument>(compare.getLhs());
      auto reader = compare->getParentOfType<FusionOp>();
      reader.getInputsMutable()[argument.getArgNumber()].set(result);
      argument.setType(result.getType());
      compare.replaceAllUsesWith(Value(argument));
      compare.erase();
      eraseDeadOps(reader.getBody().front());
    }
  fusion.replaceAllUsesWith(kept);
  fusion.erase();
}

static void recomputeResults(func::FuncOp function, bool explain) {
  // From the last region to the first: what a reader computes again may come
  // from earlier regions. Then once more, since regions with fewer results may
  // satisfy the conditions of others.
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<FusionOp> fusions(
        function.getBody().front().getOps<FusionOp>());
    for (FusionOp fusion : llvm::reverse(fusions))
      changed |= Recomputation(fusion, explain).run();
  }
}

namespace {

struct CheapRematerializationPass
    : impl::CheapRematerializationPassBase<CheapRematerializationPass> {
  using CheapRematerializationPassBase::CheapRematerializationPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    CheapRematerializationPassBase::getDependentDialects(registry);
    cost::registerCostRules(registry);
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!function.getBody().hasOneBlock())
      return;
    for (FusionOp fusion : llvm::make_early_inc_range(
             function.getBody().front().getOps<FusionOp>()))
      if (llvm::is_contained({FusionKind::pointwise, FusionKind::reduction},
                             fusion.getKind()))
        compareEarly(fusion);
    recomputeResults(function, explain);
  }
};

} // namespace
} // namespace zenith::fusion
