// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions channel by channel whose products some processors add several
// at a time: of bytes, of which there are four, and of pairs of bf16.

#ifndef ZENITH_IR_ENCODINGS_DEPTHWISEDOTS_H
#define ZENITH_IR_ENCODINGS_DEPTHWISEDOTS_H

#include "ir/GraphOps.h"
#include <optional>

namespace zenith::graph {

/// The convolution's image is (input - zeroPoint) and its kernel `weights`,
/// widened to f32.
struct DepthwiseDots {
  mlir::Value input;     ///< ui8, or bf16
  int64_t zeroPoint = 0; ///< fits ui8; 0 for bf16
  mlir::Value weights;   ///< i8, or bf16
  int64_t group = 4;     ///< products that one instruction adds to a sum
};

/// A channels-last convolution of one input and one output per group, along one
/// or two dimensions of space; nullopt for others. f32 holds every sum of
/// bytes.
std::optional<DepthwiseDots> matchInt8Depthwise(ConvolutionOp op);
/// The same of bytes or of bf16.
std::optional<DepthwiseDots> matchDepthwiseDots(ConvolutionOp op);

} // namespace zenith::graph

#endif // ZENITH_IR_ENCODINGS_DEPTHWISEDOTS_H
