// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Software prefetch for int8 operands of reductions.

#ifndef ZENITH_LOWERING_MICROKERNELS_PREFETCH_H
#define ZENITH_LOWERING_MICROKERNELS_PREFETCH_H

#include "lowering/builder/EmissionContext.h"

namespace zenith::kernels {

/// Inserts prefetches of these int8 operands into the kernels of a reduction.
void prefetchOperands(const EmissionContext &context, const KernelPlan &plan,
                      llvm::ArrayRef<int64_t> operands, int64_t bytesAhead);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_MICROKERNELS_PREFETCH_H
