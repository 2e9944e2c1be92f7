// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses prefetches of GEMMs by what comes from memory and what hardware
// prefetchers do not foresee.

#ifndef ZENITH_LOWERING_SCHEDULE_PREFETCHCHOICE_H
#define ZENITH_LOWERING_SCHEDULE_PREFETCHCHOICE_H

#include "lowering/schedule/GemmSchedule.h"

namespace zenith::kernels {

/// Whether tiles of half panels have micro-kernels of their own for what the
/// last full tile leaves: where a variant for few rows has such tiles.
bool endsInHalfPanels(const ContractionSpace &space,
                      const GemmSchedule &schedule, const TargetModel &target);

/// What shapes and target choose; Open: nothing.
sched::Prefetches choosePrefetches(const ContractionSpace &space,
                                   const GemmSchedule &schedule,
                                   const TargetModel &target);

/// Whether tiles have what a given prefetch asks for.
bool mayPrefetch(const sched::Prefetch &prefetch, const ContractionSpace &space,
                 const GemmSchedule &schedule, const TargetModel &target);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_PREFETCHCHOICE_H
