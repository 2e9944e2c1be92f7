// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What zenith-compile does: a model in, the text or the objects of a stage out.

#ifndef ZENITH_TOOLS_EMITMODEL_H
#define ZENITH_TOOLS_EMITMODEL_H

#include "llvm/Support/Error.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace zenith::tools {

class Diagnostics;

struct EmitOptions {
  std::string input, output = "-", emit = "graphir", target = "cpu";
  std::string mixedPrecision;   ///< bf16, fp16; empty: as the model says
  std::string toPhase, dumpDir; ///< of --emit=graphir: where to stop
  std::map<std::string, int64_t> dims;
  unsigned threads = 0;
  std::string cache; ///< of --emit=obj: as RunOptions::cache
  std::vector<std::string> explain;
};

/// nullopt where help or the version was asked for and printed.
llvm::Expected<std::optional<EmitOptions>>
parseEmitOptions(int argc, char **argv, bool &jsonDiagnostics);

llvm::Error emitModel(const EmitOptions &options, Diagnostics &diagnostics);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_EMITMODEL_H
