// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches slices of a GEMM's result with gates of equal width.

#include "lowering/schedule/GateSchedule.h"
#include "ir/matchers/ColumnSlices.h"
#include "lowering/builder/Dependents.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace zenith::kernels {

SmallVector<graph::SliceOp> findGateSlices(Operation *gemm) {
  auto fusion = gemm->getParentOfType<graph::FusionOp>();
  auto dependent = dependents(fusion, gemm);
  SmallVector<graph::SliceOp> slices;
  for (auto slice : fusion.getBody().front().getOps<graph::SliceOp>())
    if (dependent.contains(slice.getOperand()))
      slices.push_back(slice);
  return slices;
}

std::optional<int64_t> columnsOfGate(ArrayRef<graph::SliceOp> slices,
                                     int64_t columns, int64_t nr,
                                     graph::DimAnalysis &dims) {
  graph::SliceOp first = slices.front();
  int64_t own = first.getType().getShape().back();
  auto isGate = [&](graph::SliceOp slice) {
    return slice.getType().getShape().back() == own &&
           graph::isColumnSlice(slice, dims);
  };
  bool fits = own > 0 && columns % own == 0 && own % nr == 0 &&
              llvm::all_of(slices, isGate);
  return fits ? std::optional(own) : std::nullopt;
}

} // namespace zenith::kernels
