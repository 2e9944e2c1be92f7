// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a program whose products read integers, or floats of 8 bits, times
// scales.

#ifndef ZENITH_PASSES_QUANTIZE_QUANTIZEPRODUCTS_H
#define ZENITH_PASSES_QUANTIZE_QUANTIZEPRODUCTS_H

#include "passes/quantize/Calibrate.h"

namespace zenith::quantize {

struct QuantizationRequest {
  QuantizationScheme scheme;
  LoadParam loadParam;
  RunSamples runSamples; ///< none: there are no samples
  /// True for ops that stay f32.
  std::function<bool(mlir::Operation *)> keeps;
  bool explain = false; ///< a remark for each product
  /// Scales that are computed at run time are those of each row, and results do
  /// not depend on other rows. DynamicQuantizeLinear cannot say that.
  bool scalesRows = false;
};

/// Quantizes the products of `function` that have weights: what they read, not
/// what they return. Batch norms are folded into weights first, and channels
/// equalised where the scheme says so. Gives the names of the products that
/// were quantized. The operators are calls of functions with `graph.operator`,
/// which compilers inline.
llvm::Expected<std::vector<std::string>>
quantizeProducts(mlir::func::FuncOp function,
                 const QuantizationRequest &request);

} // namespace zenith::quantize

#endif // ZENITH_PASSES_QUANTIZE_QUANTIZEPRODUCTS_H
