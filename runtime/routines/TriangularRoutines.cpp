// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cholesky factors of dense matrices and triangular solves, row by row.

#include "runtime/routines/Routines.h"
#include "runtime/routines/RowSlots.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

using namespace zenith::runtime;

namespace {

template <typename T> struct Complex {
  T re, im;
  Complex() = default;
  Complex(T re, T im = 0) : re(re), im(im) {}
  Complex operator*(Complex y) const {
    return {re * y.re - im * y.im, re * y.im + im * y.re};
  }
  Complex operator+(Complex y) const { return {re + y.re, im + y.im}; }
  Complex operator-(Complex y) const { return {re - y.re, im - y.im}; }
  Complex operator/(Complex y) const {
    std::complex<T> quotient =
        std::complex<T>(re, im) / std::complex<T>(y.re, y.im);
    return {quotient.real(), quotient.imag()};
  }
};

template <typename T> T conjugate(T x) { return x; }
template <typename T> Complex<T> conjugate(Complex<T> x) {
  return {x.re, -x.im};
}
template <typename T> T realOf(T x) { return x; }
template <typename T> T realOf(Complex<T> x) { return x.re; }

/// Sum of x[i] * conjugate(y[i]), in eight sums so that lanes may run.
template <typename T> T dot(const T *x, const T *y, int64_t length) {
  T sums[8] = {};
  int64_t i = 0;
  for (; i + 8 <= length; i += 8)
    for (int64_t lane = 0; lane < 8; ++lane)
      sums[lane] = sums[lane] + x[i + lane] * conjugate(y[i + lane]);
  for (; i < length; ++i)
    sums[0] = sums[0] + x[i] * conjugate(y[i]);
  for (int64_t width = 4; width > 0; width /= 2)
    for (int64_t lane = 0; lane < width; ++lane)
      sums[lane] = sums[lane] + sums[lane + width];
  return sums[0];
}

/// The lower factor of the matrix in the lower triangle of `a`, in place; false
/// where it is not positive definite.
template <typename T> bool factorize(T *a, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    T *row = a + i * n;
    for (int64_t j = 0; j < i; ++j) {
      const T *other = a + j * n;
      row[j] = (row[j] - dot(row, other, j)) / T(realOf(other[j]));
    }
    auto pivot = realOf(row[i]) - realOf(dot(row, row, i));
    if (!(pivot > 0))
      return false;
    row[i] = T(std::sqrt(pivot));
  }
  return true;
}

template <typename T>
void choleskyOf(const T *from, T *to, int64_t n, bool lower) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j)
      to[i * n + j] = lower ? from[i * n + j] : conjugate(from[j * n + i]);
  bool positive = factorize(to, n);
  auto nan = std::numeric_limits<decltype(realOf(T()))>::quiet_NaN();
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      T value = positive ? to[i * n + j] : T(nan);
      to[i * n + j] = T(0);
      to[j * n + i] = T(0);
      if (lower)
        to[i * n + j] = value;
      else
        to[j * n + i] = conjugate(value);
    }
}

/// op(a), with ones on the diagonal where they are implied; says whether it is
/// a lower triangle.
template <typename T>
bool takeForm(const T *a, T *to, int64_t n, int64_t form, bool lower,
              bool unitDiagonal) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      T value = form == 0   ? a[i * n + j]
                : form == 1 ? a[j * n + i]
                            : conjugate(a[j * n + i]);
      to[i * n + j] = i == j && unitDiagonal ? T(1) : value;
    }
  return lower == (form == 0);
}

/// x with a x = b, in place of b (n x columns).
template <typename T>
void solveLeft(const T *a, T *b, int64_t n, int64_t columns, bool lower) {
  for (int64_t step = 0; step < n; ++step) {
    int64_t i = lower ? step : n - 1 - step;
    T *row = b + i * columns;
    for (int64_t k = lower ? 0 : i + 1; k < (lower ? i : n); ++k) {
      T factor = a[i * n + k];
      const T *known = b + k * columns;
      for (int64_t c = 0; c < columns; ++c)
        row[c] = row[c] - factor * known[c];
    }
    for (int64_t c = 0; c < columns; ++c)
      row[c] = row[c] / a[i * n + i];
  }
}

/// x with x a = b, in place of b (rows x n).
template <typename T>
void solveRight(const T *a, T *b, int64_t n, int64_t rows, bool lower) {
  for (int64_t r = 0; r < rows; ++r) {
    T *row = b + r * n;
    for (int64_t step = 0; step < n; ++step) {
      int64_t j = lower ? n - 1 - step : step;
      T value = row[j] = row[j] / a[j * n + j];
      const T *others = a + j * n;
      for (int64_t k = lower ? 0 : j + 1; k < (lower ? j : n); ++k)
        row[k] = row[k] - value * others[k];
    }
  }
}

template <typename Body> void withType(int32_t dtype, Body body) {
  switch (dtype) {
  case ZENITH_F32:
    return body(float());
  case ZENITH_F64:
    return body(double());
  case ZENITH_C64:
    return body(Complex<float>());
  case ZENITH_C128:
    return body(Complex<double>());
  }
}

} // namespace

void zenith_routine_cholesky(const zenith_cholesky_arguments *arguments,
                             int64_t begin, int64_t end) {
  const zenith_cholesky_arguments &given = checked(arguments);
  const int64_t n = given.size;
  withType(int32_t(given.dtype), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t matrix = begin; matrix < end; ++matrix)
      choleskyOf(static_cast<const T *>(given.operand) + matrix * n * n,
                 static_cast<T *>(given.result) + matrix * n * n, n,
                 given.lower != 0);
  });
}

void zenith_routine_triangular_solve(
    const zenith_triangular_solve_arguments *arguments, int64_t begin,
    int64_t end) {
  const zenith_triangular_solve_arguments &given = checked(arguments);
  const int64_t n = given.size, other = given.other_size;
  withType(int32_t(given.dtype), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t slot = begin; slot < end; ++slot) {
      auto [first, last] = rowsOfSlot(given.batches, given.slots, slot);
      T *matrix = static_cast<T *>(given.scratch) + slot * n * n;
      for (int64_t batch = first; batch < last; ++batch) {
        const T *from = static_cast<const T *>(given.b) + batch * n * other;
        T *x = static_cast<T *>(given.result) + batch * n * other;
        if (x != from)
          std::copy(from, from + n * other, x);
        bool isLower =
            takeForm(static_cast<const T *>(given.a) + batch * n * n, matrix, n,
                     given.form, given.lower != 0, given.unit_diagonal != 0);
        if (given.left)
          solveLeft(matrix, x, n, other, isLower);
        else
          solveRight(matrix, x, n, other, isLower);
      }
    }
  });
}
