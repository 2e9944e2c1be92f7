// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of targets, and the executor for each.

#include "tools/model/Executor.h"

#include "tools/model/RunOptions.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

std::vector<std::string> zenith::tools::listTargets() {
  std::vector<std::string> lines;
  for (const auto &[name, description] : targetsHere())
    lines.push_back(name +
                    std::string(name.size() < 8 ? 10 - name.size() : 2, ' ') +
                    description);
  return lines;
}

llvm::Expected<std::unique_ptr<Executor>> zenith::tools::makeExecutor(
    OwningOpRef<ModuleOp> module, const std::string &folder,
    const RunOptions &options, Diagnostics &diagnostics) {
  if (options.isInterpreted())
    return makeInterpreter(std::move(module), folder, options, &diagnostics);
  return makeCompiled(std::move(module), folder, options, diagnostics);
}
