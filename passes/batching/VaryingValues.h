// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values of a function differ between the rows of a batch.

#ifndef ZENITH_PASSES_BATCHING_VARYINGVALUES_H
#define ZENITH_PASSES_BATCHING_VARYINGVALUES_H

#include "ir/GraphOps.h"
#include "llvm/ADT/DenseSet.h"

namespace zenith::batching {

/// The least set that has the values it was given, and with each value what
/// follows from it: results of readers, what branches and loops pass on, and
/// all that a branch or loop gives whose condition differs between rows. Sizes
/// never do.
class VaryingValues {
public:
  bool contains(mlir::Value value) const { return values.contains(value); }
  /// Whether an operand of `op`, or a value that its regions capture, differs.
  bool read(mlir::Operation *op) const;
  void insert(mlir::Value value) { values.insert(value); }
  /// Adds what follows in `region`, and in the regions inside.
  void propagate(mlir::Region &region);
  /// Adds what follows from the operands of one op and its regions.
  void propagate(mlir::Operation *op);

private:
  void propagateLoop(graph::WhileOp loop);
  /// The region takes the op's operands and gives its results.
  void propagateRegion(mlir::Operation *op);
  void propagateBranches(mlir::Operation *op);
  void insertAll(mlir::ValueRange list) {
    values.insert(list.begin(), list.end());
  }

  llvm::DenseSet<mlir::Value> values;
};

} // namespace zenith::batching

#endif // ZENITH_PASSES_BATCHING_VARYINGVALUES_H
