// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GEMMs whose results are stored column by column, since their rows are
// contiguous: how many tiles, and rows, are finished together.

#ifndef ZENITH_LOWERING_SCHEDULE_GEMM_COLUMNSTORES_H
#define ZENITH_LOWERING_SCHEDULE_GEMM_COLUMNSTORES_H

#include "lowering/schedule/GemmSchedule.h"

namespace zenith::kernels {

/// Whether tasks finish such results column by column: not where gates are
/// combined, nor a sweep, whose rows are few.
bool finishesColumns(const ContractionSpace &space,
                     const GemmSchedule &schedule);

/// What shapes and target choose.
ColumnStores chooseColumnStores(const ContractionSpace &space,
                                const GemmSchedule &schedule,
                                const TargetModel &target);

/// Makes tasks of whole groups of tiles that are finished together, where they
/// have several.
void alignTasksTo(const ColumnStores &stores, GemmSchedule &schedule);

/// Whether a given number of tiles and rows can be finished at once.
bool mayFinish(const ColumnStores &stores, const ContractionSpace &space,
               const GemmSchedule &schedule, const TargetModel &target);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_GEMM_COLUMNSTORES_H
