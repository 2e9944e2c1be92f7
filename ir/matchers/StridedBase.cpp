// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks through strided views and through heads that share keys (grouped-query
// attention).

#include "ir/matchers/StridedBase.h"
#include "ir/matchers/StridedView.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {

/// True where `reshape` only joins neighbouring dimensions.
static bool joinsDims(ReshapeOp reshape, DimAnalysis &dims) {
  const DimVector &from = dims.dimsOf(reshape.getOperand());
  unsigned next = 0;
  for (const DimExpr &size : dims.dimsOf(reshape.getResult())) {
    DimExpr joined = 1;
    while (joined != size && next < from.size())
      joined = joined * from[next++];
    if (joined != size)
      return false;
  }
  return llvm::all_of(llvm::drop_begin(from, next),
                      [](const DimExpr &size) { return size.isConstant(1); });
}

Value stridedBase(Value operand, DimAnalysis &dims) {
  Value base = viewOf(operand, dims).base;
  auto reshape = base.getDefiningOp<ReshapeOp>();
  if (reshape && reshape.getOperand().getDefiningOp<BroadcastOp>() &&
      joinsDims(reshape, dims))
    return viewOf(reshape.getOperand(), dims).base;
  return base;
}

} // namespace zenith::fusion
