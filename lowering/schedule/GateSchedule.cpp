// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches slices of a GEMM's result with gates of equal width.

#include "lowering/schedule/GateSchedule.h"
#include "ir/matchers/ColumnSlices.h"
#include "lowering/schedule/EpilogueForm.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace zenith::kernels {

void findGateSlices(ContractionSpace &space) {
  auto fusion = space.op->getParentOfType<graph::FusionOp>();
  auto dependent = dependents(fusion, space.op);
  for (auto slice : fusion.getBody().front().getOps<graph::SliceOp>())
    if (dependent.contains(slice.getOperand()))
      space.gateSlices.push_back(slice);
}

LogicalResult findGates(ContractionSpace &space, graph::DimAnalysis &dims,
                        const TargetModel &target) {
  if (space.gateSlices.empty())
    return success();
  int64_t width = nrOf(space.sum, target),
          columns = cast<RankedTensorType>(space.gateSlices[0].getType())
                        .getShape()
                        .back();
  auto all = space.columns.size.constant();
  auto isGate = [&](graph::SliceOp slice) {
    return slice.getType().getShape().back() == columns &&
           graph::isColumnSlice(slice, dims);
  };
  bool fits = space.form != ContractionSpace::Copied &&
              space.form != ContractionSpace::TiledDots &&
              space.outer.empty() && all && columns > 0 &&
              *all % columns == 0 && columns % width == 0 &&
              llvm::all_of(space.gateSlices, isGate);
  if (!fits)
    return space.op->emitError(
        "unsupported: slices of a matmul that are not gates of equal width");
  space.gateColumns = columns;
  space.gates = unsigned(*all / columns);
  return success();
}

} // namespace zenith::kernels
