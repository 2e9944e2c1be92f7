// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop that lanes run along, the lanes of a value, and the cost of an
// element.

#ifndef ZENITH_LOWERING_SCHEDULE_LANECHOICE_H
#define ZENITH_LOWERING_SCHEDULE_LANECHOICE_H

#include "lowering/builder/IterationSpace.h"
#include "lowering/builder/KernelPlan.h"

namespace zenith::kernels {

/// Lanes of a value: two native vectors of the widest element type that the
/// region computes with, more for byte-sized ones.
unsigned valueWidth(graph::FusionOp fusion, const TargetModel &target);
/// Estimate of flops per element of the region (transcendental functions count
/// as 20).
double costPerElement(graph::FusionOp fusion);

/// The loop that lanes run along: most contiguous accesses, written ones first;
/// ties go to the innermost.
std::optional<unsigned> chooseLaneLoop(const IterationSpace &space,
                                       llvm::ArrayRef<unsigned> candidates);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_LANECHOICE_H
