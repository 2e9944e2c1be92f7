// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of floats that MLIR lacks: few enough to list.

#ifndef ZENITH_FRONTENDS_STABLEHLO_DIALECT_NARROWFORMAT_H
#define ZENITH_FRONTENDS_STABLEHLO_DIALECT_NARROWFORMAT_H

#include "mlir/IR/Types.h"

namespace zenith::stablehlo {

/// A float of at most 8 bits: sign, exponent, mantissa.
struct NarrowFormat {
  /// IEEE: the largest exponent holds infinity and NaN. Finite: neither exists,
  /// and what is too large becomes the largest number. Exponent: a power of two
  /// without a sign; all ones are NaN.
  enum class Specials { IEEE, Finite, Exponent };
  llvm::StringRef name;
  unsigned exponentBits, mantissaBits;
  int bias;
  Specials specials;

  static llvm::ArrayRef<NarrowFormat> all();
  /// Null where the type, or the name, is none of them.
  static const NarrowFormat *of(mlir::Type element);
  static const NarrowFormat *named(llvm::StringRef name);

  bool hasSign() const { return specials != Specials::Exponent; }
  unsigned width() const {
    return exponentBits + mantissaBits + (hasSign() ? 1 : 0);
  }
  unsigned signBit() const { return 1u << (exponentBits + mantissaBits); }
  /// What NaN becomes, without the sign of IEEE's.
  unsigned codeOfNaN() const;
  double decode(unsigned code) const;
  /// Nearest, ties to even; powers of two know no even one, and round up.
  unsigned encode(double value) const;
  /// Bits of infinity, or of the largest number where there is none.
  unsigned lastCode() const;

private:
  /// As decode, if all codes were numbers.
  double number(unsigned code) const;
};

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_DIALECT_NARROWFORMAT_H
