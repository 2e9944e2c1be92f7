// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses prefetches of GEMMs by what comes from memory and what hardware
// prefetchers do not foresee.

#ifndef ZENITH_LOWERING_SCHEDULE_GEMM_PREFETCHCHOICE_H
#define ZENITH_LOWERING_SCHEDULE_GEMM_PREFETCHCHOICE_H

#include "lowering/schedule/GemmSchedule.h"

namespace zenith::kernels {

/// What shapes and target choose; Open: nothing.
sched::Prefetches choosePrefetches(const ContractionSpace &space,
                                   const GemmSchedule &schedule,
                                   const TargetModel &target);

/// Whether tiles have what a given prefetch asks for.
bool mayPrefetch(const sched::Prefetch &prefetch, const ContractionSpace &space,
                 const GemmSchedule &schedule, const TargetModel &target);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_GEMM_PREFETCHCHOICE_H
