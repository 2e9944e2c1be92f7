// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cotangents of branches: the branch that ran runs backwards.

#include "passes/autodiff/sweeps/Residuals.h"
#include "passes/autodiff/sweeps/ReverseSweep.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

/// The op again, on other regions and with other results.
static Operation *branchesLike(Operation *op, OpBuilder &builder,
                               ArrayRef<std::unique_ptr<Region>> regions,
                               TypeRange types) {
  OperationState state(op->getLoc(), op->getName(), op->getOperands(), types,
                       op->getAttrs());
  for (const std::unique_ptr<Region> &region : regions)
    state.addRegion()->takeBody(*region);
  return builder.create(state);
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
    ReverseSweep sweep(activity, inside, tape);
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
    Residuals(forward, region->front()).makeAvailable();
  }
  if (used.empty())
    return llvm::Error::success();
  Operation *backward = branchesLike(op, builder, regions, types);
  for (auto [result, index] : llvm::zip(backward->getResults(), used))
    accumulate(captures[index], result);
  return llvm::Error::success();
}

} // namespace zenith::autodiff
