// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of quantization that several import rules share.
#ifndef ZENITH_FRONTENDS_ONNX_LAYERS_QUANTIZATIONREADING_H
#define ZENITH_FRONTENDS_ONNX_LAYERS_QUANTIZATIONREADING_H

#include "frontends/onnx/import/NodeReading.h"

namespace zenith::onnx {

/// Rounds to the nearest integer, adds the zero point (or null) and clamps to
/// the range of `element`, an integer of at most 16 bits. Computes in f32,
/// which represents all of these integers.
Value quantized(ImportBuilder &b, Value scaled, Value zeroPoint,
                mlir::IntegerType element);

/// An integer of at most 32 bits minus its zero point (i32, or null), in i32.
Value minusZeroPoint(ImportBuilder &b, Value integer, Value zeroPoint);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_LAYERS_QUANTIZATIONREADING_H
