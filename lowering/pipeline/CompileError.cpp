// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors with exit codes.

#include "lowering/pipeline/CompileError.h"

#include "llvm/Support/raw_ostream.h"

namespace zenith {

char CompileError::ID = 0;

void CompileError::log(llvm::raw_ostream &os) const { os << message(); }

std::error_code CompileError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

llvm::Error compileError(int code, std::string message, std::string location) {
  return llvm::make_error<CompileError>(code, std::move(message),
                                        std::move(location));
}

} // namespace zenith
