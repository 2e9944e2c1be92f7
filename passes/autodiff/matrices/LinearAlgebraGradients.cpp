// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of Cholesky factors, triangular systems and Fourier transforms.

#include "ir/matchers/TypeOf.h"
#include "passes/autodiff/GradientRule.h"
#include "passes/autodiff/matrices/MatrixRules.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

using Values = SmallVector<Value>;
using Dims = SmallVector<int64_t>;

/// L' = L phi(L^-1 A' L^-H), phi taking the lower triangle and half of the
/// diagonal (Murray, "Differentiation of the Cholesky decomposition", 2016).
static Derivatives tangentsOf(CholeskyOp op, RuleBuilder &rule,
                              ArrayRef<Value> t) {
  MatrixRules matrix(rule);
  bool isLower = op.getLower();
  Value factor = isLower ? op.getResult() : matrix.adjoint(op.getResult());
  Value change = matrix.mirrored(t[0], isLower);
  Value right =
      matrix.solve(factor, change, MatrixForm::adjoint, false, true, false);
  Value both =
      matrix.solve(factor, right, MatrixForm::plain, true, true, false);
  Value phi =
      rule.scale(rule.add(matrix.lower(both), matrix.lower(both, -1)), 0.5);
  Value result = matrix.matmul(factor, phi);
  return Values{isLower ? result : matrix.adjoint(result)};
}

/// The triangle that is read.
static Value triangleOf(TriangularSolveOp op, MatrixRules &matrix, Value a) {
  int64_t strict = op.getUnitDiagonal() ? 1 : 0;
  return op.getLower() ? matrix.lower(a, -strict) : matrix.upper(a, strict);
}

static Value inForm(MatrixRules &matrix, MatrixForm form, Value a) {
  if (form == MatrixForm::plain)
    return a;
  return form == MatrixForm::transposed ? matrix.transposed(a)
                                        : matrix.adjoint(a);
}

static Value solveAgain(TriangularSolveOp op, MatrixRules &matrix, Value b) {
  return matrix.solve(op.getA(), b, op.getForm(), op.getLeft(), op.getLower(),
                      op.getUnitDiagonal());
}

/// op(a) x' = b' - op(a') x.
static Derivatives tangentsOf(TriangularSolveOp op, RuleBuilder &rule,
                              ArrayRef<Value> t) {
  MatrixRules matrix(rule);
  Value right = t[1];
  if (t[0]) {
    Value change = inForm(matrix, op.getForm(), triangleOf(op, matrix, t[0]));
    Value x = op.getResult();
    Value product =
        op.getLeft() ? matrix.matmul(change, x) : matrix.matmul(x, change);
    right = rule.plus(right, rule.neg(product));
  }
  return Values{solveAgain(op, matrix, right)};
}

static Derivatives transposeOf(TriangularSolveOp op, RuleBuilder &rule,
                               Value ct, const BitVector &linear) {
  if (linear[0])
    return notLinear(op);
  MatrixRules matrix(rule);
  // The plain transpose of conj(a)^T is conj(a).
  bool isAdjoint = op.getForm() == MatrixForm::adjoint;
  Value a = isAdjoint ? matrix.conjugate(op.getA()) : op.getA();
  MatrixForm form = op.getForm() == MatrixForm::plain ? MatrixForm::transposed
                                                      : MatrixForm::plain;
  return Values{Value(), matrix.solve(a, ct, form, op.getLeft(), op.getLower(),
                                      op.getUnitDiagonal())};
}

static Derivatives tangentsOf(FourierOp op, RuleBuilder &rule,
                              ArrayRef<Value> t) {
  return onTangents(op, rule, t, {0});
}

static Value transform(RuleBuilder &rule, FourierKind kind, Value x,
                       RankedTensorType type, ArrayRef<int64_t> length) {
  return rule.builder.create<FourierOp>(rule.loc, type, kind, x, length);
}

/// Half a spectrum is the first part of the whole one of a complex transform.
static Value transposeToReal(FourierOp op, RuleBuilder &rule, Value ct) {
  RankedTensorType type = typeOf(ct);
  int64_t rank = type.getRank(), last = op.getLength().back();
  Dims low(rank, 0), high(rank, 0), interior(rank, 0), shape(type.getShape());
  high.back() = last - shape.back();
  shape.back() = last;
  Value whole = rule.builder.create<PadOp>(
      rule.loc, type.clone(shape), ct, rule.scalar(type.getElementType(), 0),
      ValueRange(), ValueRange(), low, high, interior);
  Value back =
      transform(rule, FourierKind::c2c, whole, typeOf(whole), op.getLength());
  return MatrixRules(rule).real(back);
}

/// Frequencies between the first and the Nyquist one stand for two.
static Value transposeToHalf(FourierOp op, RuleBuilder &rule, Value ct) {
  RankedTensorType type = typeOf(op.getOperand());
  int64_t rank = type.getRank(), length = op.getLength().back();
  Value half = transform(rule, FourierKind::r2c, ct, type, op.getLength());
  double count = 1;
  for (int64_t size : op.getLength())
    count *= double(size);
  Type i64 = rule.builder.getI64Type();
  Value place = rule.iota(half, rank - 1, i64);
  auto flags = typeOf(place).clone(rule.builder.getI1Type());
  Value isInner = rule.builder.create<AndOp>(
      rule.loc, flags,
      rule.compare(CompareDirection::gt, place, rule.zeros(place)),
      rule.compare(CompareDirection::lt, rule.add(place, place),
                   rule.splat(place, double(length))));
  Value weight = rule.select(isInner, rule.splat(half, 2 / count),
                             rule.splat(half, 1 / count));
  return MatrixRules(rule).conjugate(rule.mul(half, weight));
}

static Derivatives transposeOf(FourierOp op, RuleBuilder &rule, Value ct,
                               const BitVector &) {
  switch (op.getKind()) {
  case FourierKind::c2c:
  case FourierKind::c2c_inverse:
    return Values{
        transform(rule, op.getKind(), ct, typeOf(ct), op.getLength())};
  case FourierKind::r2c:
    return Values{transposeToReal(op, rule, ct)};
  case FourierKind::c2r:
    return Values{transposeToHalf(op, rule, ct)};
  }
  return notLinear(op);
}

static Derivatives transposeOf(CholeskyOp op, RuleBuilder &, Value,
                               const BitVector &) {
  return notLinear(op);
}

namespace {

template <typename Op>
struct LinearAlgebraGradient
    : GradientRule::ExternalModel<LinearAlgebraGradient<Op>, Op> {
  GradientAnswer gradientAnswer(Operation *) const { return {}; }
  Derivatives linearize(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> tangents) const {
    return tangentsOf(cast<Op>(op), rule, tangents);
  }
  Derivatives transpose(Operation *op, RuleBuilder &rule,
                        ArrayRef<Value> cotangents,
                        const BitVector &linear) const {
    return transposeOf(cast<Op>(op), rule, cotangents[0], linear);
  }
};

} // namespace

void attachLinearAlgebraGradients(MLIRContext *context) {
  attachAll<LinearAlgebraGradient,
#define GET_OP_LIST
#include "ir/LinearAlgebra.cpp.inc"
            >(context);
}

} // namespace zenith::autodiff
