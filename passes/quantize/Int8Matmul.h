// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matmuls and convolutions as int8 dot products (VNNI) compute them.

#ifndef ZENITH_PASSES_QUANTIZE_INT8MATMUL_H
#define ZENITH_PASSES_QUANTIZE_INT8MATMUL_H

#include "ir/GraphOps.h"

namespace zenith::quantize {

/// The dimensions of the weights of a matmul or convolution.
struct MatmulWeights {
  llvm::SmallVector<int64_t> summed; ///< all but the columns
  int64_t column = -1;               ///< the dimension of the columns
  int64_t k = -1;                    ///< the innermost dimension of the sums
  int64_t leftK = -1; ///< the dimension of the left-hand side that meets `k`
  /// Zeros are added around the input feature map or between its positions.
  bool padded = false;
};

/// The weights where they are static parameters of a matmul with one contracted
/// dimension or of a channels-last convolution without groups.
std::optional<MatmulWeights> matmulWeightsOf(mlir::Operation *op);

/// True where an i32 contraction reads widened ui8 and i8 values, with a K that
/// dot products of four divide.
bool isInt8Matmul(mlir::Operation *op);

} // namespace zenith::quantize

#endif // ZENITH_PASSES_QUANTIZE_INT8MATMUL_H
