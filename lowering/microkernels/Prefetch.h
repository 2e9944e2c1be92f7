// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes that reductions read from memory once.

#ifndef ZENITH_LOWERING_MICROKERNELS_PREFETCH_H
#define ZENITH_LOWERING_MICROKERNELS_PREFETCH_H

#include "lowering/builder/EmissionContext.h"

namespace zenith::kernels {

/// Lets the kernels of a reduction ask for large operands of bytes before they
/// read them.
void prefetchInt8Operands(const EmissionContext &context,
                          const KernelPlan &plan);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_MICROKERNELS_PREFETCH_H
