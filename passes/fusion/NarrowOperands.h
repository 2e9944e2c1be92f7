// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands that memory holds in a narrower type than their readers compute in.

#ifndef ZENITH_PASSES_FUSION_NARROWOPERANDS_H
#define ZENITH_PASSES_FUSION_NARROWOPERANDS_H

#include "ir/GraphOps.h"

namespace zenith::fusion {

/// Whether a matmul or convolution reads this operand, its left one, as the
/// int8 values that it was widened from: its weights lie in K-interleaved
/// groups of four, as int8 dot products read them.
bool readsInt8(mlir::OpOperand &use);

/// Whether a matmul, convolution or attention widens this operand in registers:
/// weights and keys, but integers that become floats only where they lie in
/// packed panels.
bool widensInRegisters(mlir::OpOperand &use);

/// The input of a window that is computed from an int8 value.
struct Int8Input {
  mlir::Value source;                            ///< int8
  llvm::SmallVector<mlir::Operation *, 4> steps; ///< from the window up
};

/// The int8 value that a window reads where operand 0 is computed from it by a
/// few steps of one instruction each, none of which has another reader.
std::optional<Int8Input> int8InputOf(mlir::Operation *window);

} // namespace zenith::fusion

#endif // ZENITH_PASSES_FUSION_NARROWOPERANDS_H
