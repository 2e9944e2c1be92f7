// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a graph.dim for each dynamic dimension.

#include "ir/matchers/DynamicDims.h"
#include "ir/GraphOps.h"
#include "ir/matchers/TypeOf.h"

using namespace mlir;

namespace zenith::graph {

SmallVector<Value> dynamicDimsOf(OpBuilder &builder, Location loc,
                                 Value value) {
  SmallVector<Value> dims;
  for (int64_t d = 0; d < typeOf(value).getRank(); ++d)
    if (typeOf(value).isDynamicDim(d))
      dims.push_back(builder.create<DimOp>(loc, value, d));
  return dims;
}

} // namespace zenith::graph
