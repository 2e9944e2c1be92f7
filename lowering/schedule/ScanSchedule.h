// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans as loops: along which loop lanes run, whether rows are finished one
// after the other, and how tasks divide what is not scanned along.

#ifndef ZENITH_LOWERING_SCHEDULE_SCANSCHEDULE_H
#define ZENITH_LOWERING_SCHEDULE_SCANSCHEDULE_H

#include "lowering/builder/IterationSpace.h"
#include "lowering/builder/RowTasks.h"

namespace zenith::kernels {

struct ScanSchedule {
  ScanSchedule(llvm::ArrayRef<graph::CumulativeOp> reductions,
               IterationSpace space)
      : reductions(reductions), space(std::move(space)) {}

  llvm::SmallVector<graph::CumulativeOp> reductions;
  IterationSpace space;
  llvm::SmallVector<unsigned> along;  ///< loops that are scanned
  llvm::SmallVector<unsigned> others; ///< the rest, without `lane`
  /// The loop of lanes; none: a row is scanned element by element.
  std::optional<unsigned> lane;
  /// All lanes of a row come before the next row, and the state of the scan is
  /// the previous row of this result: its lanes are too many for registers.
  std::optional<unsigned> kept;
  unsigned width = 1; ///< lanes that are computed at a time
  int64_t block = 0;  ///< elements of a task: of a row of lanes, or of rows
  RowTasks tasks;

  graph::DimExpr length() const; ///< elements that are scanned
};

/// What the schedule of the fusion says; where it leaves a key open, or there
/// is none, what shapes and target decide. Fails, at the op, where there is no
/// kernel.
mlir::FailureOr<ScanSchedule> scanSchedule(graph::FusionOp fusion,
                                           graph::DimAnalysis &dims,
                                           const TargetModel &target);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_SCANSCHEDULE_H
