// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GEMMs whose columns are the gates of an LSTM or GRU cell.

#ifndef ZENITH_LOWERING_SCHEDULE_GATESCHEDULE_H
#define ZENITH_LOWERING_SCHEDULE_GATESCHEDULE_H

#include "ir/GraphOps.h"

namespace zenith::kernels {

/// Slices that divide the result of a GEMM into gates; none where nothing
/// slices the result.
llvm::SmallVector<graph::SliceOp> findGateSlices(mlir::Operation *gemm);

/// Columns of a gate: all slices have them, whole panels of `nr` columns cover
/// them, and they divide `columns`. nullopt where the slices are no gates.
std::optional<int64_t> columnsOfGate(llvm::ArrayRef<graph::SliceOp> slices,
                                     int64_t columns, int64_t nr,
                                     graph::DimAnalysis &dims);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_GATESCHEDULE_H
