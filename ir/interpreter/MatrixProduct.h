// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of row-major matrices: the inner loops of contractions and
// attention.

#ifndef ZENITH_IR_INTERPRETER_MATRIXPRODUCT_H
#define ZENITH_IR_INTERPRETER_MATRIXPRODUCT_H

#include "ir/interpreter/BlockedSum.h"
#include <vector>

namespace zenith::interpreter {

constexpr int64_t productRows = 2, productColumns = 8;

/// One block of rows times one panel of productColumns columns, in the type R
/// of the result.
template <typename R, int64_t Rows, typename T>
void multiplyBlock(const T *lhs, int64_t depth, const Term<R> *panel,
                   WideSum<R> *sums) {
  WideSum<R> total[Rows][productColumns] = {};
  for (int64_t first = 0; first < depth; first += blockTerms) {
    Term<R> block[Rows][productColumns] = {};
    int64_t end = first + blockTerms < depth ? first + blockTerms : depth;
    for (int64_t k = first; k < end; ++k)
      for (int64_t r = 0; r < Rows; ++r) {
        Term<R> left = Term<R>(lhs[r * depth + k]);
        for (int64_t c = 0; c < productColumns; ++c) {
          // Two statements, which no compiler contracts.
          Term<R> product = left * panel[k * productColumns + c];
          block[r][c] += product;
        }
      }
    for (int64_t r = 0; r < Rows; ++r)
      for (int64_t c = 0; c < productColumns; ++c)
        total[r][c] += WideSum<R>(block[r][c]);
  }
  for (int64_t r = 0; r < Rows; ++r)
    for (int64_t c = 0; c < productColumns; ++c)
      sums[r * productColumns + c] = total[r][c];
}

/// store(row, column, sum) for each element of lhs [rows x depth] times rhs
/// [depth x columns], where rhs element (k, c) is `rhs(k, c)` and R the type
/// of the result.
template <typename R, typename T, typename Rhs, typename Store>
void multiplyMatrices(const T *lhs, int64_t rows, int64_t depth,
                      int64_t columns, Rhs &&rhs, Store &&store) {
  std::vector<Term<R>> panel(size_t(depth * productColumns));
  WideSum<R> sums[productRows * productColumns];
  for (int64_t first = 0; first < columns; first += productColumns) {
    int64_t width =
        columns - first < productColumns ? columns - first : productColumns;
    for (int64_t k = 0; k < depth; ++k)
      for (int64_t c = 0; c < productColumns; ++c)
        panel[size_t(k * productColumns + c)] =
            c < width ? Term<R>(rhs(k, first + c)) : Term<R>(0);
    for (int64_t row = 0; row < rows; row += productRows) {
      int64_t height = rows - row < productRows ? rows - row : productRows;
      const T *left = lhs + row * depth;
      if (height == productRows)
        multiplyBlock<R, productRows>(left, depth, panel.data(), sums);
      else
        multiplyBlock<R, 1>(left, depth, panel.data(), sums);
      for (int64_t r = 0; r < height; ++r)
        for (int64_t c = 0; c < width; ++c)
          store(row + r, first + c, sums[r * productColumns + c]);
    }
  }
}

} // namespace zenith::interpreter

#endif // ZENITH_IR_INTERPRETER_MATRIXPRODUCT_H
