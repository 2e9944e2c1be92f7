// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The value in memory that a contraction reads an operand from.

#ifndef ZENITH_IR_MATCHERS_STRIDEDBASE_H
#define ZENITH_IR_MATCHERS_STRIDEDBASE_H

#include "ir/GraphOps.h"

namespace zenith::fusion {

/// The value that a contraction reads `operand` from through strides. A
/// dimension of the operand may be several joined ones, each with a stride of
/// its own, as where groups of heads share keys.
mlir::Value stridedBase(mlir::Value operand, graph::DimAnalysis &dims);

} // namespace zenith::fusion

#endif // ZENITH_IR_MATCHERS_STRIDEDBASE_H
