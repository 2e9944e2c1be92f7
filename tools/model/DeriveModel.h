// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derives functions of a model that was read.

#ifndef ZENITH_TOOLS_MODEL_DERIVEMODEL_H
#define ZENITH_TOOLS_MODEL_DERIVEMODEL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace zenith::models {
class Diagnostics;
struct LoadedModel;
} // namespace zenith::models

namespace zenith::tools {

/// Applies rules to the entry, in order, and fills functions that the program
/// says are derived. Gives the name of the new entry, or `entry` without rules.
/// Does nothing where there is nothing to derive. `budgetBytes` is the memory
/// of a run, 0 for any (passes/autodiff/DeriveModule.h).
llvm::Expected<std::string> deriveModel(models::LoadedModel &model,
                                        llvm::ArrayRef<std::string> rules,
                                        const std::string &entry,
                                        models::Diagnostics &diagnostics,
                                        int64_t budgetBytes = 0);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_MODEL_DERIVEMODEL_H
