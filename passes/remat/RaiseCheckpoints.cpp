// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the barriers behind which a program computes values again, and leaves
// out the others, which would only keep ops apart.

#include "ir/GraphOps.h"
#include "ir/remarks/Remark.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/autodiff/DerivationPasses.h"
#include "passes/autodiff/sweeps/CheckpointRegions.h"
#include "passes/remat/OffloadPlan.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace zenith {
#define GEN_PASS_DEF_RAISECHECKPOINTSPASS
#include "passes/autodiff/DerivationPasses.h.inc"
} // namespace zenith

using namespace zenith::graph;

namespace zenith::remat {

using namespace zenith::autodiff;

/// Ops whose second computation nobody means: they cost about nothing.
static bool isTrivial(Operation *op) {
  return familyOf(op) == Family::Movement || isa<ConstantOp, GetParamOp>(op);
}

namespace {

/// Ops of one block by what they compute, seen through barriers.
class Recomputations {
public:
  explicit Recomputations(Block &block) {
    for (Operation &op : block.without_terminator())
      visit(&op);
  }

  /// Whether an op behind the barrier computes again what one before it did.
  bool isNeeded(BarrierOp barrier) const { return needed.contains(barrier); }

private:
  using Barriers = llvm::SmallSetVector<Operation *, 2>;

  void visit(Operation *op);
  Value sourceOf(Value value) const {
    Value found = sources.lookup(value);
    return found ? found : value;
  }

  /// Of results of barriers, and of ops that compute something again: the
  /// value computed first.
  llvm::DenseMap<Value, Value> sources;
  /// The barriers that lie between.
  llvm::DenseMap<Value, Barriers> between;
  llvm::DenseMap<llvm::hash_code, SmallVector<Operation *, 1>> first;
  llvm::DenseSet<Operation *> needed;
};

} // namespace

void Recomputations::visit(Operation *op) {
  if (isa<BarrierOp>(op)) {
    for (auto [operand, result] :
         llvm::zip(op->getOperands(), op->getResults())) {
      sources[result] = sourceOf(operand);
      Barriers crossed = between.lookup(operand);
      crossed.insert(op);
      between[result] = crossed;
    }
    return;
  }
  // Branches and loops are not compared.
  if (op->getNumRegions() || op->getNumResults() == 0 ||
      !isMemoryEffectFree(op))
    return;
  auto hashOperand = [&](Value value) { return hash_value(sourceOf(value)); };
  llvm::hash_code hash = OperationEquivalence::computeHash(
      op, hashOperand, OperationEquivalence::ignoreHashValue,
      OperationEquivalence::IgnoreLocations);
  SmallVector<Operation *, 1> &alike = first[hash];
  for (Operation *other : alike) {
    bool isSame = OperationEquivalence::isEquivalentTo(
        op, other,
        [&](Value lhs, Value rhs) {
          return success(sourceOf(lhs) == sourceOf(rhs));
        },
        nullptr, OperationEquivalence::IgnoreLocations);
    if (!isSame)
      continue;
    Barriers crossed;
    for (Value operand : op->getOperands())
      if (auto found = between.find(operand); found != between.end())
        crossed.insert(found->second.begin(), found->second.end());
    for (auto [again, result] :
         llvm::zip(op->getResults(), other->getResults())) {
      sources[again] = sourceOf(result);
      between[again] = crossed;
    }
    if (!isTrivial(op))
      needed.insert(crossed.begin(), crossed.end());
    return;
  }
  alike.push_back(op);
}

static void leaveOut(BarrierOp barrier) {
  barrier->replaceAllUsesWith(barrier.getInputs());
  barrier.erase();
}

/// The value that a value is, seen through barriers.
static Value throughBarriers(Value value) {
  while (auto barrier = value.getDefiningOp<BarrierOp>())
    value = barrier->getOperand(cast<OpResult>(value).getResultNumber());
  return value;
}

/// Results of a barrier that nothing reads keep what they are alive for
/// nothing.
static void removeUnread(BarrierOp barrier) {
  SmallVector<Value> inputs, results;
  for (OpResult result : barrier->getResults())
    if (!result.use_empty()) {
      inputs.push_back(barrier->getOperand(result.getResultNumber()));
      results.push_back(result);
    }
  if (results.size() == barrier->getNumResults())
    return;
  if (!results.empty()) {
    auto fewer = OpBuilder(barrier).create<BarrierOp>(
        barrier.getLoc(), ValueRange(inputs).getTypes(), inputs);
    for (auto [result, again] : llvm::zip(results, fewer->getResults()))
      result.replaceAllUsesWith(again);
  }
  barrier.erase();
}

/// A value that comes back from the host may have been in a file: its readers
/// find it behind a barrier of its own.
static void markPlaces(func::FuncOp function) {
  SmallVector<PlaceOp> places(function.getBody().front().getOps<PlaceOp>());
  llvm::SetVector<Operation *> passed;
  for (PlaceOp place : places) {
    Value source = throughBarriers(place.getOperand());
    auto host = source.getDefiningOp<PlaceOp>();
    if (place.getPlace() != MemoryPlace::device || !host ||
        host.getPlace() != MemoryPlace::host)
      continue;
    for (Value value = place.getOperand(); value != source;
         value = value.getDefiningOp()->getOperand(
             cast<OpResult>(value).getResultNumber()))
      passed.insert(value.getDefiningOp());
    OpBuilder builder(place);
    auto barrier = builder.create<BarrierOp>(place.getLoc(), source.getType(),
                                             host.getOperand());
    barrier->setAttr(offloadAttrName, builder.getUnitAttr());
    place.replaceAllUsesWith(barrier->getResult(0));
    place.erase();
  }
  for (PlaceOp place : llvm::reverse(SmallVector<PlaceOp>(
           function.getBody().front().getOps<PlaceOp>()))) {
    place.replaceAllUsesWith(place.getOperand());
    place.erase();
  }
  for (Operation *barrier : passed)
    removeUnread(cast<BarrierOp>(barrier));
}

/// Names have served, and values stay where they are.
static void removeTags(func::FuncOp function, bool hasFile) {
  function.walk([&](Operation *op) {
    auto place = dyn_cast<PlaceOp>(op);
    if (!place && !isa<NamedOp>(op))
      return;
    if (place && place.getPlace() == MemoryPlace::host && !hasFile)
      remarks::emit(op, remarks::Code::REM002,
                    {"no folder is given for values on the host (--offload)"});
    op->replaceAllUsesWith(op->getOperands());
    op->erase();
  });
}

namespace {

struct RaiseCheckpointsPass
    : impl::RaiseCheckpointsPassBase<RaiseCheckpointsPass> {
  using RaiseCheckpointsPassBase::RaiseCheckpointsPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    inlineCheckpoints(function);
    // Under a budget it is chosen anew what leaves memory.
    if (offload && mode != "auto")
      markPlaces(function);
    removeTags(function, offload);
    // Values that a loop computes again are not found by the ops of one block:
    // barriers in loops stay unless none is wanted.
    SmallVector<BarrierOp> barriers;
    bool inLoops = mode == "off";
    function.walk([&](BarrierOp barrier) {
      if (inLoops || barrier->getParentOp() == function)
        barriers.push_back(barrier);
    });
    if (barriers.empty())
      return;
    Recomputations found(function.getBody().front());
    for (BarrierOp barrier : barriers) {
      if (barrier->hasAttr(offloadAttrName))
        continue;
      bool isNeeded = found.isNeeded(barrier);
      if (mode == "policy" && isNeeded)
        continue;
      if (explain && !isNeeded)
        remarks::emit(barrier, remarks::Code::REM006,
                      {barrier->getNumOperands()});
      leaveOut(barrier);
    }
  }
};

} // namespace
} // namespace zenith::remat
