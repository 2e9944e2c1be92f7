// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The integers, or floats of 8 bits, that stand for weights.

#ifndef ZENITH_PASSES_QUANTIZE_WEIGHTCODES_H
#define ZENITH_PASSES_QUANTIZE_WEIGHTCODES_H

#include "passes/quantize/Calibrate.h"

namespace zenith::quantize {

/// Codes in the shape of the weights, times a scale for each output, or one for
/// all.
struct ChannelCodes {
  Tensor codes, scales;
};
/// i8: s = max|w| / 127, rounded to the nearest, ties to even.
ChannelCodes byteCodes(WeightedProduct &product,
                       const QuantizationScheme &scheme);
/// f8E4M3FN: s = max|w| / 448.
ChannelCodes floatCodes(WeightedProduct &product);

/// Codes of a matmul's weights: value = (code - zero) * scale, where each block
/// of K has a scale and a zero point.
struct BlockCodes {
  int64_t n = 0, k = 0, block = 0;
  unsigned bits = 0;
  std::vector<uint8_t> codes; ///< [n, k]
  std::vector<float> scales;  ///< [n, blocks]
  std::vector<uint8_t> zeros; ///< [n, blocks]

  int64_t blocks() const { return (k + block - 1) / block; }
  /// [n, blocks, block * bits / 8], lowest bits first.
  Tensor packedCodes(mlir::MLIRContext *context) const;
  /// [n, ceil(blocks * bits / 8)]
  Tensor packedZeros(mlir::MLIRContext *context) const;
  Tensor scaleTensor(mlir::MLIRContext *context) const;
  /// Elements of [n, columns] as a matrix [columns, n] of `element`.
  static Tensor turned(llvm::ArrayRef<uint8_t> elements, int64_t n,
                       mlir::Type element);
  static Tensor turned(llvm::ArrayRef<float> elements, int64_t n,
                       mlir::Type element);
};

/// Ranges are searched for the least squared error, where statistics are given
/// that of the product's result; with sums of products of channels, codes are
/// chosen one after another and each rounding is made up for by those that
/// follow (GPTQ, Frantar et al. 2022). Without zero points (`scheme`) these are
/// in the middle.
BlockCodes blockCodes(WeightedProduct &product,
                      const QuantizationScheme &scheme,
                      const ActivationStatistics *statistics);

} // namespace zenith::quantize

#endif // ZENITH_PASSES_QUANTIZE_WEIGHTCODES_H
