// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of row-major matrices with exact or wider sums: the inner loops of
// contractions and attention.

#ifndef ZENITH_IR_INTERPRETER_MATRIXPRODUCT_H
#define ZENITH_IR_INTERPRETER_MATRIXPRODUCT_H

#include <complex>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace zenith::interpreter {

/// What a sum of products of T accumulates in. Integers wrap, so 64 unsigned
/// bits serve all of them.
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
  using type = std::complex<double>;
};

constexpr int64_t productRows = 2, productColumns = 8;

/// One block of rows times one panel of productColumns columns.
template <typename T, int64_t Rows>
void multiplyBlock(const T *lhs, int64_t depth,
                   const typename SumOf<T>::type *panel,
                   typename SumOf<T>::type *sums) {
  using Sum = typename SumOf<T>::type;
  Sum local[Rows][productColumns] = {};
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t r = 0; r < Rows; ++r) {
      Sum left = Sum(lhs[r * depth + k]);
      for (int64_t c = 0; c < productColumns; ++c)
        local[r][c] += left * panel[k * productColumns + c];
    }
  for (int64_t r = 0; r < Rows; ++r)
    for (int64_t c = 0; c < productColumns; ++c)
      sums[r * productColumns + c] = local[r][c];
}

/// store(row, column, sum) for each element of lhs [rows x depth] times rhs
/// [depth x columns], where rhs element (k, c) is `rhs(k, c)`.
template <typename T, typename Rhs, typename Store>
void multiplyMatrices(const T *lhs, int64_t rows, int64_t depth,
                      int64_t columns, Rhs &&rhs, Store &&store) {
  using Sum = typename SumOf<T>::type;
  std::vector<Sum> panel(size_t(depth * productColumns));
  Sum sums[productRows * productColumns];
  for (int64_t first = 0; first < columns; first += productColumns) {
    int64_t width =
        columns - first < productColumns ? columns - first : productColumns;
    for (int64_t k = 0; k < depth; ++k)
      for (int64_t c = 0; c < productColumns; ++c)
        panel[size_t(k * productColumns + c)] =
            c < width ? Sum(rhs(k, first + c)) : Sum(0);
    for (int64_t row = 0; row < rows; row += productRows) {
      int64_t height = rows - row < productRows ? rows - row : productRows;
      const T *left = lhs + row * depth;
      if (height == productRows)
        multiplyBlock<T, productRows>(left, depth, panel.data(), sums);
      else
        multiplyBlock<T, 1>(left, depth, panel.data(), sums);
      for (int64_t r = 0; r < height; ++r)
        for (int64_t c = 0; c < width; ++c)
          store(row + r, first + c, sums[r * productColumns + c]);
    }
  }
}

} // namespace zenith::interpreter

#endif // ZENITH_IR_INTERPRETER_MATRIXPRODUCT_H
