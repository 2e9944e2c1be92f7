// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What derivatives of factorizations build with: stacks of matrices [..., m,
// n].

#ifndef ZENITH_PASSES_AUTODIFF_MATRICES_MATRIXRULES_H
#define ZENITH_PASSES_AUTODIFF_MATRICES_MATRIXRULES_H

#include "passes/autodiff/RuleBuilder.h"

namespace zenith::autodiff {

class MatrixRules {
public:
  using Value = mlir::Value;

  explicit MatrixRules(RuleBuilder &rule) : rule(rule) {}

  Value matmul(Value lhs, Value rhs);
  Value transposed(Value x);
  Value conjugate(Value x);
  Value adjoint(Value x) { return transposed(conjugate(x)); }
  /// The parts of a complex value; a real one is its own real part.
  Value real(Value x);
  /// A real value as one of `element`, real or complex.
  Value asElement(Value x, mlir::Type element);

  /// Elements on and below (above) the diagonal that is `offset` columns to
  /// the right of the main one.
  Value lower(Value x, int64_t offset = 0);
  Value upper(Value x, int64_t offset = 0);
  /// The main diagonal: [..., min(m, n)] of square matrices.
  Value diagonal(Value x);
  Value identity(Value like);
  /// The part of a symmetric or Hermitian matrix that is read, and its mirror.
  Value mirrored(Value x, bool isLower);
  /// x * v with v along the columns (last dimension) or rows of each matrix.
  Value alongColumns(Value vector, Value shape);
  Value alongRows(Value vector, Value shape);

  /// op(a)^-1 b, or b op(a)^-1.
  Value solve(Value a, Value b, graph::MatrixForm form, bool isLeft,
              bool isLower, bool hasUnitDiagonal);

  static bool isComplex(Value x);

private:
  Value where(graph::CompareDirection direction, Value x, int64_t offset);

  RuleBuilder &rule;
};

} // namespace zenith::autodiff

#endif // ZENITH_PASSES_AUTODIFF_MATRICES_MATRIXRULES_H
