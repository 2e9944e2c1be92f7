// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between zenith::Error and llvm::Error.

#include "ir/LLVMError.h"

#include "llvm/Support/raw_ostream.h"
#include <optional>

using namespace zenith;

char LLVMError::ID = 0;

void LLVMError::log(llvm::raw_ostream &os) const { os << message(); }

llvm::Error zenith::makeError(Error error) {
  return llvm::make_error<LLVMError>(std::move(error));
}

llvm::Error zenith::makeError(ErrorCode code, const llvm::Twine &text,
                              llvm::StringRef location) {
  return makeError({code, text.str(), location.str()});
}

llvm::Error zenith::reportedError(ErrorCode code, const llvm::Twine &text,
                                  llvm::StringRef location) {
  return makeError({code, text.str(), location.str(), /*reported=*/true});
}

Error zenith::errorOf(llvm::Error error) {
  std::optional<Error> first;
  llvm::handleAllErrors(
      std::move(error),
      [&](const LLVMError &one) {
        if (!first)
          first = one.error();
      },
      [&](const llvm::ErrorInfoBase &other) {
        if (!first)
          first = Error{ErrorCode::Internal, other.message(), {}};
      });
  assert(first && "a success carries no error");
  return std::move(*first);
}
