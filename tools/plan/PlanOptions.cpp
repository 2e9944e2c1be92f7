// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two commands of zenith-plan and their options.

#include "tools/plan/PlanOptions.h"

#include "ir/LLVMError.h"
#include "tools/model/CommandLine.h"

using namespace zenith;
using namespace zenith::tools;

static void addPlanOptions(CLI::App &app, ToolSet tool, PlanOptions &given) {
#define ZENITH_PLAN_OPTION ZENITH_ADD_OPTION
#include "lowering/pipeline/CompileOptions.def"
}

llvm::Expected<std::optional<PlanOptions>>
zenith::tools::parsePlanOptions(int argc, char **argv, CommonOptions &common) {
  CLI::App app("Plans memory: the order of steps and what runs again, or the "
               "offsets of buffers.",
               "zenith-plan");
  PlanOptions plan;
  CLI::App *graph = app.add_subcommand(
      "graph", "an order of a graph's steps, with repeats, within a budget");
  addPlanOptions(*graph, options::PlanGraph, plan);
  graph->callback([&] { plan.command = PlanOptions::Graph; });
  CLI::App *arena =
      app.add_subcommand("arena", "offsets of buffers with lifetimes");
  addPlanOptions(*arena, options::PlanArena, plan);
  arena->callback([&] { plan.command = PlanOptions::Arena; });
  app.require_subcommand(1);
  return finishCommandLine(app, options::Plan, argc, argv, common, plan,
                           [](const PlanOptions &given) -> llvm::Error {
                             if (given.maxMemory && *given.maxMemory < 1)
                               return makeError(
                                   ErrorCode::Usage,
                                   "--max-memory: expected at least one byte");
                             return llvm::Error::success();
                           });
}
