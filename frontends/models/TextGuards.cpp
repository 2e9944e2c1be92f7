// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lexical checks of the frontend find, as errors of a file.

#include "frontends/models/TextGuards.h"

#include "frontends/stablehlo/bytecode/EscapingNames.h"
#include "frontends/stablehlo/bytecode/NewerText.h"
#include "ir/LLVMError.h"

using namespace zenith;

llvm::Error zenith::models::checkText(llvm::StringRef file,
                                      llvm::StringRef text) {
  if (text.starts_with("ML\xefR"))
    return llvm::Error::success();
  if (std::optional<uint64_t> number = stablehlo::hugeResultNumber(text))
    return makeError(ErrorCode::Invalid,
                     "no op has a result of number " + std::to_string(*number),
                     file.str());
  if (std::optional<stablehlo::EscapingName> use =
          stablehlo::escapingName(text))
    return makeError(ErrorCode::Invalid,
                     "use of undeclared SSA value name " + use->name.str(),
                     file.str() + ":" + std::to_string(use->line) + ":" +
                         std::to_string(use->column));
  return llvm::Error::success();
}
