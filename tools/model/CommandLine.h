// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the command lines of all tools share: help, version, diagnostics, and
// the name that was probably meant.

#ifndef ZENITH_TOOLS_MODEL_COMMANDLINE_H
#define ZENITH_TOOLS_MODEL_COMMANDLINE_H

#include "frontends/models/Suggestion.h"
#include "tools/model/TableOptions.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace zenith::tools {

/// The folder of --cache without a value.
inline constexpr llvm::StringLiteral defaultCache = "default";

/// Adds --version and parses; nothing to do where help or the version was
/// printed (true). Unknown options are usage errors that name the nearest one.
llvm::Expected<bool> parseCommandLine(CLI::App &app, int argc, char **argv);

/// The end of every command line: adds the options that all tools take,
/// parses, and checks what options demand of each other. nullopt where help or
/// the version was printed.
template <typename Options, typename Check>
llvm::Expected<std::optional<Options>>
finishCommandLine(CLI::App &app, ToolSet tool, int argc, char **argv,
                  CommonOptions &common, Options &options, Check check) {
  addOptions(app, tool, common);
  llvm::Expected<bool> done = parseCommandLine(app, argc, argv);
  if (!done)
    return done.takeError();
  if (*done)
    return std::nullopt;
  if (llvm::Error error = check(options))
    return std::move(error);
  return std::move(options);
}

} // namespace zenith::tools

#endif // ZENITH_TOOLS_MODEL_COMMANDLINE_H
