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

/// What standard output could not take is an error like others; unhandled, it
/// would end the process when the stream is destroyed.
inline int finishOutput(int code, Diagnostics &diagnostics) {
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return code;
  std::string reason = llvm::outs().error().message();
  llvm::outs().clear_error();
  int failed = diagnostics.report(
      makeError(ErrorCode::Run, "cannot write: " + reason, "standard output"));
  return code ? code : failed;
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
  int code =
      *options ? exitCodeOf(run(**options, diagnostics), diagnostics) : 0;
  return finishOutput(code, diagnostics);
}

} // namespace zenith::tools

#endif // ZENITH_TOOLS_MODEL_TOOLMAIN_H
