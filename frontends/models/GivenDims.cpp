// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The refusal of a dimension, with those that there are.

#include "frontends/models/GivenDims.h"

#include "ir/LLVMError.h"
#include "llvm/ADT/StringExtras.h"

using namespace zenith;

llvm::Error zenith::models::checkDimName(const std::string &name,
                                         const std::set<std::string> &names) {
  if (names.count(name))
    return llvm::Error::success();
  return makeError(ErrorCode::Usage,
                   "--dim: the program has no dimension '" + name +
                       "'; it has " +
                       (names.empty() ? "none" : llvm::join(names, ", ")));
}
