// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What else a kernel could do, and why it does not.

#ifndef ZENITH_LOWERING_DECISIONS_RUNNERSUP_H
#define ZENITH_LOWERING_DECISIONS_RUNNERSUP_H

#include "ir/GraphOps.h"
#include "ir/target/TargetModel.h"
#include <string>
#include <vector>

namespace zenith::decisions {

/// A schedule that was not chosen.
struct RunnerUp {
  graph::Schedule schedule; ///< keys that it leaves out are decided
  std::string why;
  double microseconds = 0; ///< by the model, as of the chosen one
};

/// The schedules nearest to the chosen one, the least estimate first: narrower
/// vectors and tiles, another form of the same kind. Empty for routines and
/// groups.
std::vector<RunnerUp> runnersUp(graph::FusionOp fusion,
                                graph::Schedule schedule,
                                graph::DimAnalysis &dims,
                                const target::TargetModel &model);

} // namespace zenith::decisions

#endif // ZENITH_LOWERING_DECISIONS_RUNNERSUP_H
