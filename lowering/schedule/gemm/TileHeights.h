// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the heights of the micro-kernels that sum the tiles of a GEMM: these
// are most of what is compiled.

#ifndef ZENITH_LOWERING_SCHEDULE_GEMM_TILEHEIGHTS_H
#define ZENITH_LOWERING_SCHEDULE_GEMM_TILEHEIGHTS_H

#include "lowering/schedule/GemmSchedule.h"

namespace zenith::kernels {

/// Whether the tiles of a row axis are of balanced height: not where only a run
/// knows how many rows there are, unless each of many short row axes, as those
/// of a feature map, would compute a row in vain.
bool balancesTiles(const ContractionSpace &space);

/// Whether some heights serve tiles of any number of rows: the lowest that is
/// enough computes its last row again. Elsewhere the heights follow from M, or
/// there are none.
bool hasFreeHeights(const ContractionSpace &space);

/// Whether tiles that lack rows skip these at each k instead of computing their
/// last row again. Outer products wait for multiply-adds, beside which branches
/// that always go the same way take no time.
bool skipsRows(const ContractionSpace &space, const TargetModel &target);

/// Whether tiles of half panels have micro-kernels of their own for what the
/// last full tile leaves: where a variant for few rows has such tiles.
bool endsInHalfPanels(const ContractionSpace &space,
                      const GemmSchedule &schedule, const TargetModel &target);

/// The heights that shapes and target choose, the highest first; those of half
/// panels where tiles end in such.
llvm::SmallVector<int64_t> chooseHeights(const ContractionSpace &space,
                                         const GemmSchedule &schedule,
                                         const TargetModel &target);

/// Whether tiles may have given heights: the highest is enough for a full tile.
bool mayHaveHeights(llvm::ArrayRef<int64_t> heights,
                    const ContractionSpace &space, const GemmSchedule &schedule,
                    const TargetModel &target);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_GEMM_TILEHEIGHTS_H
