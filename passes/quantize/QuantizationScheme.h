// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What --quantize asks for: SCHEME[:key=value,...].

#ifndef ZENITH_PASSES_QUANTIZE_QUANTIZATIONSCHEME_H
#define ZENITH_PASSES_QUANTIZE_QUANTIZATIONSCHEME_H

#include "ir/Error.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <tuple>

namespace zenith::quantize {

struct QuantizationScheme {
  enum class Kind { Int8, Int8Dynamic, Int8Weights, Int4Weights, F8Weights };
  /// How the range of an activation follows from its samples.
  enum class Range { MinMax, Percentile, Entropy, MeanSquare };

  Kind kind = Kind::Int8;
  std::string name;               ///< of the kind
  bool signedActivations = false; ///< s8 instead of u8
  bool symmetric = false;         ///< the zero point is the middle
  bool perChannel = true;         ///< a scale for each output channel
  bool reduceRange = false;       ///< weights of 7 bits
  Range range = Range::MinMax;
  double percentile = 99.99; ///< share of the samples inside of the range, in %
  int64_t block = 32;        ///< codes of K that share a scale
  bool zeroPoints = true;    ///< of blocks
  bool equalize = true;
  bool asQDQ = false; ///< DequantizeLinear instead of MatMulNBits

  /// Weights have a scale per block of K, activations stay f32.
  bool isBlockwise() const {
    return kind == Kind::Int8Weights || kind == Kind::Int4Weights;
  }
  unsigned blockBits() const { return kind == Kind::Int4Weights ? 4 : 8; }
  /// What can be said with a key.
  auto choices() const {
    return std::tie(signedActivations, symmetric, perChannel, reduceRange,
                    range, percentile, block, zeroPoints, equalize, asQDQ);
  }
};

/// Errors of code Usage name what is not known and what is; a key that asks for
/// more than there is is Unsupported.
Result<QuantizationScheme> parseScheme(llvm::StringRef text);

} // namespace zenith::quantize

#endif // ZENITH_PASSES_QUANTIZE_QUANTIZATIONSCHEME_H
