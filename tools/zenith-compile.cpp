// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a model and writes what a stage of the compiler makes of it.

#include "tools/EmitModel.h"
#include "tools/model/ToolMain.h"

using namespace zenith::tools;

int main(int argc, char **argv) {
  return toolMain("zenith-compile", argc, argv, parseEmitOptions, emitModel);
}
