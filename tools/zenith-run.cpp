// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a model: reads it, compiles it for a target, feeds it tensors.

#include "tools/model/RunCommandLine.h"
#include "tools/model/ToolMain.h"
#include "tools/run/RunModel.h"

using namespace zenith::tools;

int main(int argc, char **argv) {
  return toolMain("zenith-run", argc, argv, parseRunOptions, runModel);
}
