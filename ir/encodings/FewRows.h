// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of so few rows that reading codes of weights takes their time.

#ifndef ZENITH_IR_ENCODINGS_FEWROWS_H
#define ZENITH_IR_ENCODINGS_FEWROWS_H

#include "ir/GraphOps.h"

namespace zenith::graph {

/// So many rows and fewer widen codes in registers: more would widen them
/// again, tile by tile.
inline constexpr int64_t mostRowsOfCodes = 8;

/// Whether the left operand of a matmul is known to have no more of them.
inline bool hasFewRows(DotGeneralOp dot) {
  auto type = mlir::cast<mlir::RankedTensorType>(dot.getLhs().getType());
  if (!type.hasStaticShape())
    return false;
  int64_t rows = type.getNumElements();
  for (int64_t dim : dot.getDims().getLhsContracting())
    rows /= std::max<int64_t>(1, type.getDimSize(dim));
  return rows <= mostRowsOfCodes;
}

} // namespace zenith::graph

#endif // ZENITH_IR_ENCODINGS_FEWROWS_H
