// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of the runtime as errors of the compiler.

#ifndef ZENITH_LOWERING_PIPELINE_RUNTIMEERROR_H
#define ZENITH_LOWERING_PIPELINE_RUNTIMEERROR_H

#include "ir/LLVMError.h"
#include "runtime/Status.h"

namespace zenith::pipeline {

/// Success or the same error.
llvm::Error toError(const runtime::Status &status);

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PIPELINE_RUNTIMEERROR_H
