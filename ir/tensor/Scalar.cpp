// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and conversions of single elements.

#include "ir/tensor/Scalar.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;

Scalar Scalar::ofSigned(int64_t value) { return {Kind::Signed, value, 0, 0}; }
Scalar Scalar::ofUnsigned(uint64_t value) {
  return {Kind::Unsigned, int64_t(value), 0, 0};
}
Scalar Scalar::ofFloat(double value) { return {Kind::Float, 0, value, 0}; }
Scalar Scalar::ofComplex(double real, double imag) {
  return {Kind::Complex, 0, real, imag};
}

bool Scalar::isNonZero() const {
  return isInteger() ? integer != 0 : real != 0 || imag != 0;
}

double Scalar::asDouble() const {
  if (kind == Kind::Signed)
    return double(integer);
  return kind == Kind::Unsigned ? double(uint64_t(integer)) : real;
}

int64_t Scalar::asInt64() const {
  if (kind == Kind::Signed)
    return integer;
  if (kind == Kind::Unsigned)
    return integer < 0 ? std::numeric_limits<int64_t>::max() : integer;
  if (std::isnan(real))
    return 0;
  if (real >= 0x1p63)
    return std::numeric_limits<int64_t>::max();
  return real < -0x1p63 ? std::numeric_limits<int64_t>::min() : int64_t(real);
}

bool Scalar::sameValue(const Scalar &other) const {
  auto same = [](double a, double b) { return a == b || (a != a && b != b); };
  if (isInteger() && other.isInteger())
    return integer == other.integer;
  return same(asDouble(), other.asDouble()) && same(imag, other.imag);
}

std::string Scalar::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (kind == Kind::Signed)
    os << integer;
  else if (kind == Kind::Unsigned)
    os << uint64_t(integer);
  else if (kind == Kind::Float)
    os << llvm::format("%.9g", real);
  else
    os << llvm::format("(%.9g, %.9g)", real, imag);
  return text;
}

ElementAccess::ElementAccess(Type element) : size(elementBytes(element)) {
  if (auto complex = dyn_cast<ComplexType>(element)) {
    code = complex.getElementType().isF32() ? Code::C64 : Code::C128;
    return;
  }
  width = element.getIntOrFloatBitWidth();
  if (auto format = SmallFloat::of(element)) {
    code = Code::Small;
    small = *format;
  } else if (isa<FloatType>(element)) {
    code = width == 32 ? Code::F32 : Code::F64;
  } else if (width == 1) {
    code = Code::Bool;
  } else {
    code = element.isUnsignedInteger() ? Code::Unsigned : Code::Signed;
  }
}

template <typename T> static T loadAs(const char *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

Scalar ElementAccess::load(const char *from) const {
  switch (code) {
  case Code::Bool:
    return Scalar::ofUnsigned(*from != 0);
  case Code::F32:
    return Scalar::ofFloat(loadAs<float>(from));
  case Code::F64:
    return Scalar::ofFloat(loadAs<double>(from));
  case Code::Small:
    return Scalar::ofFloat(small.decode(size == 1 ? uint16_t(uint8_t(*from))
                                                  : loadAs<uint16_t>(from)));
  case Code::C64:
    return Scalar::ofComplex(loadAs<float>(from), loadAs<float>(from + 4));
  case Code::C128:
    return Scalar::ofComplex(loadAs<double>(from), loadAs<double>(from + 8));
  case Code::Signed:
  case Code::Unsigned:
    break;
  }
  uint64_t bits = 0;
  std::memcpy(&bits, from, size);
  if (code == Code::Unsigned)
    return Scalar::ofUnsigned(
        width == 64 ? bits : bits & ((uint64_t(1) << width) - 1));
  return Scalar::ofSigned(int64_t(bits << (64 - width)) >> (64 - width));
}

// An integer of 64 bits as a double whose later rounding to a smaller float is
// right: inexact conversions round to odd, so no tie arises that was not there.
static double roundedToOdd(const Scalar &value) {
  bool negative = value.kind == Scalar::Kind::Signed && value.integer < 0;
  uint64_t magnitude =
      negative ? 0 - uint64_t(value.integer) : uint64_t(value.integer);
  unsigned used = magnitude ? 64 - unsigned(__builtin_clzll(magnitude)) : 0;
  if (used > 53) {
    uint64_t low = (uint64_t(1) << (used - 53)) - 1;
    bool inexact = (magnitude & low) != 0;
    magnitude &= ~low;
    if (inexact)
      magnitude |= low + 1;
  }
  return negative ? -double(magnitude) : double(magnitude);
}

// The bits of an integer element of this type.
int64_t ElementAccess::integerFor(const Scalar &value) const {
  if (value.isInteger())
    return value.integer;
  double x = std::trunc(value.real);
  if (std::isnan(x))
    return 0;
  bool isSigned = code == Code::Signed;
  double limit = std::ldexp(1.0, int(isSigned ? width - 1 : width));
  uint64_t top = isSigned      ? (uint64_t(1) << (width - 1)) - 1
                 : width == 64 ? ~uint64_t(0)
                               : (uint64_t(1) << width) - 1;
  if (x >= limit)
    return int64_t(top);
  if (isSigned)
    return x < -limit ? -int64_t(top) - 1 : int64_t(x);
  return x <= 0 ? 0 : int64_t(uint64_t(x));
}

void ElementAccess::storeInteger(char *to, int64_t bits) const {
  if (width < 8)
    bits = code == Code::Signed
               ? int64_t(uint64_t(bits) << (64 - width)) >> (64 - width)
               : bits & int64_t((uint64_t(1) << width) - 1);
  std::memcpy(to, &bits, size);
}

void ElementAccess::store(char *to, const Scalar &value, bool saturate) const {
  auto put = [&](auto part) { std::memcpy(to, &part, sizeof(part)); };
  bool isInteger = value.isInteger();
  switch (code) {
  case Code::Bool:
    *to = value.isNonZero();
    return;
  case Code::Signed:
  case Code::Unsigned:
    return storeInteger(to, integerFor(value));
  case Code::F32:
  case Code::C64:
    put(isInteger ? float(roundedToOdd(value)) : float(value.real));
    to += 4;
    if (code == Code::C64)
      put(float(value.imag));
    return;
  case Code::F64:
  case Code::C128:
    put(value.asDouble());
    to += 8;
    if (code == Code::C128)
      put(value.imag);
    return;
  case Code::Small: {
    uint16_t bits =
        small.encode(isInteger ? roundedToOdd(value) : value.real, saturate);
    std::memcpy(to, &bits, size);
    return;
  }
  }
}

Scalar zenith::interpreter::elementAt(const Tensor &tensor, int64_t index) {
  ElementAccess access(tensor.elementType());
  return access.load(tensor.bytes() + index * int64_t(access.bytes()));
}
