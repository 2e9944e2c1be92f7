// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Software prefetch for int8 operands of reductions.

#ifndef ZENITH_LOWERING_MICROKERNELS_PREFETCH_H
#define ZENITH_LOWERING_MICROKERNELS_PREFETCH_H

#include "lowering/builder/EmissionContext.h"

namespace zenith::kernels {

/// Inserts prefetches of large int8 operands into the kernels of a reduction.
void prefetchInt8Operands(const EmissionContext &context,
                          const KernelPlan &plan);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_MICROKERNELS_PREFETCH_H
