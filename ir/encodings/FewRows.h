// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of so few rows that reading codes of weights takes their time.

#ifndef ZENITH_IR_ENCODINGS_FEWROWS_H
#define ZENITH_IR_ENCODINGS_FEWROWS_H

#include "ir/GraphOps.h"
#include "ir/encodings/CodedPanels.h"

namespace zenith::graph {

/// So many rows and fewer widen codes in registers: more would widen them
/// again, tile by tile.
inline constexpr int64_t mostRowsOfCodes = 8;

/// Rows of a matmul's left operand, where they are known.
inline std::optional<int64_t> staticRows(DotGeneralOp dot) {
  auto type = mlir::cast<mlir::RankedTensorType>(dot.getLhs().getType());
  if (!type.hasStaticShape())
    return std::nullopt;
  int64_t rows = type.getNumElements();
  for (int64_t dim : dot.getDims().getLhsContracting())
    rows /= std::max<int64_t>(1, type.getDimSize(dim));
  return rows;
}

/// Whether a matmul's left operand is known to have few rows.
inline bool hasFewRows(DotGeneralOp dot) {
  auto rows = staticRows(dot);
  return rows && *rows <= mostRowsOfCodes;
}

/// Whether codes may be positions in a table of their values: 4 bits of a byte,
/// less an integer.
inline bool areLookedUp(const CodedPanels &codes) {
  return codes.isHalved &&
         !(codes.zeros &&
           mlir::getElementTypeOrSelf(codes.zeros.getType()).isF32());
}

} // namespace zenith::graph

#endif // ZENITH_IR_ENCODINGS_FEWROWS_H
