// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results of the runtime as the errors of the other libraries: both
// enumerations of error codes have the same values.

#ifndef ZENITH_LOWERING_PIPELINE_RUNTIMEERROR_H
#define ZENITH_LOWERING_PIPELINE_RUNTIMEERROR_H

#include "ir/LLVMError.h"
#include "runtime/Status.h"

namespace zenith::pipeline {

static_assert(int(ErrorCode::Usage) == ZENITH_USAGE &&
              int(ErrorCode::Invalid) == ZENITH_INVALID_INPUT &&
              int(ErrorCode::Unsupported) == ZENITH_UNSUPPORTED &&
              int(ErrorCode::Internal) == ZENITH_INTERNAL &&
              int(ErrorCode::Memory) == ZENITH_OUT_OF_MEMORY &&
              int(ErrorCode::Run) == ZENITH_RUN_FAILED);

/// The error of a status; success where it is one.
inline llvm::Error toError(const runtime::Status &status) {
  if (status)
    return llvm::Error::success();
  return makeError(ErrorCode(status.code()), status.message(), status.place());
}

} // namespace zenith::pipeline

#endif // ZENITH_LOWERING_PIPELINE_RUNTIMEERROR_H
