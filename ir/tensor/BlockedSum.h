// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rounding of long sums and products: in the element type within a block of
// terms, in a wider type across blocks.

#ifndef ZENITH_IR_TENSOR_BLOCKEDSUM_H
#define ZENITH_IR_TENSOR_BLOCKEDSUM_H

#include <complex>
#include <cstdint>
#include <functional>
#include <type_traits>

namespace zenith::interpreter {

/// The accumulator type across blocks of T. Integers wrap, so 64 unsigned bits
/// serve all of them.
template <typename T> struct SumOf {
  using type = uint64_t;
};
template <> struct SumOf<float> {
  using type = double;
};
template <> struct SumOf<double> {
  using type = long double;
};
template <typename T> struct SumOf<std::complex<T>> {
  using type = std::complex<typename SumOf<T>::type>;
};
template <typename T> using WideSum = typename SumOf<T>::type;

/// The accumulator type within a block.
template <typename T>
using Term = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;

/// Terms of a block. A sum of at most this many has the bits of a program that
/// adds one term at a time; a longer sum is within blockTerms roundings of the
/// exact one, as f32's bound of 1e-6 asks.
constexpr int64_t blockTerms = 16;

/// The reduction of the terms so far by `Join` (std::plus<> or
/// std::multiplies<>) with the neutral element `neutral`.
template <typename T, typename Join, int neutral> class BlockedReduce {
public:
  void add(T value) {
    block = Join()(block, Term<T>(value));
    if (++count < blockTerms)
      return;
    total = Join()(total, WideSum<T>(block));
    block = Term<T>(neutral);
    count = 0;
  }
  WideSum<T> value() const { return Join()(total, WideSum<T>(block)); }

private:
  WideSum<T> total = WideSum<T>(neutral);
  Term<T> block = Term<T>(neutral);
  int64_t count = 0;
};

} // namespace zenith::interpreter

#endif // ZENITH_IR_TENSOR_BLOCKEDSUM_H
