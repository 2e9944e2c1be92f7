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

/// A scale. One for all elements is a constant even where it might be a
/// parameter: passes compute with its value.
Value scaleInput(NodeReading &n, size_t index);

/// Operand `index`, of 8 bits, minus its zero point in i32. A vector of zero
/// points goes along the operand's dimension `axis`.
Value shiftedOperand(NodeReading &n, size_t index, size_t zeroPointIndex,
                     int64_t axis);

/// A scale in f32: a scalar, or a vector along `axis` of a result of `rank`.
Value scaleAlong(NodeReading &n, size_t index, int64_t axis, int64_t rank);

/// x as DynamicQuantizeLinear sees it: its bytes, the scale and the zero point.
struct DynamicQuantization {
  Value bytes, scale, zeroPoint;
};
DynamicQuantization quantizedDynamically(ImportBuilder &b, Value x);

} // namespace zenith::onnx

#endif // ZENITH_FRONTENDS_ONNX_LAYERS_QUANTIZATIONREADING_H
