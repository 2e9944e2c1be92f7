// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cotangents of checkpoints: the region is computed again from its inputs and
// from what its policy keeps, and that copy runs backwards.

#include "ir/ops/CheckpointPolicies.h"
#include "passes/autodiff/sweeps/CheckpointRegions.h"
#include "passes/autodiff/sweeps/ReverseSweep.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

namespace {

/// The copy of a checkpoint's region behind the barrier.
class SecondRun {
public:
  SecondRun(CheckpointOp checkpoint, OpBuilder &builder)
      : checkpoint(checkpoint), builder(builder) {}

  /// Copies the ops; `forward` has the values of the first run. Cotangents,
  /// which may be null, come out behind the barrier.
  void build(const IRMapping &forward, SmallVector<Value> &cotangents);
  /// What stands in the copy for a value of the region.
  Value at(Value value) const { return again.lookup(value); }
  bool has(Value value) const { return again.contains(value); }

  SmallVector<Operation *> ops; ///< of the copy
  /// Results of ops of the copy by which the kept value stands in.
  llvm::DenseMap<Value, Value> kept;

private:
  CheckpointOp checkpoint;
  OpBuilder &builder;
  IRMapping again;
};

} // namespace

void SecondRun::build(const IRMapping &forward,
                      SmallVector<Value> &cotangents) {
  Block &body = checkpoint.getBody().front();
  SmallVector<Value> saved, given(checkpoint.getInputs());
  for (Operation &op : body.without_terminator())
    if (isSaveable(checkpoint, &op))
      llvm::append_range(saved, op.getResults());
  for (Value value : saved)
    given.push_back(forward.lookup(value));
  for (Value cotangent : cotangents)
    if (cotangent)
      given.push_back(cotangent);
  if (checkpoint.getPreventCse() && !given.empty())
    given = llvm::to_vector_of<Value>(
        builder
            .create<BarrierOp>(checkpoint.getLoc(),
                               ValueRange(given).getTypes(), given)
            ->getResults());
  const Value *next = given.begin();
  for (BlockArgument argument : body.getArguments())
    again.map(argument, *next++);
  llvm::DenseMap<Value, Value> behind;
  for (Value value : saved)
    behind[value] = *next++;
  for (Value &cotangent : cotangents)
    if (cotangent)
      cotangent = *next++;
  for (Operation &op : body.without_terminator()) {
    // It held in the first run.
    if (isa<AssertOp>(op))
      continue;
    ops.push_back(builder.clone(op, again));
    for (Value result : op.getResults())
      if (Value stored = behind.lookup(result)) {
        kept[again.lookup(result)] = stored;
        again.map(result, stored);
      }
  }
}

llvm::Error ReverseSweep::visitCheckpoint(CheckpointOp checkpoint,
                                          ArrayRef<Value> ofResults) {
  Region &region = checkpoint.getBody();
  Block &body = region.front();
  IRMapping forward;
  inlineCheckpoint(checkpoint, forward);
  SmallVector<Value> cotangents(ofResults);
  SecondRun second(checkpoint, builder);
  second.build(forward, cotangents);

  auto copyActivity = [&](Value value) {
    if (activity.isVaried(value) && second.has(value))
      activity.setVaried(second.at(value));
  };
  llvm::for_each(body.getArguments(), copyActivity);
  region.walk([&](Operation *op) {
    for (Region &inner : op->getRegions())
      for (Block &block : inner)
        llvm::for_each(block.getArguments(), copyActivity);
    llvm::for_each(op->getResults(), copyActivity);
  });
  for (auto [copy, stored] : second.kept)
    if (activity.isVaried(stored))
      activity.setVaried(copy);

  for (auto [yielded, cotangent] :
       llvm::zip(body.getTerminator()->getOperands(), cotangents))
    accumulate(second.at(yielded), cotangent);
  for (Operation *op : llvm::reverse(second.ops)) {
    // A kept value is read instead of the copy's, so its cotangent is the
    // copy's; and what the rule reads of the result is kept as well.
    SmallVector<std::pair<Value, Value>> results;
    for (Value result : op->getResults())
      if (Value stored = second.kept.lookup(result)) {
        accumulate(result, cotangentOf(stored));
        results.push_back({result, stored});
      }
    // Loops and calls may be replaced by others.
    bool stays = isa<GradientRule>(op) && op->getNumRegions() == 0;
    if (llvm::Error error = visit(op))
      return error;
    if (stays)
      for (auto [result, stored] : results)
        result.replaceAllUsesWith(stored);
  }
  if (checkpoint.getPreventCse())
    for (auto [input, argument] :
         llvm::zip(checkpoint.getInputs(), body.getArguments()))
      accumulate(input, cotangentOf(second.at(argument)));
  checkpoint.erase();
  return llvm::Error::success();
}

} // namespace zenith::autodiff
