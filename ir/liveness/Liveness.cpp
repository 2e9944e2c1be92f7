// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interval analysis over the straight-line code of fusions that a function is
// after the fuse phase.

#include "ir/liveness/Liveness.h"

using namespace mlir;

namespace zenith::liveness {

int reshapedOperand(graph::FusionOp fusion, unsigned result) {
  Value value = fusion.getBody().front().getTerminator()->getOperand(result);
  while (auto reshape = value.getDefiningOp<graph::ReshapeOp>())
    value = reshape.getOperand();
  auto argument = dyn_cast<BlockArgument>(value);
  return argument ? int(argument.getArgNumber()) : -1;
}

bool isReshapeOnly(graph::FusionOp fusion) {
  for (unsigned result = 0; result < fusion->getNumResults(); ++result)
    if (reshapedOperand(fusion, result) < 0)
      return false;
  return true;
}

bool dependsOnData(const graph::DimExpr &expr) {
  bool found = false;
  expr.forEachSymbol([&](const std::string &name) {
    found |= !name.empty() && name[0] == '%';
  });
  return found;
}

bool HostValues::contains(Value value) const {
  if (scalars.contains(value))
    return true;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() != 0 ||
      !type.getElementType().isSignlessInteger(64))
    return false;
  bool known = true;
  dims.scalar(value).forEachSymbol([&](const std::string &name) {
    known &= !StringRef(name).starts_with("%i");
  });
  return known;
}

bool isPassedByValue(BlockArgument argument) {
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return function && function->hasAttr(graph::nestedAttrName) &&
         graph::isHostScalarType(argument.getType());
}

Value HostValues::writtenBy(graph::FusionOp fusion, unsigned result) const {
  Value source = fusion.getInputs()[reshapedOperand(fusion, result)];
  auto argument = dyn_cast<BlockArgument>(source);
  bool hasMemory = argument && !isPassedByValue(argument);
  return !hasMemory && contains(source) ? source : Value();
}

Liveness::Liveness(func::FuncOp function, const HostValues &host) {
  Block &body = function.getBody().front();
  auto define = [&](Value value, unsigned step) {
    groupIndices[value] = groups.size();
    Group group;
    group.live = {step, step};
    group.values.push_back(value);
    groups.push_back(std::move(group));
  };
  for (BlockArgument argument : body.getArguments())
    define(argument, 0);
  unsigned step = 0;
  for (Operation &op : body) {
    steps[&op] = ++step;
    order.push_back(&op);
    for (Value operand : op.getOperands())
      if (int group = groupOf(operand); group >= 0)
        groups[group].live.end = step;
    auto fusion = dyn_cast<graph::FusionOp>(op);
    bool reshapes = fusion && isReshapeOnly(fusion);
    for (OpResult result : op.getResults()) {
      define(result, step);
      unsigned index = result.getResultNumber();
      if (reshapes && !host.writtenBy(fusion, index))
        join(groupOf(op.getOperand(reshapedOperand(fusion, index))), result);
      if (isa<graph::BarrierOp>(op) && !host.contains(result))
        join(groupOf(op.getOperand(index)), result);
    }
  }
}

int Liveness::find(int group) const {
  while (groups[group].parent >= 0)
    group = groups[group].parent;
  return group;
}

int Liveness::groupOf(Value value) const {
  auto found = groupIndices.find(value);
  return found == groupIndices.end() ? -1 : find(found->second);
}

std::vector<int> Liveness::roots() const {
  std::vector<int> found;
  for (int group = 0; group < int(groups.size()); ++group)
    if (groups[group].parent < 0)
      found.push_back(group);
  return found;
}

void Liveness::join(int group, Value value) {
  int from = groupOf(value), to = find(group);
  if (from == to)
    return;
  groups[from].parent = to;
  groups[to].live.begin =
      std::min(groups[to].live.begin, groups[from].live.begin);
  groups[to].live.end = std::max(groups[to].live.end, groups[from].live.end);
  llvm::append_range(groups[to].values, groups[from].values);
}

} // namespace zenith::liveness
