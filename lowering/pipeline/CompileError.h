// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why something could not be compiled or run, with the exit code that tools
// give for it.

#ifndef ZENITH_LOWERING_PIPELINE_COMPILEERROR_H
#define ZENITH_LOWERING_PIPELINE_COMPILEERROR_H

#include "llvm/Support/Error.h"
#include <string>

namespace zenith {

/// Codes are those of runtime/ABI.h (zenith_code) and of the tools.
class CompileError : public llvm::ErrorInfo<CompileError> {
public:
  static char ID;
  CompileError(int code, std::string message, std::string location = {})
      : exitCode(code), reason(std::move(message)), place(std::move(location)) {
  }

  int code() const { return exitCode; }
  /// Lower case, one sentence; notes follow on lines of their own.
  std::string message() const override {
    return place.empty() ? reason : place + ": " + reason;
  }
  const std::string &text() const { return reason; }
  /// "file:line:col" or the path of an op; may be empty.
  const std::string &location() const { return place; }
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  int exitCode;
  std::string reason, place;
};

/// A CompileError as llvm::Error.
llvm::Error compileError(int code, std::string message,
                         std::string location = {});

} // namespace zenith

#endif // ZENITH_LOWERING_PIPELINE_COMPILEERROR_H
