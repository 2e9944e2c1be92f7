// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What zenith-plan does.

#ifndef ZENITH_TOOLS_PLAN_PLANCOMMANDS_H
#define ZENITH_TOOLS_PLAN_PLANCOMMANDS_H

#include "tools/plan/PlanOptions.h"

namespace zenith::models {
class Diagnostics;
}

namespace zenith::tools {

/// The exit code: 5 where no plan or layout fits, with {"lower_bound",
/// "least_found"} on standard error.
int runPlanCommand(const PlanOptions &options,
                   models::Diagnostics &diagnostics);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_PLAN_PLANCOMMANDS_H
