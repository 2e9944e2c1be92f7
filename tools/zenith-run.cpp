// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a model: reads it, compiles it for a target, feeds it tensors.

#include "tools/model/Diagnostics.h"
#include "tools/model/RunOptions.h"
#include "tools/run/RunModel.h"
#include "llvm/Support/raw_ostream.h"

using namespace zenith::tools;

int main(int argc, char **argv) {
  Diagnostics diagnostics("zenith-run", llvm::errs());
  bool json = false;
  auto options = parseRunOptions(argc, argv, json);
  diagnostics.useJSON(json);
  if (!options)
    return diagnostics.report(options.takeError());
  return *options ? runModel(**options, diagnostics) : 0;
}
