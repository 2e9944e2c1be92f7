// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Refuses options that would change nothing in a call: someone who gives one
// expects something of it.

#ifndef ZENITH_TOOLS_MODEL_OPTIONEFFECTS_H
#define ZENITH_TOOLS_MODEL_OPTIONEFFECTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace CLI {
class App;
}

namespace zenith::tools {

struct RunOptions;

/// An option by its name in CompileOptions.def, whether it changes anything in
/// this call, and else what it has no effect with, or without.
struct OptionEffect {
  const char *option; ///< "--opset"
  bool hasEffect;
  const char *otherwise; ///< "with an output that is no ONNX"
};

/// A usage error for the first option that the command line gave and that has
/// no effect.
llvm::Error checkEffects(const CLI::App &app,
                         llvm::ArrayRef<OptionEffect> effects);

/// The effects of zenith-run's options.
llvm::Error checkRunEffects(const CLI::App &app, const RunOptions &options);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_MODEL_OPTIONEFFECTS_H
