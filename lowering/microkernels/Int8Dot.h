// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dot products of four bytes (VNNI).

#ifndef ZENITH_LOWERING_MICROKERNELS_INT8DOT_H
#define ZENITH_LOWERING_MICROKERNELS_INT8DOT_H

#include "mlir/IR/Builders.h"

namespace zenith::kernels {

/// sum[i] + the dot product of bytes 4i to 4i+3 of `x` and `y`: vectors of 4n
/// bytes, unsigned and signed, for a `sum` of n i32. `vnni`: in one
/// instruction.
mlir::Value addInt8Dot(mlir::OpBuilder &b, mlir::Location loc, mlir::Value sum,
                       mlir::Value x, mlir::Value y, bool vnni);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_MICROKERNELS_INT8DOT_H
