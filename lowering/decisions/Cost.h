// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernel of a fusion costs, by its schedule and the model of a
// machine.

#ifndef ZENITH_LOWERING_DECISIONS_COST_H
#define ZENITH_LOWERING_DECISIONS_COST_H

#include "ir/GraphOps.h"
#include "ir/target/TargetModel.h"

namespace zenith::decisions {

/// Roofline: the longer of arithmetic at its peak, times what the schedule's
/// vectors and tiles lose of it, and of memory at its bandwidth; and a launch.
/// Of one core of a processor, or of all units of another device. Dynamic
/// dimensions count 64; of a choice, the last variant.
graph::ScheduleCost costOf(graph::FusionOp fusion, graph::Schedule schedule,
                           graph::DimAnalysis &dims,
                           const target::TargetModel &model);

/// The same where each element that is read takes a cache line of its own:
/// reads across that are not transposed in registers.
double microsecondsByLines(graph::FusionOp fusion, graph::DimAnalysis &dims,
                           const target::TargetModel &model);

/// Bytes that an element of a value takes in memory.
int64_t bytesOfElement(mlir::Value value);

} // namespace zenith::decisions

#endif // ZENITH_LOWERING_DECISIONS_COST_H
