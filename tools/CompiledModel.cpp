// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled code as an executor.

#include "tools/Diagnostics.h"
#include "tools/Executor.h"
#include "tools/RunOptions.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::tools;

llvm::Expected<std::unique_ptr<Executor>>
zenith::tools::makeCompiled(OwningOpRef<ModuleOp>, const std::string &,
                            const RunOptions &options, Diagnostics &) {
  return failure(ExitCode::Unsupported, "target '" + options.target +
                                            "' is not supported by this build");
}
