// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of a forward region that its backward part reads.

#ifndef ZENITH_PASSES_AUTODIFF_SWEEPS_RESIDUALS_H
#define ZENITH_PASSES_AUTODIFF_SWEEPS_RESIDUALS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace zenith::autodiff {

/// Makes the values of one region available in a block outside of it, whose ops
/// read them already. Those that are given are read; all others are computed
/// again from these, in the block.
class Residuals {
public:
  using Value = mlir::Value;

  Residuals(mlir::Region &forward, mlir::Block &backward);

  /// Says what `value` of the forward region is in the backward block.
  void give(Value value, Value available) { known.map(value, available); }
  /// Values of the forward region that the backward block reads.
  llvm::SetVector<Value> wanted() const;
  /// Replaces them.
  void makeAvailable();

private:
  bool isInside(Value value) const;
  Value available(Value value);

  mlir::Region &forward;
  mlir::Block &backward;
  mlir::IRMapping known;
  mlir::Operation *first; ///< where recomputed ops go before
};

/// Chooses what a loop stores of each trip so that `wanted` can be computed
/// from it: carried values, or results of ops that are not computed twice.
/// Values in `given` cost nothing.
llvm::SetVector<mlir::Value> chooseStored(mlir::Region &forward,
                                          llvm::ArrayRef<mlir::Value> wanted,
                                          llvm::ArrayRef<mlir::Value> given);

} // namespace zenith::autodiff

#endif // ZENITH_PASSES_AUTODIFF_SWEEPS_RESIDUALS_H
