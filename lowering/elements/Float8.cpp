// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 8-bit floats: decoding shifts an exponent into position and scales; encoding
// rounds the bits of normal values, and rounds subnormal ones by an addition.

#include "lowering/elements/Float8.h"
#include "lowering/builder/LaneValue.h"
#include <cmath>

using namespace mlir;

namespace zenith::kernels {

namespace {
struct Format {
  enum class Specials { IEEE, NaNOnly, NoNegativeZero };
  int exponentBits, mantissaBits, bias;
  Specials specials;

  static std::optional<Format> of(Type element) {
    if (element.isFloat8E5M2())
      return Format{5, 2, 15, Specials::IEEE};
    if (element.isFloat8E4M3())
      return Format{4, 3, 7, Specials::IEEE};
    if (element.isFloat8E4M3FN())
      return Format{4, 3, 7, Specials::NaNOnly};
    if (element.isFloat8E4M3FNUZ())
      return Format{4, 3, 8, Specials::NoNegativeZero};
    if (element.isFloat8E5M2FNUZ())
      return Format{5, 2, 16, Specials::NoNegativeZero};
    if (element.isFloat8E4M3B11FNUZ())
      return Format{4, 3, 11, Specials::NoNegativeZero};
    return std::nullopt;
  }
  int infinity() const { return ((1 << exponentBits) - 1) << mantissaBits; }
  int nan() const {
    return specials == Specials::IEEE ? infinity() | 1 << (mantissaBits - 1)
           : specials == Specials::NaNOnly ? 0x7f
                                           : 0x80;
  }
  /// The first magnitude that is not finite.
  int top() const { return specials == Specials::IEEE ? infinity() : nan(); }
};
} // namespace

bool isEightBitFloat(Type element) { return Format::of(element).has_value(); }

Value decodeEightBits(KernelBuilder &kernel, Type element, Value stored) {
  Format format = *Format::of(element);
  OpBuilder &b = kernel.b;
  LaneValue all{
      &kernel,
      b.create<arith::ExtUIOp>(
          kernel.loc, typeLike(b.getI32Type(), stored.getType()), stored)};
  LaneValue magnitude = all & 0x7f, sign = (all & 0x80) << 24;
  LaneValue value = floatOf(magnitude << (23 - format.mantissaBits)) *
                    std::ldexp(1.0, 127 - format.bias);
  LaneValue decoded = bits(value);
  LaneValue nan = all.like(0x7fc00000);
  if (format.specials == Format::Specials::NoNegativeZero)
    return floatOf(select(all == 0x80, nan, decoded | sign)).v;
  if (format.specials == Format::Specials::IEEE) {
    decoded =
        select(magnitude == format.infinity(), all.like(0x7f800000), decoded);
    decoded = select(magnitude > format.infinity(), nan, decoded);
  } else {
    decoded = select(magnitude == 0x7f, nan, decoded);
  }
  return floatOf(decoded | sign).v;
}

Value encodeEightBits(KernelBuilder &kernel, Type element, Value x,
                      bool saturate) {
  Format format = *Format::of(element);
  OpBuilder &b = kernel.b;
  LaneValue value{&kernel, x}, all = bits(value);
  LaneValue magnitude = all & 0x7fffffff;
  int drop = 23 - format.mantissaBits;
  // Normal values: round the dropped bits and rebias the exponent.
  LaneValue odd = magnitude.logicalShiftRight(all.like(drop)) & 1;
  LaneValue rounded = (magnitude + odd + double((1 << (drop - 1)) - 1))
                          .logicalShiftRight(all.like(drop));
  LaneValue normal =
      rounded - double((127 - format.bias) << format.mantissaBits);
  // Subnormal values are equally spaced, as f32 of the right magnitude are.
  double smallest = std::ldexp(1.0, 1 - format.bias),
         step = std::ldexp(smallest, 23 - format.mantissaBits);
  LaneValue shifted = bits(floatOf(magnitude) + step);
  LaneValue small = shifted - bits(value.like(step));
  LaneValue code = select(floatOf(magnitude) < smallest, small, normal);
  int past = saturate                                    ? format.top() - 1
             : format.specials == Format::Specials::IEEE ? format.infinity()
                                                         : format.nan();
  code = select(code > double(format.top() - 1), all.like(past), code);
  code = select(value.isNaN(), all.like(format.nan()), code);
  LaneValue sign = all.logicalShiftRight(all.like(24)) & 0x80;
  // 0 and the only NaN have no sign.
  if (format.specials == Format::Specials::NoNegativeZero)
    sign = select(code == 0 || code == 0x80, all.like(0), sign);
  Type byte = typeLike(b.getI8Type(), x.getType());
  return b.create<arith::TruncIOp>(kernel.loc, byte, (code | sign).v);
}

} // namespace zenith::kernels
