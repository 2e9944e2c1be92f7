// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats of eight bits by integer arithmetic on f32, which computes for them.

#ifndef ZENITH_LOWERING_ELEMENTS_FLOAT8_H
#define ZENITH_LOWERING_ELEMENTS_FLOAT8_H

#include "lowering/builder/KernelBuilder.h"

namespace zenith::kernels {

bool isEightBitFloat(mlir::Type element);
/// The f32 of bits (i8, scalar or lanes); exact.
mlir::Value decodeEightBits(KernelBuilder &kernel, mlir::Type element,
                            mlir::Value bits);
/// The bits of the nearest value, ties to even. Out of range values become
/// infinity, or NaN in types without infinity; with `saturate` the largest
/// finite value.
mlir::Value encodeEightBits(KernelBuilder &kernel, mlir::Type element,
                            mlir::Value x, bool saturate = false);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_ELEMENTS_FLOAT8_H
