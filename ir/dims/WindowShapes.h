// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of padded, dilated and windowed dimensions, used alike by verifier,
// shape rules, interpreter and lowering.

#ifndef ZENITH_IR_DIMS_WINDOWSHAPES_H
#define ZENITH_IR_DIMS_WINDOWSHAPES_H

#include "ir/dims/DimExpr.h"

namespace zenith::graph {

/// One dimension of a window that moves over a padded and dilated base.
struct WindowDim {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t low = 0;
  int64_t high = 0;
  int64_t baseDilation = 1;
  int64_t dilation = 1;
};

/// low + (n - 1) * (interior + 1) + 1 + high, or low + high where n = 0.
/// Negative where padding removes too much.
DimExpr paddedSize(const DimExpr &size, const DimExpr &low, const DimExpr &high,
                   int64_t interior);
/// Positions that the window takes: floor((padded - reach) / stride) + 1, 0
/// where it never fits.
DimExpr windowedSize(const DimExpr &size, const WindowDim &window);
/// The same for a window of `taps` instead of its own size.
DimExpr windowedSize(const DimExpr &size, const DimExpr &taps,
                     const WindowDim &window);
/// The same on numbers; ShapedType::kDynamic gives itself.
int64_t paddedSize(int64_t size, int64_t low, int64_t high, int64_t interior);
int64_t windowedSize(int64_t size, const WindowDim &window);

} // namespace zenith::graph

#endif // ZENITH_IR_DIMS_WINDOWSHAPES_H
