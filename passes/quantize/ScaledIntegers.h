// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that are integers times a scale, and the dimensions of a matmul or
// convolution that meet the scale.

#ifndef ZENITH_PASSES_QUANTIZE_SCALEDINTEGERS_H
#define ZENITH_PASSES_QUANTIZE_SCALEDINTEGERS_H

#include "ir/GraphOps.h"
#include <limits>

namespace zenith::quantize {

/// `integers` as f32 times a scale.
struct ScaledIntegers {
  mlir::Value integers;
  mlir::Value scale; ///< rank 0, or rank 1: one per index of dimension `dim`
  int64_t dim = -1;
  int64_t magnitude = 0; ///< no integer is farther from zero
};

/// The integers of at most 16 bits that `value` scales; nullopt for others.
std::optional<ScaledIntegers> scaledIntegers(mlir::OpBuilder &builder,
                                             mlir::Value value);

/// The dimensions of the weights of a matmul or convolution.
struct WeightDims {
  int64_t k = 1;          ///< terms of a sum
  int64_t weightDim = -1; ///< the dimension of the weights that stays
  int64_t resultDim = -1; ///< the same dimension in the result
  /// Grouped convolutions are summed in f32.
  bool inFloats = false;

  /// The largest sum that is exact.
  int64_t highestSum() const {
    return inFloats ? int64_t(1) << 24 : std::numeric_limits<int32_t>::max();
  }
};

/// Nullopt for batched matmuls and for weights that are dynamic, empty or have
/// several free dimensions.
std::optional<WeightDims> weightDimsOf(mlir::Operation *contraction);

} // namespace zenith::quantize

#endif // ZENITH_PASSES_QUANTIZE_SCALEDINTEGERS_H
