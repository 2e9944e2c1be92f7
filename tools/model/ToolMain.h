// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The main function of every tool: parse, run, report.

#ifndef ZENITH_TOOLS_MODEL_TOOLMAIN_H
#define ZENITH_TOOLS_MODEL_TOOLMAIN_H

#include "frontends/models/Diagnostics.h"
#include "tools/model/RunOptions.h"
#include "llvm/Support/raw_ostream.h"

namespace zenith::tools {

inline int exitCodeOf(int code, Diagnostics &) { return code; }
inline int exitCodeOf(llvm::Error error, Diagnostics &diagnostics) {
  return diagnostics.report(std::move(error));
}

/// `parse` makes options of the command line, nullopt where there is nothing to
/// do; `run` gives an exit code or an error.
template <typename Parse, typename RunTool>
int toolMain(const char *name, int argc, char **argv, Parse parse,
             RunTool run) {
  Diagnostics diagnostics(name, llvm::errs());
  CommonOptions common;
  auto options = parse(argc, argv, common);
  diagnostics.useJSON(common.diagnostics == TextFormat::JSON);
  if (!options)
    return diagnostics.report(options.takeError());
  return *options ? exitCodeOf(run(**options, diagnostics), diagnostics) : 0;
}

} // namespace zenith::tools

#endif // ZENITH_TOOLS_MODEL_TOOLMAIN_H
