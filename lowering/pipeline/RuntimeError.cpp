// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both enumerations of error codes have the same values.

#include "lowering/pipeline/RuntimeError.h"

using namespace zenith;

static_assert(int(ErrorCode::Usage) == ZENITH_USAGE &&
              int(ErrorCode::Invalid) == ZENITH_INVALID_INPUT &&
              int(ErrorCode::Unsupported) == ZENITH_UNSUPPORTED &&
              int(ErrorCode::Internal) == ZENITH_INTERNAL &&
              int(ErrorCode::Memory) == ZENITH_OUT_OF_MEMORY &&
              int(ErrorCode::Run) == ZENITH_RUN_FAILED);

llvm::Error zenith::pipeline::toError(const runtime::Status &status) {
  if (status)
    return llvm::Error::success();
  return makeError(ErrorCode(status.code()), status.message(), status.place());
}
