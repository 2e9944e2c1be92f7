// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matmul of row-major matrices: the inner loops of contractions and attention.

#ifndef ZENITH_IR_TENSOR_MATRIXPRODUCT_H
#define ZENITH_IR_TENSOR_MATRIXPRODUCT_H

#include "ir/tensor/BlockedSum.h"
#include <vector>

namespace zenith::interpreter {

constexpr int64_t blockRows = 2, blockColumns = 8;

/// One block of rows times one packed block of blockColumns columns, in the
/// type R of the result.
template <typename R, int64_t Rows, typename T>
void multiplyBlock(const T *lhs, int64_t inner, const Term<R> *rhsBlock,
                   WideSum<R> *sums) {
  WideSum<R> total[Rows][blockColumns] = {};
  for (int64_t first = 0; first < inner; first += blockTerms) {
    Term<R> block[Rows][blockColumns] = {};
    int64_t end = first + blockTerms < inner ? first + blockTerms : inner;
    for (int64_t k = first; k < end; ++k)
      for (int64_t r = 0; r < Rows; ++r) {
        Term<R> left = Term<R>(lhs[r * inner + k]);
        for (int64_t c = 0; c < blockColumns; ++c) {
          // Two statements, so that no compiler contracts them to an FMA.
          Term<R> product = left * rhsBlock[k * blockColumns + c];
          block[r][c] += product;
        }
      }
    for (int64_t r = 0; r < Rows; ++r)
      for (int64_t c = 0; c < blockColumns; ++c)
        total[r][c] += WideSum<R>(block[r][c]);
  }
  for (int64_t r = 0; r < Rows; ++r)
    for (int64_t c = 0; c < blockColumns; ++c)
      sums[r * blockColumns + c] = total[r][c];
}

/// store(row, column, sum) for each element of lhs [rows x inner] times rhs
/// [inner x columns], where rhs element (k, c) is `rhs(k, c)` and R the type
/// of the result.
template <typename R, typename T, typename Rhs, typename Store>
void multiplyMatrices(const T *lhs, int64_t rows, int64_t inner,
                      int64_t columns, Rhs &&rhs, Store &&store) {
  std::vector<Term<R>> rhsBlock(size_t(inner * blockColumns));
  WideSum<R> sums[blockRows * blockColumns];
  for (int64_t first = 0; first < columns; first += blockColumns) {
    int64_t width =
        columns - first < blockColumns ? columns - first : blockColumns;
    for (int64_t k = 0; k < inner; ++k)
      for (int64_t c = 0; c < blockColumns; ++c)
        rhsBlock[size_t(k * blockColumns + c)] =
            c < width ? Term<R>(rhs(k, first + c)) : Term<R>(0);
    for (int64_t row = 0; row < rows; row += blockRows) {
      int64_t rowCount = rows - row < blockRows ? rows - row : blockRows;
      const T *left = lhs + row * inner;
      if (rowCount == blockRows)
        multiplyBlock<R, blockRows>(left, inner, rhsBlock.data(), sums);
      else
        multiplyBlock<R, 1>(left, inner, rhsBlock.data(), sums);
      for (int64_t r = 0; r < rowCount; ++r)
        for (int64_t c = 0; c < width; ++c)
          store(row + r, first + c, sums[r * blockColumns + c]);
    }
  }
}

} // namespace zenith::interpreter

#endif // ZENITH_IR_TENSOR_MATRIXPRODUCT_H
