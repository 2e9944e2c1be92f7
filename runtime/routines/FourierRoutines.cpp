// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fast Fourier transforms (FFT) of lines: Stockham's algorithm for lengths with
// small factors, Bluestein's convolution for others. All in double, so that
// single precision keeps its accuracy at any length.

#include "runtime/RoutineScratch.h"
#include "runtime/routines/Routines.h"
#include "runtime/routines/RowSlots.h"

#include <cmath>

using namespace zenith::runtime;

namespace {

struct Complex {
  double re, im;
  Complex operator+(Complex y) const { return {re + y.re, im + y.im}; }
  Complex operator-(Complex y) const { return {re - y.re, im - y.im}; }
  Complex operator*(Complex y) const {
    return {re * y.re - im * y.im, re * y.im + im * y.re};
  }
  Complex conjugate() const { return {re, -im}; }
};

/// exp(sign * 2 pi i numerator / denominator), exact at the octants.
Complex root(int64_t numerator, int64_t denominator, double sign) {
  // Reduces the angle by the nearest quarter turn, so that the remainder is
  // small.
  int64_t quarter = (4 * numerator + denominator / 2) / denominator,
          rest = 4 * numerator - quarter * denominator;
  double angle = M_PI / 2 * double(rest) / double(denominator);
  double c = std::cos(angle), s = std::sin(angle);
  switch (quarter & 3) {
  case 0:
    return {c, sign * s};
  case 1:
    return {-s, sign * c};
  case 2:
    return {-c, -sign * s};
  default:
    return {s, -sign * c};
  }
}

constexpr int64_t mostFactor = 31;

/// One transform of `length`, whose factors are small. Roots are those of the
/// whole length; `sign` is theirs.
class SmallFactors {
public:
  SmallFactors(int64_t length, const Complex *roots, double sign)
      : length(length), roots(roots), sign(sign) {}

  /// The transform of `x`, with `y` to work in; gives the one that holds it.
  Complex *run(Complex *x, Complex *y) const {
    int64_t rest = length, stride = 1;
    while (rest > 1) {
      int64_t factor = nextFactor(rest);
      stage(factor, rest, stride, x, y);
      std::swap(x, y);
      rest /= factor;
      stride *= factor;
    }
    return x;
  }

private:
  static int64_t nextFactor(int64_t rest) {
    for (int64_t factor : {4, 2, 3, 5})
      if (rest % factor == 0)
        return factor;
    int64_t factor = 7;
    while (rest % factor)
      factor += 2;
    return factor;
  }

  void stage(int64_t factor, int64_t rest, int64_t stride, const Complex *x,
             Complex *y) const {
    switch (factor) {
    case 2:
      return fixedStage<2>(rest, stride, x, y);
    case 3:
      return fixedStage<3>(rest, stride, x, y);
    case 4:
      return fixedStage<4>(rest, stride, x, y);
    case 5:
      return fixedStage<5>(rest, stride, x, y);
    default:
      return anyStage(factor, rest, stride, x, y);
    }
  }

  void butterfly(Complex (&t)[2]) const {
    Complex sum = t[0] + t[1];
    t[1] = t[0] - t[1];
    t[0] = sum;
  }
  void butterfly(Complex (&t)[3]) const {
    constexpr double half3 = 0.86602540378443864676;
    Complex sum = t[1] + t[2], difference = t[1] - t[2];
    Complex middle = {t[0].re - 0.5 * sum.re, t[0].im - 0.5 * sum.im};
    Complex turned = {-sign * half3 * difference.im,
                      sign * half3 * difference.re};
    t[0] = t[0] + sum;
    t[1] = middle + turned;
    t[2] = middle - turned;
  }
  void butterfly(Complex (&t)[4]) const {
    Complex a = t[0] + t[2], b = t[0] - t[2], c = t[1] + t[3], d = t[1] - t[3];
    Complex turned = {-sign * d.im, sign * d.re};
    t[0] = a + c;
    t[1] = b + turned;
    t[2] = a - c;
    t[3] = b - turned;
  }
  void butterfly(Complex (&t)[5]) const {
    constexpr double c1 = 0.30901699437494742410, c2 = -0.80901699437494742410,
                     s1 = 0.95105651629515357212, s2 = 0.58778525229247312917;
    Complex a = t[1] + t[4], b = t[2] + t[3], d = t[1] - t[4], e = t[2] - t[3];
    Complex first = {t[0].re + c1 * a.re + c2 * b.re,
                     t[0].im + c1 * a.im + c2 * b.im},
            second = {t[0].re + c2 * a.re + c1 * b.re,
                      t[0].im + c2 * a.im + c1 * b.im};
    Complex u = {-sign * (s1 * d.im + s2 * e.im),
                 sign * (s1 * d.re + s2 * e.re)},
            v = {-sign * (s2 * d.im - s1 * e.im),
                 sign * (s2 * d.re - s1 * e.re)};
    t[0] = t[0] + a + b;
    t[1] = first + u;
    t[4] = first - u;
    t[2] = second + v;
    t[3] = second - v;
  }

  template <int64_t Factor>
  void fixedStage(int64_t rest, int64_t stride, const Complex *x,
                  Complex *y) const {
    int64_t part = rest / Factor;
    for (int64_t p = 0; p < part; ++p) {
      Complex turn[Factor];
      for (int64_t k = 0; k < Factor; ++k)
        turn[k] = roots[k * p * stride];
      for (int64_t q = 0; q < stride; ++q) {
        Complex t[Factor];
        for (int64_t k = 0; k < Factor; ++k)
          t[k] = x[q + stride * (p + part * k)];
        butterfly(t);
        Complex *to = y + q + stride * Factor * p;
        to[0] = t[0];
        for (int64_t k = 1; k < Factor; ++k)
          to[stride * k] = t[k] * turn[k];
      }
    }
  }

  void anyStage(int64_t factor, int64_t rest, int64_t stride, const Complex *x,
                Complex *y) const {
    int64_t part = rest / factor, step = length / factor;
    for (int64_t p = 0; p < part; ++p)
      for (int64_t q = 0; q < stride; ++q) {
        Complex t[mostFactor];
        for (int64_t k = 0; k < factor; ++k)
          t[k] = x[q + stride * (p + part * k)];
        for (int64_t j = 0; j < factor; ++j) {
          Complex sum = t[0];
          for (int64_t k = 1; k < factor; ++k)
            sum = sum + t[k] * roots[j * k % factor * step];
          y[q + stride * (factor * p + j)] = sum * roots[j * p * stride];
        }
      }
  }

  int64_t length;
  const Complex *roots;
  double sign;
};

/// The parts of a table: roots of the length, or the chirp, the roots of the
/// convolution's length and the transformed chirp.
struct Table {
  Table(Complex *data, int64_t length, int64_t convolution)
      : own(data), wide(data + length), filter(wide + convolution) {}
  Complex *own, *wide, *filter;
};

/// Transforms in `x`; gives where the result is, `x` or `y`.
Complex *transform(const Table &table, int64_t length, int64_t convolution,
                   double sign, Complex *x, Complex *y) {
  if (!convolution)
    return SmallFactors(length, table.own, sign).run(x, y);
  for (int64_t i = 0; i < length; ++i)
    x[i] = x[i] * table.own[i];
  for (int64_t i = length; i < convolution; ++i)
    x[i] = {0, 0};
  SmallFactors wide(convolution, table.wide, -1);
  Complex *there = wide.run(x, y);
  // The inverse transform by conjugates.
  for (int64_t i = 0; i < convolution; ++i)
    there[i] = (there[i] * table.filter[i]).conjugate();
  Complex *back = wide.run(there, there == x ? y : x);
  double scale = 1.0 / double(convolution);
  for (int64_t i = 0; i < length; ++i) {
    Complex value = back[i].conjugate() * table.own[i];
    back[i] = {value.re * scale, value.im * scale};
  }
  return back;
}

Complex load(int32_t dtype, const char *from, int64_t at) {
  switch (dtype) {
  case ZENITH_F32:
    return {reinterpret_cast<const float *>(from)[at], 0};
  case ZENITH_F64:
    return {reinterpret_cast<const double *>(from)[at], 0};
  case ZENITH_C64: {
    auto *pair = reinterpret_cast<const float *>(from) + 2 * at;
    return {pair[0], pair[1]};
  }
  default: {
    auto *pair = reinterpret_cast<const double *>(from) + 2 * at;
    return {pair[0], pair[1]};
  }
  }
}

void store(int32_t dtype, char *to, int64_t at, Complex value) {
  switch (dtype) {
  case ZENITH_F32:
    reinterpret_cast<float *>(to)[at] = float(value.re);
    return;
  case ZENITH_F64:
    reinterpret_cast<double *>(to)[at] = value.re;
    return;
  case ZENITH_C64: {
    auto *pair = reinterpret_cast<float *>(to) + 2 * at;
    pair[0] = float(value.re);
    pair[1] = float(value.im);
    return;
  }
  default: {
    auto *pair = reinterpret_cast<double *>(to) + 2 * at;
    pair[0] = value.re;
    pair[1] = value.im;
  }
  }
}

} // namespace

void zenith_routine_fourier_table(const zenith_fourier_arguments *arguments,
                                  int64_t begin, int64_t end) {
  const zenith_fourier_arguments &given = checked(arguments);
  const int64_t length = given.length, convolution = given.convolution;
  const double sign = given.inverse ? 1 : -1;
  if (begin == end)
    return;
  Table table(static_cast<Complex *>(given.table), length, convolution);
  if (!convolution) {
    for (int64_t i = 0; i < length; ++i)
      table.own[i] = root(i, length, sign);
    return;
  }
  // Squares modulo twice the length, without computing them: the next odd
  // number is added.
  int64_t square = 0;
  for (int64_t i = 0; i < length; ++i) {
    table.own[i] = root(square, 2 * length, sign);
    square = (square + 2 * i + 1) % (2 * length);
  }
  for (int64_t i = 0; i < convolution; ++i)
    table.wide[i] = root(i, convolution, -1);
  // The chirp's conjugate, around 0, and memory for its transform after it.
  Complex *filter = table.filter, *transformed = filter + convolution;
  for (int64_t i = 0; i < convolution; ++i)
    filter[i] = {0, 0};
  for (int64_t i = 0; i < length; ++i) {
    filter[i] = table.own[i].conjugate();
    if (i)
      filter[convolution - i] = filter[i];
  }
  Complex *done =
      SmallFactors(convolution, table.wide, -1).run(filter, transformed);
  if (done != filter)
    for (int64_t i = 0; i < convolution; ++i)
      filter[i] = done[i];
}

void zenith_routine_fourier(const zenith_fourier_arguments *arguments,
                            int64_t begin, int64_t end) {
  const zenith_fourier_arguments &given = checked(arguments);
  const auto from = int32_t(given.input_dtype),
             to = int32_t(given.result_dtype);
  const int64_t length = given.length, convolution = given.convolution,
                distance = given.distance, inputLength = given.input_length,
                resultLength = given.result_length;
  const bool hermitian = given.hermitian != 0;
  const double divisor = double(given.divisor), sign = given.inverse ? 1 : -1;
  auto *input = static_cast<const char *>(given.input);
  auto *result = static_cast<char *>(given.result);
  Table table(static_cast<Complex *>(given.table), length, convolution);
  for (int64_t slot = begin; slot < end; ++slot) {
    auto [first, last] = rowsOfSlot(given.lines, given.slots, slot);
    // Two lines, between which the passes of a transform alternate.
    const int64_t bytes = fourierSlotBytes(length, convolution);
    char *own = static_cast<char *>(given.scratch) + slot * bytes;
    auto *x = reinterpret_cast<Complex *>(own),
         *y = reinterpret_cast<Complex *>(own + bytes / 2);
    for (int64_t line = first; line < last; ++line) {
      int64_t start = rowStart(line, inputLength, distance);
      for (int64_t i = 0; i < inputLength && i < length; ++i)
        x[i] = load(from, input, start + i * distance);
      if (hermitian) {
        x[0].im = 0;
        if (length % 2 == 0)
          x[length / 2].im = 0;
        for (int64_t i = length / 2 + 1; i < length; ++i)
          x[i] = x[length - i].conjugate();
      }
      Complex *done = transform(table, length, convolution, sign, x, y);
      start = rowStart(line, resultLength, distance);
      for (int64_t i = 0; i < resultLength; ++i)
        store(to, result, start + i * distance,
              {done[i].re / divisor, done[i].im / divisor});
    }
  }
}
