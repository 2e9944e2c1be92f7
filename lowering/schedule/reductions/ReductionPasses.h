// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes over a row share: sums side by side, rows side by side,
// values that are kept between passes, prefetches.

#ifndef ZENITH_LOWERING_SCHEDULE_REDUCTIONS_REDUCTIONPASSES_H
#define ZENITH_LOWERING_SCHEDULE_REDUCTIONS_REDUCTIONPASSES_H

#include "lowering/schedule/reductions/ReductionLanes.h"

namespace zenith::kernels {

/// A costly value that two passes over a row need, kept in a result's memory
/// between them.
struct Stash {
  mlir::Value value;
  unsigned level = 0, result = 0;
};
/// Nullopt where no result has room for such a value.
std::optional<Stash> stashOf(const ReductionSchedule &plan,
                             graph::DimAnalysis &dims);

/// Whether tasks go over whole rows of known places: several may be reduced
/// side by side.
bool mayReduceTogether(const ReductionSchedule &plan, const ReductionForm &form,
                       graph::DimAnalysis &dims);
/// Whether a second pass over rows of a known length finds them in cache, so
/// that it may ask memory for other rows.
bool mayPrefetchRows(const ReductionSchedule &plan, const TargetModel &target);
/// The int8 operands of a fusion, by number.
bool isInt8Operand(graph::FusionOp fusion, int64_t number);

/// Sets what `form` leaves open beside lanes, rows and chunks, as shapes and
/// target choose.
void choosePasses(ReductionForm &form, graph::FusionOp fusion,
                  const ReductionSchedule &plan, graph::DimAnalysis &dims,
                  const TargetModel &target);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_REDUCTIONS_REDUCTIONPASSES_H
