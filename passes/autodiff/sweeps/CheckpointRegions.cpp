// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inlining of checkpoints, inner ones first.

#include "passes/autodiff/sweeps/CheckpointRegions.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

void inlineCheckpoint(CheckpointOp checkpoint, IRMapping &copies) {
  OpBuilder builder(checkpoint);
  Block &body = checkpoint.getBody().front();
  copies.map(body.getArguments(), checkpoint.getInputs());
  for (Operation &op : body.without_terminator())
    builder.clone(op, copies);
  SmallVector<Value> results;
  for (Value yielded : body.getTerminator()->getOperands())
    results.push_back(copies.lookup(yielded));
  checkpoint->replaceAllUsesWith(results);
}

void inlineCheckpoints(Operation *root) {
  SmallVector<CheckpointOp> found;
  root->walk([&](CheckpointOp op) { found.push_back(op); });
  for (CheckpointOp checkpoint : found) {
    IRMapping copies;
    inlineCheckpoint(checkpoint, copies);
    checkpoint.erase();
  }
}

} // namespace zenith::autodiff
