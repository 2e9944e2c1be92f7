// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scales channels so that their ranges become alike, without changing what the
// program computes.

#ifndef ZENITH_PASSES_QUANTIZE_EQUALIZECHANNELS_H
#define ZENITH_PASSES_QUANTIZE_EQUALIZECHANNELS_H

#include "passes/quantize/Calibrate.h"

namespace zenith::quantize {

/// Divides channels where they are made and multiplies the weights that read
/// them by the same. Two kinds of places:
///
/// - a layer_norm or rms_norm whose readers are all products: channel j by
///   max|X_j|^(1/2) / max|W_j|^(1/2), with geometric mean 1 (SmoothQuant, Xiao
///   et al. 2022), where `statistics` are given;
/// - a product whose result reaches others through biases, relu, pooling and
///   movement alone: channel j by sqrt(range of column j / range of row j)
///   (cross-layer equalisation, Nagel et al. 2019).
///
/// Changes weights and statistics in `products` and `statistics`, and writes
/// new parameters for gains and biases; the weights are the caller's to write.
/// Gives the number of places, or an error of evaluating parameters.
llvm::Expected<int64_t> equalizeChannels(
    mlir::func::FuncOp function, std::vector<WeightedProduct> &products,
    std::vector<ActivationStatistics> &statistics, ParameterValues &parameters);

} // namespace zenith::quantize

#endif // ZENITH_PASSES_QUANTIZE_EQUALIZECHANNELS_H
