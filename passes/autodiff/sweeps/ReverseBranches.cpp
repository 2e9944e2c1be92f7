// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cotangents of branches: the branch that ran runs backwards.

#include "passes/autodiff/sweeps/Residuals.h"
#include "passes/autodiff/sweeps/ReverseSweep.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

/// The op again, with the bodies of other regions and with other results.
static Operation *branchesLike(Operation *op, OpBuilder &builder,
                               ArrayRef<Region *> regions, TypeRange types) {
  OperationState state(op->getLoc(), op->getName(), op->getOperands(), types,
                       op->getAttrs());
  for (Region *region : regions)
    state.addRegion()->takeBody(*region);
  return builder.create(state);
}

namespace {

/// What the branches yield besides their results, so that their backward parts
/// need not compute it again. A branch has zeros where another one has a value;
/// values of one type in several branches are one result.
class StoredValues {
public:
  explicit StoredValues(Operation *op) : op(op), places(op->getNumRegions()) {}

  void store(unsigned branch, ArrayRef<Value> values);
  /// The op with what was stored as results after its own.
  Operation *yielded();
  /// By values of the branch, the result that each is.
  const llvm::MapVector<Value, unsigned> &ofBranch(unsigned branch) const {
    return places[branch];
  }

private:
  Operation *op;
  SmallVector<Type> types; ///< of the results that are added
  SmallVector<llvm::MapVector<Value, unsigned>> places;
};

} // namespace

void StoredValues::store(unsigned branch, ArrayRef<Value> values) {
  ValueRange results =
      op->getRegion(branch).front().getTerminator()->getOperands();
  BitVector taken(types.size());
  for (Value value : values) {
    auto index = unsigned(llvm::find(results, value) - results.begin());
    if (index < results.size() &&
        op->getResult(index).getType() == value.getType()) {
      places[branch][value] = index;
      continue;
    }
    unsigned at = 0;
    while (at < types.size() && (taken[at] || types[at] != value.getType()))
      ++at;
    if (at == types.size()) {
      types.push_back(value.getType());
      taken.resize(types.size());
    }
    taken.set(at);
    places[branch][value] = op->getNumResults() + at;
  }
}

Operation *StoredValues::yielded() {
  if (types.empty())
    return op;
  unsigned count = op->getNumResults();
  for (auto [region, own] : llvm::zip(op->getRegions(), places)) {
    Operation *end = region.front().getTerminator();
    OpBuilder before(end);
    RuleBuilder rule(before, op->getLoc());
    SmallVector<Value> added(types.size());
    for (auto [value, result] : own)
      if (result >= count)
        added[result - count] = value;
    for (auto [value, type] : llvm::zip(added, types))
      if (!value)
        value = rule.splat(cast<RankedTensorType>(type), 0);
    end->insertOperands(count, added);
  }
  SmallVector<Type> all(op->getResultTypes());
  all.append(types);
  OpBuilder builder(op);
  SmallVector<Region *> regions;
  for (Region &region : op->getRegions())
    regions.push_back(&region);
  Operation *wider = branchesLike(op, builder, regions, all);
  op->replaceAllUsesWith(wider->getResults().take_front(count));
  op->erase();
  return op = wider;
}

/// Makes what the backward regions read of the branches available to them.
/// Returns the op, which may be another one now.
static Operation *storeResiduals(Operation *op,
                                 ArrayRef<std::unique_ptr<Region>> backward,
                                 Activity &activity) {
  StoredValues stored(op);
  for (auto [branch, region] : llvm::enumerate(backward)) {
    Region &forward = op->getRegion(branch);
    llvm::SetVector<Value> wanted =
        Residuals(forward, region->front()).wanted();
    stored.store(branch,
                 chooseStored(forward, wanted.getArrayRef(), {}).getArrayRef());
  }
  SmallVector<bool> varied;
  for (Value result : op->getResults())
    varied.push_back(activity.isVaried(result));
  op = stored.yielded();
  for (auto [result, isVaried] : llvm::zip(op->getResults(), varied))
    if (isVaried)
      activity.setVaried(result);
  for (auto [branch, region] : llvm::enumerate(backward)) {
    Residuals residuals(op->getRegion(branch), region->front());
    for (auto [value, result] : stored.ofBranch(branch))
      residuals.give(value, op->getResult(result));
    residuals.makeAvailable();
  }
  return op;
}

llvm::Error ReverseSweep::visitBranches(Operation *op,
                                        ArrayRef<Value> ofResults) {
  SmallVector<Value> captures = variedCaptures(op);
  SmallVector<std::unique_ptr<Region>> regions;
  // Per branch the cotangent of each captured value, null for zero.
  SmallVector<SmallVector<Value>> sums;
  for (Region &forward : op->getRegions()) {
    regions.push_back(std::make_unique<Region>());
    Block &block = regions.back()->emplaceBlock();
    OpBuilder inside(op->getContext());
    inside.setInsertionPointToEnd(&block);
    ReverseSweep sweep(activity, inside, tapes);
    for (auto [yielded, cotangent] :
         llvm::zip(forward.front().getTerminator()->getOperands(), ofResults))
      sweep.accumulate(yielded, cotangent);
    if (llvm::Error error = sweep.run(forward.front()))
      return error;
    SmallVector<Value> &own = sums.emplace_back();
    for (Value capture : captures)
      own.push_back(sweep.cotangentOf(capture));
  }
  // Values that no branch changes the results by.
  SmallVector<unsigned> used;
  SmallVector<Type> types;
  for (auto [index, capture] : llvm::enumerate(captures))
    if (llvm::any_of(
            sums, [&, i = index](const auto &own) { return bool(own[i]); })) {
      used.push_back(index);
      types.push_back(capture.getType());
    }
  for (auto [forward, region, own] :
       llvm::zip(op->getRegions(), regions, sums)) {
    OpBuilder inside(op->getContext());
    inside.setInsertionPointToEnd(&region->front());
    RuleBuilder rule(inside, op->getLoc());
    SmallVector<Value> yielded;
    for (unsigned index : used)
      yielded.push_back(own[index] ? own[index] : rule.zeros(captures[index]));
    inside.create<YieldOp>(op->getLoc(), yielded);
  }
  if (used.empty())
    return llvm::Error::success();
  op = storeResiduals(op, regions, activity);
  SmallVector<Region *> bodies;
  for (const std::unique_ptr<Region> &region : regions)
    bodies.push_back(region.get());
  Operation *backward = branchesLike(op, builder, bodies, types);
  for (auto [result, index] : llvm::zip(backward->getResults(), used))
    accumulate(captures[index], result);
  return llvm::Error::success();
}

} // namespace zenith::autodiff
