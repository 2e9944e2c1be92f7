// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the reductions of a fusion are computed: which pass each belongs to,
// along which loop lanes run, in how many chunks.

#ifndef ZENITH_LOWERING_SCHEDULE_REDUCTIONSCHEDULE_H
#define ZENITH_LOWERING_SCHEDULE_REDUCTIONSCHEDULE_H

#include "lowering/builder/EmissionContext.h"
#include "lowering/builder/IterationSpace.h"
#include "lowering/builder/RowTasks.h"

namespace zenith::kernels {

/// One reduce or arg_reduce.
struct Fold {
  mlir::Operation *op;
  mlir::Value operand;
  mlir::Type element; ///< of the operand
  unsigned level;     ///< 1 + deepest fold below it: the pass that computes it
  bool arg() const { return mlir::isa<graph::ArgReduceOp>(op); }
  graph::ReduceKind kind() const;
  /// A maximum that is only subtracted inside exponentials whose sum every
  /// result depends on: the sum carries a NaN, and the sign of zero doesn't
  /// matter.
  bool plainMax = false;
  /// The i1 value that a sum counts, where lanes run along what is reduced: the
  /// bits of a mask are one number, which one instruction counts.
  mlir::Value counted = nullptr;
};

/// A result of the fusion behind reshapes that don't move its elements.
struct ReducedResult {
  mlir::Value value;
  bool full; ///< of the iterated shape; else of its kept dimensions
  /// Which dimension of the iterated shape each of its own is, as in SpaceRoot.
  llvm::SmallVector<unsigned> dims;
};

struct ReductionSchedule {
  graph::DimVector shape;
  llvm::SmallVector<int64_t> reduced; ///< dimensions of `shape`
  llvm::SmallVector<Fold> folds;
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

  /// Nothing where the folds don't share one iteration, or results are moved:
  /// then folds happen in place.
  static std::optional<ReductionSchedule> make(graph::FusionOp fusion,
                                               graph::DimAnalysis &dims,
                                               const TargetModel &target);
  graph::DimExpr keptCount() const;
  /// Product of reducedLoops.
  graph::DimExpr reducedRows() const;
  llvm::SmallVector<graph::DimExpr> scratch() const;
};

/// Scratch that emitReduction asks for.
llvm::SmallVector<graph::DimExpr> reductionScratch(graph::FusionOp fusion,
                                                   graph::DimAnalysis &dims,
                                                   const TargetModel &target);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_REDUCTIONSCHEDULE_H
