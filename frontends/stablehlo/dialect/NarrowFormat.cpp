// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Codes without a sign ascend with their values, so that rounding is a search
// among the middles of two of them.

#include "frontends/stablehlo/dialect/NarrowFormat.h"
#include "frontends/stablehlo/dialect/StableHLODialect.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace zenith::stablehlo;

using Specials = NarrowFormat::Specials;

llvm::ArrayRef<NarrowFormat> NarrowFormat::all() {
  static constexpr NarrowFormat formats[] = {
      {"f8E3M4", 3, 4, 3, Specials::IEEE},
      {"f8E8M0FNU", 8, 0, 127, Specials::Exponent},
      {"f6E2M3FN", 2, 3, 1, Specials::Finite},
      {"f6E3M2FN", 3, 2, 3, Specials::Finite},
      {"f4E2M1FN", 2, 1, 1, Specials::Finite}};
  return formats;
}

const NarrowFormat *NarrowFormat::named(llvm::StringRef name) {
  const auto *found = llvm::find_if(
      all(), [&](const NarrowFormat &format) { return format.name == name; });
  return found == all().end() ? nullptr : found;
}

const NarrowFormat *NarrowFormat::of(Type element) {
  auto narrow = dyn_cast<NarrowFloatType>(element);
  return narrow ? named(narrow.getName()) : nullptr;
}

LogicalResult
NarrowFloatType::verify(function_ref<InFlightDiagnostic()> emitError,
                        StringRef name) {
  if (NarrowFormat::named(name))
    return success();
  return emitError() << "unknown float '" << name << "'";
}

unsigned NarrowFormat::codeOfNaN() const {
  if (specials == Specials::IEEE)
    return lastCode() | 1u << (mantissaBits - 1);
  return specials == Specials::Finite ? signBit() : signBit() - 1;
}

double NarrowFormat::number(unsigned code) const {
  int exponent = int(code >> mantissaBits);
  unsigned fraction = code & ((1u << mantissaBits) - 1);
  if (specials == Specials::Exponent)
    return std::ldexp(1.0, exponent - bias);
  if (exponent > 0)
    fraction |= 1u << mantissaBits;
  return std::ldexp(fraction, std::max(exponent, 1) - bias - int(mantissaBits));
}

double NarrowFormat::decode(unsigned code) const {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (specials == Specials::Exponent)
    return code == codeOfNaN() ? nan : number(code);
  unsigned magnitude = code & (signBit() - 1);
  double value = number(magnitude);
  if (specials == Specials::IEEE && magnitude >= lastCode())
    value =
        magnitude > lastCode() ? nan : std::numeric_limits<double>::infinity();
  return std::copysign(value, code & signBit() ? -1.0 : 1.0);
}

unsigned NarrowFormat::lastCode() const {
  if (specials == Specials::IEEE)
    return ((1u << exponentBits) - 1) << mantissaBits;
  return signBit() - 1;
}

unsigned NarrowFormat::encode(double value) const {
  if (specials == Specials::Exponent && !(value > 0))
    return codeOfNaN();
  unsigned sign = hasSign() && std::signbit(value) ? signBit() : 0;
  if (std::isnan(value))
    return codeOfNaN() | sign;
  double magnitude = std::fabs(value);
  unsigned code = 0;
  for (; code < lastCode(); ++code) {
    double middle = (number(code) + number(code + 1)) / 2;
    bool takesMiddle = code % 2 == 1 || specials == Specials::Exponent;
    if (takesMiddle ? magnitude < middle : magnitude <= middle)
      break;
  }
  return code | sign;
}
