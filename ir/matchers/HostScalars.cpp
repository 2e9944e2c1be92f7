// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One forward walk: a scalar is the host's if all its operands are.

#include "ir/matchers/HostScalars.h"
#include "ir/GraphOps.h"

using namespace mlir;

namespace zenith::graph {

bool isHostScalarType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0 &&
         tensor.getElementType().isInteger() &&
         tensor.getElementTypeBitWidth() <= 64;
}

bool isHostArithmetic(Operation *op) {
  return isa<AddOp, SubOp, MulOp, MaxOp, MinOp, DivOp, RemOp, FloorModOp, AndOp,
             OrOp, XorOp, NotOp, NegOp, AbsOp, SignOp, CompareOp, SelectOp,
             ConvertOp>(op) &&
         isHostScalarType(op->getResult(0).getType());
}

HostScalars::HostScalars(Block &block) {
  for (BlockArgument argument : block.getArguments())
    if (isHostScalarType(argument.getType()))
      scalars.insert(argument);
  for (Operation &op : block)
    visit(&op);
}

void HostScalars::visit(Operation *op) {
  bool isForeign = !familyOf(op);
  if (isa<BarrierOp>(op)) {
    for (auto [operand, result] :
         llvm::zip(op->getOperands(), op->getResults()))
      if (scalars.contains(operand))
        scalars.insert(result);
    return;
  }
  if (isa<ConstantOp, DimOp, HostReadOp, IfOp, CaseOp, WhileOp>(op) ||
      isForeign) {
    for (Value result : op->getResults())
      if (isHostScalarType(result.getType()))
        scalars.insert(result);
    return;
  }
  if (isHostArithmetic(op) && llvm::all_of(op->getOperands(), [&](Value value) {
        return scalars.contains(value);
      }))
    scalars.insert(op->getResult(0));
}

bool HostScalars::computes(Operation *op) const {
  return isHostArithmetic(op) && scalars.contains(op->getResult(0));
}

} // namespace zenith::graph
