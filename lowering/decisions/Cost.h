// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernel of a fusion costs, by the model of a machine.

#ifndef ZENITH_LOWERING_DECISIONS_COST_H
#define ZENITH_LOWERING_DECISIONS_COST_H

#include "ir/GraphOps.h"
#include "ir/target/TargetModel.h"

namespace zenith::decisions {

/// Roofline: the longer of arithmetic at the peak of all units and of memory at
/// its bandwidth, and a launch. Dynamic dimensions count 64.
graph::ScheduleCost costOf(graph::FusionOp fusion, graph::DimAnalysis &dims,
                           const target::TargetModel &model);

} // namespace zenith::decisions

#endif // ZENITH_LOWERING_DECISIONS_COST_H
