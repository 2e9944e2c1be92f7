// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks by positions, and matmuls over leading dimensions.

#include "passes/autodiff/matrices/MatrixRules.h"
#include "ir/matchers/TypeOf.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

bool MatrixRules::isComplex(Value x) {
  return isa<ComplexType>(typeOf(x).getElementType());
}

Value MatrixRules::matmul(Value lhs, Value rhs) {
  int64_t rank = typeOf(lhs).getRank();
  auto leading = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
  return rule.dot(lhs, rhs,
                  DotDimsAttr::get(rule.builder.getContext(), leading, leading,
                                   {rank - 1}, {rank - 2}));
}

Value MatrixRules::transposed(Value x) {
  int64_t rank = typeOf(x).getRank();
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(permutation[rank - 1], permutation[rank - 2]);
  return rule.transpose(x, permutation);
}

static Value partOf(RuleBuilder &rule, Value x, bool isReal) {
  Type part = cast<ComplexType>(typeOf(x).getElementType()).getElementType();
  RankedTensorType type = typeOf(x).clone(part);
  if (isReal)
    return rule.builder.create<RealOp>(rule.loc, type, x);
  return rule.builder.create<ImagOp>(rule.loc, type, x);
}

Value MatrixRules::conjugate(Value x) {
  if (!isComplex(x))
    return x;
  return rule.builder.create<ComplexOp>(rule.loc, x.getType(),
                                        partOf(rule, x, true),
                                        rule.neg(partOf(rule, x, false)));
}

Value MatrixRules::real(Value x) {
  return isComplex(x) ? partOf(rule, x, true) : x;
}

Value MatrixRules::asElement(Value x, Type element) {
  if (!isa<ComplexType>(element) || isComplex(x))
    return x;
  return rule.builder.create<ComplexOp>(rule.loc, typeOf(x).clone(element), x,
                                        rule.zeros(x));
}

/// Zero but where `column direction row + offset`.
Value MatrixRules::where(CompareDirection direction, Value x, int64_t offset) {
  int64_t rank = typeOf(x).getRank();
  Type i64 = rule.builder.getI64Type();
  Value row = rule.iota(x, rank - 2, i64), column = rule.iota(x, rank - 1, i64);
  if (offset)
    row = rule.add(row, rule.splat(row, double(offset)));
  return rule.where(rule.compare(direction, column, row), x);
}

Value MatrixRules::lower(Value x, int64_t offset) {
  return where(CompareDirection::le, x, offset);
}

Value MatrixRules::upper(Value x, int64_t offset) {
  return where(CompareDirection::ge, x, offset);
}

Value MatrixRules::diagonal(Value x) {
  int64_t rank = typeOf(x).getRank();
  return rule.sum(where(CompareDirection::eq, x, 0), {rank - 1});
}

Value MatrixRules::identity(Value like) {
  return where(CompareDirection::eq, rule.splat(like, 1), 0);
}

Value MatrixRules::mirrored(Value x, bool isLower) {
  Value triangle = isLower ? lower(x) : upper(x);
  Value strict = isLower ? lower(x, -1) : upper(x, 1);
  return rule.add(triangle, adjoint(strict));
}

Value MatrixRules::alongColumns(Value vector, Value shape) {
  int64_t rank = typeOf(shape).getRank();
  return rule.broadcast(vector, rule.others(shape, {rank - 2}), shape);
}

Value MatrixRules::alongRows(Value vector, Value shape) {
  int64_t rank = typeOf(shape).getRank();
  return rule.broadcast(vector, rule.others(shape, {rank - 1}), shape);
}

Value MatrixRules::solve(Value a, Value b, MatrixForm form, bool isLeft,
                         bool isLower, bool hasUnitDiagonal) {
  return rule.builder.create<TriangularSolveOp>(
      rule.loc, b.getType(), form, a, b, isLeft, isLower, hasUnitDiagonal);
}

} // namespace zenith::autodiff
