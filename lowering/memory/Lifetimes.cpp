// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interval analysis over the straight line of fusions that a function is after
// the fuse phase.

#include "lowering/memory/Lifetimes.h"

using namespace mlir;

namespace zenith::memory {

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

bool isHostScalar(Value value, graph::DimAnalysis &dims) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() != 0 ||
      !type.getElementType().isSignlessInteger(64))
    return false;
  bool known = true;
  dims.scalar(value).forEachSymbol([&](const std::string &name) {
    known &= name.empty() || name[0] != '%';
  });
  return known;
}

std::optional<graph::DimExpr> writtenScalar(graph::FusionOp fusion,
                                            unsigned result,
                                            graph::DimAnalysis &dims) {
  Value source = fusion.getInputs()[reshapedOperand(fusion, result)];
  if (isa<BlockArgument>(source) || !isHostScalar(source, dims))
    return std::nullopt;
  return dims.scalar(source);
}

Lifetimes::Lifetimes(func::FuncOp function, graph::DimAnalysis &dims) {
  Block &body = function.getBody().front();
  auto define = [&](Value value, unsigned step) {
    numbers[value] = groups.size();
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
    for (Value operand : op.getOperands())
      if (int group = groupOf(operand); group >= 0)
        groups[group].live.end = step;
    auto fusion = dyn_cast<graph::FusionOp>(op);
    bool reshapes = fusion && isReshapeOnly(fusion);
    for (OpResult result : op.getResults()) {
      define(result, step);
      if (reshapes && !writtenScalar(fusion, result.getResultNumber(), dims))
        join(groupOf(op.getOperand(
                 reshapedOperand(fusion, result.getResultNumber()))),
             result);
    }
  }
}

int Lifetimes::find(int group) const {
  while (groups[group].parent >= 0)
    group = groups[group].parent;
  return group;
}

int Lifetimes::groupOf(Value value) const {
  auto found = numbers.find(value);
  return found == numbers.end() ? -1 : find(found->second);
}

std::vector<int> Lifetimes::roots() const {
  std::vector<int> found;
  for (int group = 0; group < int(groups.size()); ++group)
    if (groups[group].parent < 0)
      found.push_back(group);
  return found;
}

void Lifetimes::join(int group, Value value) {
  int from = groupOf(value), to = find(group);
  if (from == to)
    return;
  groups[from].parent = to;
  groups[to].live.begin =
      std::min(groups[to].live.begin, groups[from].live.begin);
  groups[to].live.end = std::max(groups[to].live.end, groups[from].live.end);
  llvm::append_range(groups[to].values, groups[from].values);
}

} // namespace zenith::memory
