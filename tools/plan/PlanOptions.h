// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of zenith-plan.

#ifndef ZENITH_TOOLS_PLAN_PLANOPTIONS_H
#define ZENITH_TOOLS_PLAN_PLANOPTIONS_H

#include "tools/model/RunOptions.h"

namespace zenith::tools {

enum class PlannedRemat { Off, Auto };

struct PlanOptions {
  enum Command { Graph, Arena } command = Graph;
#define ZENITH_PLAN_OPTION(field, type, initial, ...) type field = initial;
#include "lowering/pipeline/CompileOptions.def"
};

/// nullopt where help or the version was asked for and printed.
llvm::Expected<std::optional<PlanOptions>>
parsePlanOptions(int argc, char **argv, CommonOptions &common);

} // namespace zenith::tools

namespace zenith::options {

template <> struct Words<tools::PlannedRemat> {
  static constexpr Word<tools::PlannedRemat> all[] = {
      {"off", tools::PlannedRemat::Off}, {"auto", tools::PlannedRemat::Auto}};
};

} // namespace zenith::options

#endif // ZENITH_TOOLS_PLAN_PLANOPTIONS_H
