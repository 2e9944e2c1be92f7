// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks up from a value to parameters, constants or arguments.

#include "ir/matchers/ParameterDependence.h"
#include "ir/GraphOps.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace zenith::graph {

Dependence dependenceOf(Value value) {
  // Passes ask at each op: walks to the arguments would be quadratic.
  constexpr unsigned mostOps = 512;
  bool onParameters = false;
  SmallVector<Value> stack{value};
  llvm::DenseSet<Value> seen;
  while (!stack.empty()) {
    Value next = stack.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    Operation *op = next.getDefiningOp();
    if (!op || !familyOf(op) || op->getNumRegions() || !isPure(op) ||
        seen.size() > mostOps)
      return Dependence::Arguments;
    onParameters |= isa<GetParamOp>(op);
    stack.append(op->operand_begin(), op->operand_end());
  }
  return onParameters ? Dependence::Parameters : Dependence::Constants;
}

bool isMovedParameter(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<GetParamOp, ConstantOp>(op))
      return true;
    if (!isa<ReshapeOp, TransposeOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

} // namespace zenith::graph
