// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carries zenith::Error through llvm::Error and llvm::Expected.

#ifndef ZENITH_IR_LLVMERROR_H
#define ZENITH_IR_LLVMERROR_H

#include "ir/Error.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

namespace zenith {

class LLVMError : public llvm::ErrorInfo<LLVMError> {
public:
  static char ID;
  explicit LLVMError(Error error) : held(std::move(error)) {}

  const Error &error() const { return held; }
  std::string message() const override { return held.message(); }
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  Error held;
};

llvm::Error makeError(Error error);
llvm::Error makeError(ErrorCode code, const llvm::Twine &text,
                      llvm::StringRef location = {});
/// The error for which diagnostics have said why.
llvm::Error reportedError(ErrorCode code, const llvm::Twine &text,
                          llvm::StringRef location = {});
/// The Error that `error`, which must be a failure, carries: the first of
/// several. An error of LLVM itself is an internal one.
Error errorOf(llvm::Error error);

} // namespace zenith

#endif // ZENITH_IR_LLVMERROR_H
