// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accumulators of the folds that one pass computes together.

#ifndef ZENITH_LOWERING_KERNELS_ACCUMULATORS_H
#define ZENITH_LOWERING_KERNELS_ACCUMULATORS_H

#include "lowering/elements/ElementEmitter.h"
#include "lowering/schedule/ReductionSchedule.h"

namespace zenith::kernels {

/// Bits of the places that an arg_reduce carries.
unsigned placeBits(const Fold &fold, graph::DimAnalysis &dims);

/// Accumulators of the folds of one pass: one value each, two (best, place) for
/// arg_reduce.
class Accumulators {
public:
  Accumulators(ElementEmitter &emitter, llvm::ArrayRef<const Fold *> folds,
               unsigned lanes);

  llvm::SmallVector<mlir::Value> start();
  /// Folds in the operands' elements at `index`; under the emitter's mask where
  /// `masked`.
  llvm::SmallVector<mlir::Value>
  step(mlir::ValueRange state, llvm::ArrayRef<LaneIndex> index, bool masked);
  /// Folds two states.
  llvm::SmallVector<mlir::Value> combine(mlir::ValueRange x,
                                         mlir::ValueRange y);
  /// Folds the lanes of a state into scalars, halving by halving.
  llvm::SmallVector<mlir::Value> acrossLanes(mlir::ValueRange state);
  /// The value of each fold.
  llvm::SmallVector<mlir::Value> finish(mlir::ValueRange state);
  unsigned size() const { return values; }

private:
  /// Whether the state is one number for all lanes.
  bool counts(const Fold &fold) const { return fold.counted && lanes > 1; }
  mlir::Type placeType(const Fold &fold) const;
  mlir::Value foldOne(const Fold &fold, mlir::Value x, mlir::Value y);
  std::pair<mlir::Value, mlir::Value>
  better(const Fold &fold, std::pair<mlir::Value, mlir::Value> x,
         std::pair<mlir::Value, mlir::Value> y);
  ElementEmitter &emitter;
  KernelBuilder &kernel;
  llvm::SmallVector<const Fold *> folds;
  unsigned lanes, values = 0;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_ACCUMULATORS_H
