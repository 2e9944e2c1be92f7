// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the tasks, panels and K-blocking of a GEMM.

#ifndef ZENITH_LOWERING_SCHEDULE_CHOOSEGEMMSCHEDULE_H
#define ZENITH_LOWERING_SCHEDULE_CHOOSEGEMMSCHEDULE_H

#include "lowering/schedule/GemmSchedule.h"

namespace zenith::kernels {

GemmSchedule chooseGemmSchedule(const ContractionSpace &space,
                                const TargetModel &target);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_CHOOSEGEMMSCHEDULE_H
