// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values change with the ones that a function is differentiated by.

#ifndef ZENITH_PASSES_AUTODIFF_ACTIVITY_H
#define ZENITH_PASSES_AUTODIFF_ACTIVITY_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Region.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace zenith::autodiff {

/// The values of floats or complex numbers that depend on the seeds other than
/// through ops of derivative zero, in a block and the regions inside of it.
class Activity {
public:
  Activity(mlir::Block &block, mlir::ValueRange seeds);

  bool isVaried(mlir::Value value) const { return varied.contains(value); }
  bool isVaried(mlir::ValueRange values) const;
  /// Whether an operand, or a value that the regions of `op` read, is varied.
  bool readsVaried(mlir::Operation *op) const;
  /// Forgets values that change none of `ends` in a derivative, and no bits of
  /// floats, which are refused wherever they are read.
  void keepUseful(mlir::Block &block, mlir::ValueRange ends);
  /// For values that take the place of others.
  void setVaried(mlir::Value value) { varied.insert(value); }

private:
  void visit(mlir::Block &block);
  void visit(mlir::Operation *op);
  void visitLoop(mlir::Operation *op);
  bool mark(mlir::Value value, bool isActive);

  llvm::DenseSet<mlir::Value> varied;
};

/// Whether `op` is a bitcast that has no derivative, and is read: its results
/// may be integers, which nothing else tells from a derivative of zero.
bool readsBits(mlir::Operation *op);

/// Values that `region` reads and that are defined outside of it, in order of
/// first use.
llvm::SetVector<mlir::Value> capturedBy(mlir::Region &region);

} // namespace zenith::autodiff

#endif // ZENITH_PASSES_AUTODIFF_ACTIVITY_H
