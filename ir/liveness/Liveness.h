// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live intervals of the values of a fused function, and which values are the
// same bytes.

#ifndef ZENITH_IR_LIVENESS_LIVENESS_H
#define ZENITH_IR_LIVENESS_LIVENESS_H

#include "ir/GraphOps.h"
#include "ir/matchers/HostScalars.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include <vector>

namespace zenith::liveness {

/// Steps of a function, both ends included: step k is the k-th op.
struct Interval {
  unsigned begin = 0, end = 0;
  bool overlaps(const Interval &other) const {
    return begin <= other.end && other.begin <= end;
  }
};

/// The operand whose bytes result `result` of `fusion` is, because its body
/// only reshapes; -1 otherwise.
int reshapedOperand(graph::FusionOp fusion, unsigned result);
/// True where no result of `fusion` needs a kernel, since all are reshaped
/// operands.
bool isReshapeOnly(graph::FusionOp fusion);

/// True where the expression has a symbol that only a step of the program
/// binds.
bool dependsOnData(const graph::DimExpr &expr);

/// The scalars that need no memory, because the host computes them.
class HostValues {
public:
  HostValues(mlir::func::FuncOp function, graph::DimAnalysis &dims)
      : scalars(function.getBody().front()), dims(dims) {}

  /// Scalars of the host, and i64 scalars of rank 0 that are expressions over
  /// dimensions: kernels get the latter as sizes.
  bool contains(mlir::Value value) const;
  /// True for arithmetic that the host does.
  bool computes(mlir::Operation *op) const { return scalars.computes(op); }
  /// The host scalar that result `result` of a reshape-only fusion writes to
  /// memory; null where the result is bytes of an operand.
  mlir::Value writtenBy(graph::FusionOp fusion, unsigned result) const;

private:
  graph::HostScalars scalars;
  graph::DimAnalysis &dims;
};

/// True for an argument that has no memory: a scalar of a nested function.
bool isPassedByValue(mlir::BlockArgument argument);

/// Liveness of groups: values that share bytes because one is the reshape of
/// another, or because it overwrites the other (join).
class Liveness {
public:
  Liveness(mlir::func::FuncOp function, const HostValues &host);

  /// Index of the group of a value; -1 for values of other functions.
  int groupOf(mlir::Value value) const;
  /// From the definition of its first value to the last use of any.
  const Interval &live(int group) const { return groups[find(group)].live; }
  /// Values of a group in order of definition.
  llvm::ArrayRef<mlir::Value> values(int group) const {
    return groups[find(group)].values;
  }
  /// Groups that are not part of another, in order of definition.
  std::vector<int> roots() const;
  unsigned stepOf(mlir::Operation *op) const { return steps.lookup(op); }
  /// The op of a step; null for step 0, at which arguments are defined.
  mlir::Operation *opOf(unsigned step) const {
    return step ? order[step - 1] : nullptr;
  }
  /// Lets `value` overwrite the bytes of `group`.
  void join(int group, mlir::Value value);

private:
  struct Group {
    int parent = -1;
    Interval live;
    llvm::SmallVector<mlir::Value, 2> values;
  };
  int find(int group) const;

  std::vector<Group> groups;
  llvm::DenseMap<mlir::Value, int> groupIndices;
  llvm::DenseMap<mlir::Operation *, unsigned> steps;
  std::vector<mlir::Operation *> order;
};

} // namespace zenith::liveness

#endif // ZENITH_IR_LIVENESS_LIVENESS_H
