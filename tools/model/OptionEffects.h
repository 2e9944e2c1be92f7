// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Refuses options that would change nothing in a call: someone who gives one
// expects something of it.

#ifndef ZENITH_TOOLS_MODEL_OPTIONEFFECTS_H
#define ZENITH_TOOLS_MODEL_OPTIONEFFECTS_H

#include "lowering/pipeline/OptionTable.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace CLI {
class App;
}

namespace zenith::tools {

struct PrecisionOptions;
struct RunOptions;

/// A condition of CompileOptions.def, and whether it holds in this call.
using Fact = std::pair<options::Condition, bool>;

/// A usage error for the first option that the command line gave and that has
/// no effect: a condition of its row for `tool`, which is one tool or one
/// command of a tool, does not hold. `facts` has every condition that rows of
/// the tool name.
llvm::Error checkEffects(const CLI::App &app, options::ToolSet tool,
                         llvm::ArrayRef<Fact> facts);

/// A usage error for --keep-f32 in a call that neither has a policy nor
/// quantizes.
llvm::Error checkKeepEffect(const PrecisionOptions &options,
                            llvm::StringRef policy);

/// The facts of options that zenith-run shares with other tools that run
/// programs.
llvm::SmallVector<Fact> runFacts(const RunOptions &options);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_MODEL_OPTIONEFFECTS_H
