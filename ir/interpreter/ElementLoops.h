// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls a generic function with the C++ type of an element type, and the loops
// over elements that evaluators share.

#ifndef ZENITH_IR_INTERPRETER_ELEMENTLOOPS_H
#define ZENITH_IR_INTERPRETER_ELEMENTLOOPS_H

#include "ir/interpreter/OpEvaluation.h"
#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>

namespace zenith::interpreter {

template <typename T> struct TypeTag {
  using type = T;
};

/// `fn(TypeTag<T>, width)` with the storage type of an integer or boolean.
template <typename Fn> auto visitInteger(mlir::Type element, Fn &&fn) {
  unsigned width = element.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger() || width == 1;
  switch (width) {
  case 64:
    return isUnsigned ? fn(TypeTag<uint64_t>(), width)
                      : fn(TypeTag<int64_t>(), width);
  case 32:
    return isUnsigned ? fn(TypeTag<uint32_t>(), width)
                      : fn(TypeTag<int32_t>(), width);
  case 16:
    return isUnsigned ? fn(TypeTag<uint16_t>(), width)
                      : fn(TypeTag<int16_t>(), width);
  default:
    return isUnsigned ? fn(TypeTag<uint8_t>(), width)
                      : fn(TypeTag<int8_t>(), width);
  }
}

/// The type of integer arithmetic: 64 bits of the same signedness.
template <typename T>
using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;

/// Wraps a 64-bit value to `width` bits.
template <typename T, typename W> T wrapTo(W value, unsigned width) {
  if (width >= 8)
    return T(value);
  if (std::is_signed_v<T>)
    return T(int64_t(uint64_t(value) << (64 - width)) >> (64 - width));
  return T(uint64_t(value) & ((uint64_t(1) << width) - 1));
}

/// Smallest and largest value of an integer type of `width` bits.
template <typename T> T lowestOf(unsigned width) {
  return std::is_signed_v<T> ? T(int64_t(~uint64_t(0) << (width - 1))) : T(0);
}
template <typename T> T highestOf(unsigned width) {
  unsigned bits = std::is_signed_v<T> ? width - 1 : width;
  return T(bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1);
}

/// Larger and smaller value; NaN if either is NaN, +0 above -0.
template <typename T> T maxOf(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a || b != b)
      return a != a ? a : b;
    if (a == b)
      return std::signbit(a) ? b : a;
  }
  return a < b ? b : a;
}
template <typename T> T minOf(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a || b != b)
      return a != a ? a : b;
    if (a == b)
      return std::signbit(a) ? a : b;
  }
  return b < a ? b : a;
}

/// to[i] = fn(a[i])
template <typename To, typename From, typename Fn>
void mapElements(Tensor &result, const Tensor &a, Fn &&fn) {
  To *to = writableElements<To>(result).data();
  const From *from = elementsOf<From>(a).data();
  for (int64_t i = 0, count = result.size(); i < count; ++i)
    to[i] = fn(from[i]);
}
/// to[i] = fn(a[i], b[i])
template <typename To, typename From, typename Fn>
void mapPairs(Tensor &result, const Tensor &a, const Tensor &b, Fn &&fn) {
  To *to = writableElements<To>(result).data();
  const From *x = elementsOf<From>(a).data(), *y = elementsOf<From>(b).data();
  for (int64_t i = 0, count = result.size(); i < count; ++i)
    to[i] = fn(x[i], y[i]);
}

} // namespace zenith::interpreter

#endif // ZENITH_IR_INTERPRETER_ELEMENTLOOPS_H
