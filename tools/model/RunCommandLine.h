// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of zenith-run, read into its options.

#ifndef ZENITH_TOOLS_MODEL_RUNCOMMANDLINE_H
#define ZENITH_TOOLS_MODEL_RUNCOMMANDLINE_H

#include "tools/model/RunOptions.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace zenith::tools {

/// nullopt where help or the version was asked for and printed.
llvm::Expected<std::optional<RunOptions>>
parseRunOptions(int argc, char **argv, CommonOptions &common);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_MODEL_RUNCOMMANDLINE_H
