// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers along a dimension of an array, as a list: nobody has to write them
// down to choose some.

#ifndef ZENITH_IR_COUNTEDLIST_H
#define ZENITH_IR_COUNTEDLIST_H

#include "ir/GraphOps.h"

namespace zenith::graph {

/// The iota whose elements, row-major, the i64 of a list of rank 1 are; null
/// where it is another list.
inline IotaOp countedListOf(mlir::Value list) {
  auto type = mlir::cast<mlir::RankedTensorType>(list.getType());
  if (type.getRank() != 1 || !type.getElementType().isSignlessInteger(64))
    return {};
  while (auto reshape = list.getDefiningOp<ReshapeOp>())
    list = reshape.getOperand();
  return list.getDefiningOp<IotaOp>();
}

} // namespace zenith::graph

#endif // ZENITH_IR_COUNTEDLIST_H
