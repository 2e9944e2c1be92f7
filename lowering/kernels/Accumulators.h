// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accumulators of the reductions that one pass computes together.

#ifndef ZENITH_LOWERING_KERNELS_ACCUMULATORS_H
#define ZENITH_LOWERING_KERNELS_ACCUMULATORS_H

#include "lowering/elements/ElementEmitter.h"
#include "lowering/schedule/reductions/ReductionLanes.h"
#include "lowering/schedule/reductions/ReductionSchedule.h"

namespace zenith::kernels {

/// Accumulators of the reductions of one pass: one value each, two (best,
/// index) for arg_reduce.
class Accumulators {
public:
  Accumulators(ElementEmitter &emitter,
               llvm::ArrayRef<const Reduction *> reductions, unsigned lanes);

  llvm::SmallVector<mlir::Value> start();
  /// Adds the operands' elements at `index` to the state; under the emitter's
  /// mask where `masked`.
  llvm::SmallVector<mlir::Value>
  step(mlir::ValueRange state, llvm::ArrayRef<LaneIndex> index, bool masked);
  /// Combines two states.
  llvm::SmallVector<mlir::Value> combine(mlir::ValueRange x,
                                         mlir::ValueRange y);
  /// Reduces the lanes of a state to scalars, by halves.
  llvm::SmallVector<mlir::Value> acrossLanes(mlir::ValueRange state);
  /// The value of each reduction.
  llvm::SmallVector<mlir::Value> finish(mlir::ValueRange state);
  unsigned size() const { return values; }

private:
  /// Whether the state is one scalar for all lanes.
  bool counts(const Reduction &reduction) const {
    return reduction.counted && lanes > 1;
  }
  mlir::Type placeType(const Reduction &reduction) const;
  mlir::Value combine(const Reduction &reduction, mlir::Value x, mlir::Value y);
  std::pair<mlir::Value, mlir::Value>
  better(const Reduction &reduction, std::pair<mlir::Value, mlir::Value> x,
         std::pair<mlir::Value, mlir::Value> y);
  ElementEmitter &emitter;
  KernelBuilder &kernel;
  llvm::SmallVector<const Reduction *> reductions;
  unsigned lanes, values = 0;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_ACCUMULATORS_H
