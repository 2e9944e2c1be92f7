// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bits of the float types that C++ lacks: f16, bf16 and the f8 kinds.

#ifndef ZENITH_IR_TENSOR_SMALLFLOAT_H
#define ZENITH_IR_TENSOR_SMALLFLOAT_H

#include "mlir/IR/BuiltinTypes.h"
#include <cstdint>
#include <optional>

namespace zenith::interpreter {

/// A binary float of at most 16 bits: sign, exponent, mantissa.
struct SmallFloat {
  /// IEEE: the largest exponent holds infinity and NaN. Finite: all ones is NaN
  /// and there is no infinity. NoNegativeZero: the bits of -0 are NaN.
  enum class Specials { IEEE, Finite, NoNegativeZero };
  unsigned exponentBits, mantissaBits;
  int bias;
  Specials specials;

  static std::optional<SmallFloat> of(mlir::Type element);
  unsigned width() const { return 1 + exponentBits + mantissaBits; }

  double decode(uint16_t bits) const;
  /// Nearest, ties to even. Values out of range become infinity, or NaN where
  /// there is none; with `saturate` the largest finite value.
  uint16_t encode(double value, bool saturate = false) const;
  double largest() const;

private:
  uint16_t infinityBits() const;
  uint16_t nanBits() const;
};

} // namespace zenith::interpreter

#endif // ZENITH_IR_TENSOR_SMALLFLOAT_H
