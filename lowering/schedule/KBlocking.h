// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses how a GEMM walks K: at once, in blocks, or as a sweep over B. Parts
// of chooseGemmSchedule, each of which sets what it decides in the schedule.

#ifndef ZENITH_LOWERING_SCHEDULE_KBLOCKING_H
#define ZENITH_LOWERING_SCHEDULE_KBLOCKING_H

#include "lowering/schedule/GemmSchedule.h"

namespace zenith::kernels {

/// B is small where it stays in the second-level cache beside the rows of A.
inline double smallBytes(const TargetModel &target) {
  return target.l2Share(0.5);
}
/// Panels whose accumulators a task keeps beside its packed rows of A: copying
/// an element takes as long as some multiply-adds, of so many panels a small
/// part of them.
inline constexpr double maxBlockedPanels = 16;

/// Chooses a sweep, its panels per task and its joined tasks; false where the
/// GEMM is not for one: a panel of a large row-major B takes a cache line from
/// each of many pages. Memory is read at full speed only along the rows of B, a
/// few of them at a time, and in one run where one thread has all columns.
bool chooseSweep(GemmSchedule &schedule, const ContractionSpace &space,
                 unsigned mr, unsigned nr, const TargetModel &target);

/// Chooses blocks of K, and whether A is packed; leaves WholeK where a panel
/// stays in cache.
void chooseKBlocks(GemmSchedule &schedule, const ContractionSpace &space,
                   int64_t mr, unsigned nr, const TargetModel &target);

/// Tasks copy blocks of a few panels, and all rows of the task, which are all
/// there are or a block of them, meet each block while it is in cache: the copy
/// never leaves the cache.
void chooseTaskPanels(GemmSchedule &schedule, const ContractionSpace &space,
                      const TargetModel &target);

/// A short block of K of all rows stays in the first-level cache while all
/// columns of a task meet it, so that A is read from memory once, in order. Two
/// tasks, since each reads all rows; one thread has both at once where B is
/// row-major in memory.
void chooseShortBlocks(GemmSchedule &schedule, const ContractionSpace &space,
                       const TargetModel &target);

/// Widens blocks of panels once per task, for several tiles, where that pays
/// off: widening in registers competes with multiply-adds for execution ports,
/// and with 512-bit vectors takes half as many of them as a tile's
/// multiply-adds do.
void chooseWidening(GemmSchedule &schedule, const ContractionSpace &space,
                    const TargetModel &target);

/// Whether to pack A. Neighbouring k of a row are far apart in memory, as where
/// the gradient of weights sums over a batch: each k of a tile would take a few
/// elements of another cache line. Pays off where the copy serves enough
/// columns.
bool needsAPacking(const ContractionSpace &space, const TargetModel &target);

/// Whether the result is small and K is long, with rows of A strided along K.
bool isSmallWithLongK(const ContractionSpace &space, const TargetModel &target);

/// The fewest tasks that blocks of K with packed A are divided into: small
/// GEMMs are not worth many tasks, each of which copies its rows.
double fewestPackedTasks(const ContractionSpace &space,
                         const TargetModel &target);

/// Multiplications and additions of the whole GEMM.
double flopsOf(const ContractionSpace &space);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_KBLOCKING_H
