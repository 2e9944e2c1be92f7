// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between element types, in registers.

#ifndef ZENITH_LOWERING_ELEMENTS_ELEMENTCONVERSIONS_H
#define ZENITH_LOWERING_ELEMENTS_ELEMENTCONVERSIONS_H

#include "lowering/elements/ElementEmitter.h"

namespace zenith::kernels {

/// graph.convert: nearest even to floats; truncation, saturation and 0 for NaN
/// from floats to integers; integers wrap.
mlir::Value convertElement(ElementEmitter &emitter, mlir::Value x,
                           mlir::Type from, mlir::Type to);

/// Converts to an 8-bit float; out of range values become the largest finite
/// one.
mlir::Value saturateElement(ElementEmitter &emitter, mlir::Value x,
                            mlir::Type from, mlir::Type to);

/// Bytes of the widest element of the region, in registers.
unsigned widestBytes(graph::FusionOp fusion);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_ELEMENTS_ELEMENTCONVERSIONS_H
