// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cotangents of parts of a value: added in place to the sum so far, so that a
// loop that reads a value slice by slice does not add whole values.

#include "passes/autodiff/IndexingSums.h"
#include "passes/autodiff/sweeps/ReverseSweep.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

/// True where the cotangent of `op` has been added.
bool ReverseSweep::accumulatePart(Operation *op, Value cotangent) {
  if (!isa<DynamicSliceOp, GatherOp>(op))
    return false;
  Value whole = op->getOperand(0);
  if (!activity.isVaried(whole))
    return false;
  RuleBuilder rule(builder, op->getLoc());
  Value sum = sumOf(whole);
  if (auto slice = dyn_cast<DynamicSliceOp>(op))
    setCotangent(whole, addToSlice(rule, sum, slice, cotangent));
  else
    setCotangent(whole,
                 addToGathered(rule, sum, cast<GatherOp>(op), cotangent));
  return true;
}

} // namespace zenith::autodiff
