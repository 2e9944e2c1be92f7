// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions of quantized images channel by channel: products of bytes, which
// some processors add four at a time.

#ifndef ZENITH_IR_ENCODINGS_INT8DEPTHWISE_H
#define ZENITH_IR_ENCODINGS_INT8DEPTHWISE_H

#include "ir/GraphOps.h"
#include <optional>

namespace zenith::graph {

/// The convolution's image is (bytes - zeroPoint) and its kernel `weights`,
/// widened to f32, which holds every sum.
struct Int8Depthwise {
  mlir::Value bytes;   ///< ui8
  int64_t zeroPoint;   ///< fits ui8
  mlir::Value weights; ///< i8
};

/// A channels-last convolution of one input and one output per group, along one
/// or two dimensions of space; nullopt for others.
std::optional<Int8Depthwise> matchInt8Depthwise(ConvolutionOp op);

} // namespace zenith::graph

#endif // ZENITH_IR_ENCODINGS_INT8DEPTHWISE_H
