// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What zenith-run does: load, compile, run, then write, compare and measure.

#ifndef ZENITH_TOOLS_RUN_RUNMODEL_H
#define ZENITH_TOOLS_RUN_RUNMODEL_H

namespace zenith::models {
class Diagnostics;
}

namespace zenith::tools {

using models::Diagnostics;
struct RunOptions;

/// The exit code; errors have been printed.
int runModel(const RunOptions &options, Diagnostics &diagnostics);

} // namespace zenith::tools

#endif // ZENITH_TOOLS_RUN_RUNMODEL_H
