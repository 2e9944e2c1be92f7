// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes exactly and encodes with one rounding, from the bits of a double.

#include "ir/tensor/SmallFloat.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace zenith::interpreter;

std::optional<SmallFloat> SmallFloat::of(Type element) {
  if (element.isF16())
    return SmallFloat{5, 10, 15, Specials::IEEE};
  if (element.isBF16())
    return SmallFloat{8, 7, 127, Specials::IEEE};
  if (element.isFloat8E5M2())
    return SmallFloat{5, 2, 15, Specials::IEEE};
  if (element.isFloat8E4M3())
    return SmallFloat{4, 3, 7, Specials::IEEE};
  if (element.isFloat8E4M3FN())
    return SmallFloat{4, 3, 7, Specials::Finite};
  if (element.isFloat8E4M3FNUZ())
    return SmallFloat{4, 3, 8, Specials::NoNegativeZero};
  if (element.isFloat8E5M2FNUZ())
    return SmallFloat{5, 2, 16, Specials::NoNegativeZero};
  if (element.isFloat8E4M3B11FNUZ())
    return SmallFloat{4, 3, 11, Specials::NoNegativeZero};
  return std::nullopt;
}

uint16_t SmallFloat::infinityBits() const {
  return uint16_t(((1u << exponentBits) - 1) << mantissaBits);
}

uint16_t SmallFloat::nanBits() const {
  if (specials == Specials::IEEE)
    return uint16_t(infinityBits() | 1u << (mantissaBits - 1));
  if (specials == Specials::Finite)
    return uint16_t((1u << (exponentBits + mantissaBits)) - 1);
  return uint16_t(1u << (exponentBits + mantissaBits));
}

double SmallFloat::largest() const {
  unsigned top = specials == Specials::IEEE     ? infinityBits() - 1u
                 : specials == Specials::Finite ? nanBits() - 1u
                                                : nanBits() - 1u;
  return decode(uint16_t(top));
}

double SmallFloat::decode(uint16_t bits) const {
  unsigned signShift = exponentBits + mantissaBits;
  bool negative = bits >> signShift & 1;
  unsigned exponent = bits >> mantissaBits & ((1u << exponentBits) - 1);
  unsigned mantissa = bits & ((1u << mantissaBits) - 1);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (specials == Specials::IEEE && exponent == (1u << exponentBits) - 1) {
    if (mantissa)
      return negative ? -nan : nan;
    double infinity = std::numeric_limits<double>::infinity();
    return negative ? -infinity : infinity;
  }
  if (specials == Specials::Finite && (bits & (nanBits())) == nanBits())
    return negative ? -nan : nan;
  if (specials == Specials::NoNegativeZero && bits == nanBits())
    return nan;
  int power = int(exponent ? exponent : 1) - bias - int(mantissaBits);
  unsigned significand = exponent ? mantissa | 1u << mantissaBits : mantissa;
  // A normal double's power of two: the exponents here are far from its limits.
  uint64_t scaleBits = uint64_t(power + 1023) << 52;
  double scale;
  std::memcpy(&scale, &scaleBits, sizeof(scale));
  double magnitude = double(significand) * scale;
  return negative ? -magnitude : magnitude;
}

uint16_t SmallFloat::encode(double value, bool saturate) const {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  uint16_t sign =
      bits >> 63 ? uint16_t(1u << (exponentBits + mantissaBits)) : uint16_t(0);
  uint64_t magnitude = bits & ~(uint64_t(1) << 63);
  bool noNegative = specials == Specials::NoNegativeZero;
  if (value != value)
    return noNegative ? nanBits() : uint16_t(nanBits() | sign);
  // The smallest exponent of a normal number bounds the spacing from below.
  int exponent = magnitude ? int(magnitude >> 52) - 1023 : 1 - bias;
  int lowest = 1 - bias;
  int spacing = (exponent < lowest ? lowest : exponent) - int(mantissaBits);
  uint64_t significand = 0;
  if (std::isfinite(value) && magnitude >> 52 != 0) {
    uint64_t full = (magnitude & ((uint64_t(1) << 52) - 1)) | uint64_t(1) << 52;
    int drop = spacing - (exponent - 52); // low bits below the spacing
    if (drop > 54)
      drop = 54;
    significand = full >> drop;
    uint64_t rest = full & ((uint64_t(1) << drop) - 1);
    uint64_t half = uint64_t(1) << (drop - 1);
    if (rest > half || (rest == half && (significand & 1)))
      ++significand;
  }
  // A carry into the hidden bit raises the exponent by itself.
  uint64_t code =
      exponent < lowest
          ? significand
          : (uint64_t(exponent - lowest) << mantissaBits) + significand;
  uint64_t top = specials == Specials::IEEE ? infinityBits() : nanBits();
  if (!std::isfinite(value) || code >= top) {
    if (saturate)
      return uint16_t((top - 1) | sign);
    if (specials == Specials::IEEE)
      return uint16_t(infinityBits() | sign);
    return noNegative ? nanBits() : uint16_t(nanBits() | sign);
  }
  if (noNegative && code == 0)
    return 0;
  return uint16_t(code | sign);
}
