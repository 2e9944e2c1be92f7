// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans the memory of a graph, or the offsets of buffers, from files.

#include "tools/model/ToolMain.h"
#include "tools/plan/PlanCommands.h"

using namespace zenith::tools;

int main(int argc, char **argv) {
  return toolMain("zenith-plan", argc, argv, parsePlanOptions, runPlanCommand);
}
