// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows the uses of an anchor through the body of its fusion.

#include "lowering/builder/Dependents.h"

using namespace mlir;

namespace zenith::kernels {

llvm::DenseSet<Value> dependents(graph::FusionOp fusion, Operation *anchor) {
  llvm::DenseSet<Value> all{anchor->getResult(0)};
  for (Operation &op : fusion.getBody().front())
    if (!isa<graph::DimOp>(op) &&
        llvm::any_of(op.getOperands(),
                     [&](Value operand) { return all.contains(operand); }))
      all.insert(op.result_begin(), op.result_end());
  return all;
}

} // namespace zenith::kernels
