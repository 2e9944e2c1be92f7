// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a dimension that a user names is one of the program.

#ifndef ZENITH_FRONTENDS_MODELS_GIVENDIMS_H
#define ZENITH_FRONTENDS_MODELS_GIVENDIMS_H

#include "llvm/Support/Error.h"
#include <set>
#include <string>

namespace zenith::models {

/// A --dim that no input has is a mistake: Usage, which lists `names`, those of
/// the program.
llvm::Error checkDimName(const std::string &name,
                         const std::set<std::string> &names);

} // namespace zenith::models

#endif // ZENITH_FRONTENDS_MODELS_GIVENDIMS_H
