// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of targets, and those of this machine.

#ifndef ZENITH_FRONTENDS_MODELS_TARGETNAMES_H
#define ZENITH_FRONTENDS_MODELS_TARGETNAMES_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace zenith::models {

/// True where text is a target that --target takes.
bool isTarget(llvm::StringRef target);

struct TargetRow {
  std::string name, description;
};
/// The targets of this machine.
std::vector<TargetRow> targetsHere();

} // namespace zenith::models

#endif // ZENITH_FRONTENDS_MODELS_TARGETNAMES_H
