// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of padding and windows on dimension expressions.

#include "ir/dims/WindowShapes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace zenith::graph {

DimExpr paddedSize(const DimExpr &size, const DimExpr &low, const DimExpr &high,
                   int64_t interior) {
  // The maximum covers n = 0, where (n - 1) * (interior + 1) + 1 = -interior.
  DimExpr dilated =
      interior == 0 ? size
                    : DimExpr::max((size - DimExpr(1)) *
                                           (DimExpr(interior) + DimExpr(1)) +
                                       DimExpr(1),
                                   0);
  return dilated + low + high;
}

DimExpr windowedSize(const DimExpr &size, const WindowDim &window) {
  return windowedSize(size, window.size, window);
}

DimExpr windowedSize(const DimExpr &size, const DimExpr &taps,
                     const WindowDim &window) {
  DimExpr padded =
      paddedSize(size, window.low, window.high, window.baseDilation - 1);
  // A window of no taps reaches nowhere, whatever its dilation.
  DimExpr reach = DimExpr::max(
      (taps - DimExpr(1)) * DimExpr(window.dilation) + DimExpr(1), 0);
  // A window that doesn't fit makes the quotient at most -1.
  return DimExpr::max(
      DimExpr::floorDiv(padded - reach, window.stride) + DimExpr(1), 0);
}

int64_t paddedSize(int64_t size, int64_t low, int64_t high, int64_t interior) {
  if (mlir::ShapedType::isDynamic(size) || mlir::ShapedType::isDynamic(low) ||
      mlir::ShapedType::isDynamic(high))
    return mlir::ShapedType::kDynamic;
  return paddedSize(DimExpr(size), DimExpr(low), DimExpr(high), interior)
      .constant()
      .value_or(mlir::ShapedType::kDynamic);
}

int64_t windowedSize(int64_t size, const WindowDim &window) {
  if (mlir::ShapedType::isDynamic(size))
    return mlir::ShapedType::kDynamic;
  return windowedSize(DimExpr(size), window)
      .constant()
      .value_or(mlir::ShapedType::kDynamic);
}

} // namespace zenith::graph
