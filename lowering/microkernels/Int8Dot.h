// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of bytes that processors add four at a time.

#ifndef ZENITH_LOWERING_MICROKERNELS_INT8DOT_H
#define ZENITH_LOWERING_MICROKERNELS_INT8DOT_H

#include "mlir/IR/Builders.h"

namespace zenith::kernels {

/// sum[i] + products of the bytes 4i to 4i+3 of x, without signs, and of y;
/// `vnni`: in one instruction.
mlir::Value addInt8Dot(mlir::OpBuilder &b, mlir::Location loc, mlir::Value sum,
                       mlir::Value x, mlir::Value y, bool vnni);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_MICROKERNELS_INT8DOT_H
