// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of a GEMM loop nest: extent and strides in both operands.

#ifndef ZENITH_LOWERING_SCHEDULE_AXIS_H
#define ZENITH_LOWERING_SCHEDULE_AXIS_H

#include "ir/dims/DimExpr.h"

namespace zenith::kernels {

/// A loop, and the distance in elements between neighbouring iterations in A
/// and in B; 0 where an operand does not depend on the loop.
struct Axis {
  graph::DimExpr size;
  graph::DimExpr strideA, strideB;
};

/// A loop that is divided among tasks first: a batch dimension of the result,
/// or outer digits of its columns.
struct OuterAxis {
  Axis axis;
  int resultDim = -1; ///< batch dimension of the result; -1: of the columns
};

/// Filter taps that read outside of the input: position * stride + tap *
/// dilation - low is not in [0, extent).
struct Clip {
  int64_t stride = 1, dilation = 1, low = 0;
  graph::DimExpr extent;
  /// Index of the outer row axis that gives the position; -1: the row axis.
  int outerRow = -1;
};

/// A loop over filter taps, or another outer loop of the sum over K.
struct TapAxis {
  Axis axis;
  bool clipped = false; ///< some taps read padding: `clip` says which
  Clip clip;
};

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_AXIS_H
