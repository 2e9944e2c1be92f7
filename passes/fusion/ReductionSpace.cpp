// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Labels dimensions and follows the labels through movement, to see whether a
// reduced value is read in its own row only.

#include "passes/fusion/ReductionSpace.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {

ReductionSpace::ReductionSpace(Operation *reduction, DimAnalysis &dims)
    : dims(dims), full(dims.dimsOf(reduction->getOperand(0))),
      reduced(cast<FusionRule>(reduction).reducedDims()) {}

bool ReductionSpace::matches(Operation *reduction) {
  return dims.dimsOf(reduction->getOperand(0)) == full &&
         cast<FusionRule>(reduction).reducedDims() == reduced;
}

/// Sizes other than 1.
static DimVector properSizes(const DimVector &shape) {
  DimVector proper;
  for (const DimExpr &size : shape)
    if (!size.isConstant(1))
      proper.push_back(size);
  return proper;
}

SpaceShape ReductionSpace::shapeOf(Value value) {
  const DimVector &shape = dims.dimsOf(value);
  if (shape == full)
    return SpaceShape::Full;
  DimVector kept;
  for (auto [d, size] : llvm::enumerate(full))
    if (!llvm::is_contained(reduced, int64_t(d)))
      kept.push_back(size);
  return properSizes(shape) == properSizes(kept) ? SpaceShape::Reduced
                                                 : SpaceShape::Other;
}

ReductionSpace::Labels ReductionSpace::labelsOf(Value value) {
  bool isReduced = shapeOf(value) == SpaceShape::Reduced;
  SmallVector<int64_t> proper;
  for (int64_t d = 0; d < int64_t(full.size()); ++d)
    if (!full[d].isConstant(1) &&
        !(isReduced && llvm::is_contained(reduced, d)))
      proper.push_back(d);
  Labels labels;
  size_t next = 0;
  for (const DimExpr &size : dims.dimsOf(value))
    labels.push_back(size.isConstant(1) ? -1 : proper[next++]);
  return labels;
}

std::optional<ReductionSpace::Labels>
ReductionSpace::follow(Operation *op, const Labels &labels) {
  Labels next(cast<RankedTensorType>(op->getResult(0).getType()).getRank(), -1);
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    for (auto [d, source] : llvm::enumerate(transpose.getPermutation()))
      next[d] = labels[source];
    return next;
  }
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    for (auto [d, target] : llvm::enumerate(broadcast.getMapping()))
      next[target] = labels[d];
    return next;
  }
  if (!isa<ReshapeOp>(op))
    return std::nullopt;
  // A reshape may add and remove dimensions of size 1 only.
  const DimVector &from = dims.dimsOf(op->getOperand(0)),
                  &to = dims.dimsOf(op->getResult(0));
  size_t source = 0;
  for (size_t d = 0; d < to.size(); ++d) {
    if (to[d].isConstant(1))
      continue;
    while (source < from.size() && from[source].isConstant(1))
      ++source;
    if (source == from.size() || from[source] != to[d])
      return std::nullopt;
    next[d] = labels[source++];
  }
  return next;
}

bool ReductionSpace::isAligned(Value from, ArrayRef<Operation *> path,
                               Value to) {
  Labels labels = labelsOf(from);
  for (Operation *op : path) {
    std::optional<Labels> next = follow(op, labels);
    if (!next)
      return false;
    labels = std::move(*next);
  }
  Labels wanted = labelsOf(to);
  if (labels.size() != wanted.size())
    return false;
  bool fromFull = shapeOf(from) == SpaceShape::Full;
  for (auto [label, expected] : llvm::zip(labels, wanted)) {
    // Along a reduced dimension every element of the row reads the same reduced
    // value.
    bool repeats =
        label == -1 && !fromFull && llvm::is_contained(reduced, expected);
    if (label != expected && !repeats)
      return false;
  }
  return true;
}

} // namespace zenith::fusion
