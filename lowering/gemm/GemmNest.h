// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel of one GEMM: its loop over tasks.

#ifndef ZENITH_LOWERING_GEMM_GEMMNEST_H
#define ZENITH_LOWERING_GEMM_GEMMNEST_H

#include "lowering/builder/KernelBuilder.h"
#include "lowering/schedule/EpilogueForm.h"
#include "lowering/schedule/GemmSchedule.h"

namespace zenith::kernels {

/// Ends the function of `kernel`, which computes the matmul or convolution with
/// its epilogue. Reports failure at the op.
mlir::FailureOr<Launch> emitGemm(KernelBuilder &kernel,
                                 const ContractionSpace &space,
                                 const EpilogueForm &form,
                                 GemmSchedule schedule);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_GEMM_GEMMNEST_H
