// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between element types, and between their types in registers and
// in memory.

#ifndef ZENITH_LOWERING_ELEMENTS_ELEMENTCONVERSIONS_H
#define ZENITH_LOWERING_ELEMENTS_ELEMENTCONVERSIONS_H

#include "lowering/builder/KernelBuilder.h"

namespace zenith::kernels {

/// graph.convert: nearest even to floats; truncation, saturation and 0 for NaN
/// from floats to integers; integers wrap.
mlir::Value convertElement(KernelBuilder &kernel, mlir::Value x,
                           mlir::Type from, mlir::Type to);

/// Converts to an 8-bit float; out of range values become the largest finite
/// one.
mlir::Value saturateElement(KernelBuilder &kernel, mlir::Value x,
                            mlir::Type from, mlir::Type to);

/// Rounds an f32 to the narrow float `element` that it represents and wraps
/// i4; other types stay.
mlir::Value roundTo(KernelBuilder &kernel, mlir::Type element, mlir::Value x);

/// From memoryType of an element to registerType, and back with rounding.
mlir::Value toRegister(KernelBuilder &kernel, mlir::Type element,
                       mlir::Value x);
mlir::Value toMemory(KernelBuilder &kernel, mlir::Type element, mlir::Value x);

/// Bytes of the widest element of the region, in registers.
unsigned widestBytes(graph::FusionOp fusion);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_ELEMENTS_ELEMENTCONVERSIONS_H
