// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the start of a slice with multiples of its width.

#include "ir/matchers/ColumnSlices.h"

using namespace mlir;

namespace zenith::graph {

bool isColumnSlice(SliceOp slice, DimAnalysis &dims) {
  auto from = cast<RankedTensorType>(slice.getOperand().getType()).getShape(),
       to = cast<RankedTensorType>(slice.getResult().getType()).getShape();
  return slice.getStarts().empty() && to.size() == 2 && from[1] > 0 &&
         to[1] > 0 && slice.getStaticStarts()[0] == 0 &&
         dims.dimOf(slice.getResult(), 0) ==
             dims.dimOf(slice.getOperand(), 0) &&
         from[1] % to[1] == 0 && slice.getStaticStarts()[1] % to[1] == 0 &&
         llvm::all_of(slice.getStrides(),
                      [](int64_t stride) { return stride == 1; });
}

} // namespace zenith::graph
