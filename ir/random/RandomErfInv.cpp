// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inverse error function spelled out, by Giles' polynomials.

#include "ir/GraphOps.h"
#include "ir/matchers/TypeOf.h"
#include "ir/ops/CompositeFormulas.h"
#include "ir/random/ErfInv.h"
#include "ir/random/RandomFormulas.h"

using namespace mlir;

namespace zenith::graph {
namespace {

/// Arithmetic on values like one value.
struct Giles {
  OpBuilder &b;
  Location loc;
  Value x;

  Value number(double value) { return splatLike(b, loc, x, value); }
  template <typename Op> Value unary(Value a) {
    return b.create<Op>(loc, a.getType(), a);
  }
  template <typename Op> Value make(Value a, Value c) {
    return b.create<Op>(loc, a.getType(), a, c);
  }
  Value less(Value a, double bound) {
    return compared(CompareDirection::lt, a, bound);
  }
  Value compared(CompareDirection direction, Value a, double bound) {
    return b.create<CompareOp>(loc, typeOf(a).clone(b.getI1Type()), direction,
                               a, number(bound));
  }
  Value select(Value condition, Value yes, Value no) {
    return b.create<SelectOp>(loc, condition, yes, no);
  }
  /// Horner's rule in a - shift, highest power first.
  Value polynomial(Value a, double shift, ArrayRef<double> coefficients) {
    Value t = make<SubOp>(a, number(shift));
    Value sum = number(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = make<AddOp>(make<MulOp>(sum, t), number(coefficient));
    return sum;
  }
  Value factor();
  Value result();
};

} // namespace

Value Giles::factor() {
  Value w = unary<NegOp>(unary<Log1pOp>(make<MulOp>(unary<NegOp>(x), x)));
  // Only large w reach the polynomials of the root; at w = 0 its derivative is
  // infinite, and would be NaN through the select.
  Value root = unary<SqrtOp>(make<MaxOp>(w, number(1.0)));
  if (typeOf(x).getElementType().isF32())
    return select(less(w, 5.0), polynomial(w, 2.5, erfinv::low32),
                  polynomial(root, 3.0, erfinv::high32));
  return select(less(w, 6.25), polynomial(w, 3.125, erfinv::low64),
                select(less(w, 16.0), polynomial(root, 3.25, erfinv::middle64),
                       polynomial(root, 5.0, erfinv::high64)));
}

Value Giles::result() {
  Value isBound = compared(CompareDirection::eq, unary<AbsOp>(x), 1.0);
  // Of the sign, which has no derivative: x times infinity would have one.
  Value infinite = make<MulOp>(unary<SignOp>(x),
                               number(std::numeric_limits<double>::infinity()));
  return select(isBound, infinite, make<MulOp>(x, factor()));
}

Value buildErfInv(OpBuilder &builder, Location loc, Value value) {
  return Giles{builder, loc, value}.result();
}

} // namespace zenith::graph
