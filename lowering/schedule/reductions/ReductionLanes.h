// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes, rows and chunks of reductions, as the schedule of their fusion says.

#ifndef ZENITH_LOWERING_SCHEDULE_REDUCTIONS_REDUCTIONLANES_H
#define ZENITH_LOWERING_SCHEDULE_REDUCTIONS_REDUCTIONLANES_H

#include "lowering/schedule/Schedule.h"
#include "lowering/schedule/reductions/ReductionSchedule.h"

namespace zenith::kernels {

/// Bits of the indices that an arg_reduce carries.
unsigned placeBits(const Reduction &reduction, graph::DimAnalysis &dims);

/// Whether an access gathers from a table that many rows read.
bool isTableAccess(const ReductionSchedule &plan,
                   const IterationSpace::Access &access);
/// Whether all rows gather from one table, so that a part of it that stays in a
/// cache serves many rows.
bool readsTable(const ReductionSchedule &plan);

/// Lanes that shapes and target choose.
unsigned lanesOfReduction(const ReductionSchedule &plan, graph::FusionOp fusion,
                          graph::DimAnalysis &dims, const TargetModel &target);

/// The innermost loop over very short rows, where there are outer ones:
/// computing the offset of each row by division would take longer than its
/// elements.
std::optional<unsigned> innerRowsOf(const ReductionSchedule &plan,
                                    int64_t width);

/// Tasks of whole rows, with lanes along the rows: of `rowsPerTask` rows, or,
/// for 0, of as many as their length suggests. Several short rows at an inner
/// loop count as one.
RowTasks rowTasksOf(const ReductionSchedule &plan, int64_t width,
                    int64_t rowsPerTask);

struct ReductionForm {
  unsigned lanes = 1;              ///< elements that are computed at a time
  int64_t rows = 0;                ///< of a task; 0: as their length suggests
  int64_t chunk = 0;               ///< steps that share a slot; 0: no slots
  llvm::SmallVector<int64_t> sums; ///< of each pass: vectors side by side
  int64_t together = 0;            ///< rows side by side; 0: one
  sched::Prefetch prefetch;        ///< of rows
  /// int8 operands whose lines are prefetched.
  std::optional<llvm::SmallVector<int64_t>> streams;
  int64_t ahead = 0; ///< of these lines, in bytes
  bool hasStreams() const { return streams && !streams->empty(); }
  int64_t rowsAtOnce() const { return together ? together : 1; }
};

/// What the schedule says; 0 and nothing where it leaves a key open.
ReductionForm givenReductionForm(graph::FusionOp fusion,
                                 const ReductionSchedule &plan);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_REDUCTIONS_REDUCTIONLANES_H
