// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GEMMs whose columns are the gates of an LSTM or GRU cell.

#ifndef ZENITH_LOWERING_SCHEDULE_GATESCHEDULE_H
#define ZENITH_LOWERING_SCHEDULE_GATESCHEDULE_H

#include "lowering/schedule/ContractionSpace.h"

namespace zenith::kernels {

/// Finds the slices that divide the result of the GEMM into gates and stores
/// them in `space.gateSlices`; none where nothing slices the result.
void findGateSlices(ContractionSpace &space);

/// Sets `space.gates` and `space.gateColumns` from the slices. Fails, with an
/// error at the op, where they are not gates of equal width that whole panels
/// cover.
mlir::LogicalResult findGates(ContractionSpace &space, graph::DimAnalysis &dims,
                              const TargetModel &target);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_GATESCHEDULE_H
