// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the reductions of a fusion are computed: the pass of each, the loop along
// which lanes run, and the number of chunks.

#ifndef ZENITH_LOWERING_SCHEDULE_REDUCTIONS_REDUCTIONSCHEDULE_H
#define ZENITH_LOWERING_SCHEDULE_REDUCTIONS_REDUCTIONSCHEDULE_H

#include "lowering/builder/EmissionContext.h"
#include "lowering/builder/IterationSpace.h"
#include "lowering/builder/RowTasks.h"

namespace zenith::kernels {

/// One reduce or arg_reduce.
struct Reduction {
  mlir::Operation *op;
  mlir::Value operand;
  mlir::Type element; ///< of the operand
  unsigned level;     ///< 1 + the deepest reduction it depends on: its pass
  bool arg() const { return mlir::isa<graph::ArgReduceOp>(op); }
  graph::ReduceKind kind() const;
  /// A maximum that is only subtracted inside of exponentials whose sum every
  /// result depends on: the sum propagates NaN, and the sign of zero does not
  /// matter, so a plain maximum instruction suffices.
  bool plainMax = false;
  /// The i1 value that a sum counts, where lanes run along the reduced loop: a
  /// population count of the mask then replaces the sum.
  mlir::Value counted = nullptr;
};

/// A result of the fusion, without reshapes that don't move its elements.
struct ReducedResult {
  mlir::Value value;
  bool full; ///< of the iterated shape; else of its kept dimensions
  /// Dimension of the iterated shape for each of its own, as in SpaceRoot.
  llvm::SmallVector<unsigned> dims;
};

struct ReductionSchedule {
  graph::DimVector shape;
  llvm::SmallVector<int64_t> reduced; ///< dimensions of `shape`
  llvm::SmallVector<Reduction> reductions;
  llvm::SmallVector<ReducedResult> results;
  unsigned levels = 0;
  std::unique_ptr<IterationSpace> space;
  unsigned lane = 0;
  bool lanesReduced = false; ///< lanes run along a reduced loop
  llvm::SmallVector<unsigned> keptLoops, reducedLoops; ///< without `lane`
  /// Steps (of the reduced loop or loops) per chunk; 0 = one launch without
  /// partial results.
  int64_t chunk = 0;
  graph::DimExpr chunks;

  /// Nullopt where the reductions don't share one iteration space, or results
  /// are moved: reductions are then computed per element.
  static std::optional<ReductionSchedule> make(graph::FusionOp fusion,
                                               graph::DimAnalysis &dims,
                                               const TargetModel &target);
  graph::DimExpr keptCount() const;
  /// Number of iterations of reducedLoops.
  graph::DimExpr reducedRows() const;
  /// What chunks divide: the lanes, or the rows that are reduced.
  graph::DimExpr steps() const;
  /// Gives a plan with chunks another number of steps in each.
  void divide(int64_t stepsOfChunk);
  llvm::SmallVector<graph::DimExpr> scratch() const;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_REDUCTIONS_REDUCTIONSCHEDULE_H
