// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formulas without cancellation: an arctangent is one Newton step from that of
// the number rounded to f32, the error function is rational, the others follow
// from the arctangent, from log1p and expm1.

#include "frontends/onnx/export/DoubleFunctions.h"

#include "ir/GraphOps.h"
#include "ir/matchers/ValueBuilders.h"
#include "ir/ops/CompositeFormulas.h"
#include "ir/tensor/ErfcCoefficients.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace zenith;
using graph::CompareDirection;

namespace {

class DoubleFormulas {
public:
  explicit DoubleFormulas(Operation *op)
      : b(op), loc(op->getLoc()),
        type(cast<RankedTensorType>(op->getResult(0).getType())) {
    for (int64_t d = 0; d < type.getRank(); ++d)
      if (type.isDynamicDim(d))
        sizes.push_back(b.create<graph::DimOp>(loc, op->getOperand(0), d));
  }

  Value acos(Value x);
  Value acosh(Value x);
  Value asin(Value x);
  Value asinh(Value x);
  Value atan(Value x);
  Value atan2(Value y, Value x);
  Value atanh(Value x);
  Value erf(Value x);
  Value sinh(Value x);

private:
  template <typename Op> Value make(Value x) {
    return b.create<Op>(loc, type, x);
  }
  template <typename Op> Value make(Value x, Value y) {
    return b.create<Op>(loc, type, x, y);
  }
  Value add(Value x, Value y) { return make<graph::AddOp>(x, y); }
  Value sub(Value x, Value y) { return make<graph::SubOp>(x, y); }
  Value mul(Value x, Value y) { return make<graph::MulOp>(x, y); }
  Value div(Value x, Value y) { return make<graph::DivOp>(x, y); }
  Value sqrt(Value x) { return make<graph::SqrtOp>(x); }
  Value abs(Value x) { return make<graph::AbsOp>(x); }
  Value number(double value);
  /// Coefficients of the highest power first.
  Value polynomial(Value x, ArrayRef<double> coefficients);
  Value is(Value x, CompareDirection direction, double y) {
    return b.create<graph::CompareOp>(
        loc, RankedTensorType::get(type.getShape(), b.getI1Type()), direction,
        x, number(y));
  }
  Value both(Value p, Value q) {
    return b.create<graph::AndOp>(loc, p.getType(), p, q);
  }
  Value select(Value p, Value x, Value y) {
    return b.create<graph::SelectOp>(loc, type, p, x, y);
  }
  /// By a product: runtimes lose the sign of a zero in Sign and Where.
  Value withSign(Value magnitude, Value x) {
    return mul(magnitude, select(isNegative(x), number(-1), number(1)));
  }
  /// log(2 x).
  Value logOfTwice(Value x) {
    return add(make<graph::LogOp>(x), number(M_LN2));
  }
  /// Zeros have the sign of their reciprocals.
  Value isNegative(Value x) {
    Value shown = select(is(x, CompareDirection::eq, 0), div(number(1), x), x);
    return is(shown, CompareDirection::lt, 0);
  }

  OpBuilder b;
  Location loc;
  RankedTensorType type;
  SmallVector<Value> sizes;
};

} // namespace

/// Where squares would overflow or lose all but the number itself.
static constexpr double large = 1e8;

Value DoubleFormulas::number(double value) {
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Value constant =
      b.create<graph::ConstantOp>(loc, DenseElementsAttr::get(scalar, value));
  return b.create<graph::BroadcastOp>(loc, type, constant, ArrayRef<int64_t>(),
                                      sizes);
}

Value DoubleFormulas::polynomial(Value x, ArrayRef<double> coefficients) {
  Value sum = number(coefficients.front());
  for (double coefficient : coefficients.drop_front())
    sum = add(mul(sum, x), number(coefficient));
  return sum;
}

/// Of r in [0, 1] or its reciprocal: atan r = y + atan((r - t) / (1 + r t))
/// with t = tan y, and the rest is as small as the rounding to f32.
Value DoubleFormulas::atan(Value x) {
  Value magnitude = abs(x), isBig = is(magnitude, CompareDirection::gt, 1),
        r = select(isBig, div(number(1), magnitude), magnitude);
  Value single = graph::converted(b, r, b.getF32Type());
  Value y = graph::converted(
      b, b.create<graph::AtanOp>(loc, single.getType(), single),
      b.getF64Type());
  Value t = div(make<graph::SinOp>(y), make<graph::CosOp>(y));
  y = add(y, div(sub(r, t), add(number(1), mul(r, t))));
  return withSign(select(isBig, sub(number(M_PI_2), y), y), x);
}

/// Twice the angle of half of the chord.
Value DoubleFormulas::asin(Value x) {
  Value one = number(1), cosine = sqrt(mul(sub(one, x), add(one, x)));
  return mul(number(2), atan(div(x, add(one, cosine))));
}

Value DoubleFormulas::acos(Value x) {
  Value isNegative = is(x, CompareDirection::lt, 0),
        rest = sub(number(1), abs(x)),
        angle = mul(number(2), asin(sqrt(mul(rest, number(0.5)))));
  return select(isNegative, sub(number(M_PI), angle), angle);
}

Value DoubleFormulas::atan2(Value y, Value x) {
  double infinity = std::numeric_limits<double>::infinity();
  auto isInfinite = [&](Value value) {
    return is(abs(value), CompareDirection::eq, infinity);
  };
  Value zero = number(0);
  Value bothZero = both(is(y, CompareDirection::eq, 0),
                        is(x, CompareDirection::eq, 0)),
        signs = mul(make<graph::SignOp>(y), make<graph::SignOp>(x));
  Value angle =
      atan(select(both(isInfinite(y), isInfinite(x)), signs, div(y, x)));
  Value half = select(isNegative(y), number(-M_PI), number(M_PI)),
        left = add(select(bothZero, zero, angle), half);
  return select(isNegative(x), left, select(bothZero, y, angle));
}

Value DoubleFormulas::asinh(Value x) {
  Value a = abs(x), square = mul(a, a),
        root = add(number(1), sqrt(add(square, number(1))));
  Value y = make<graph::Log1pOp>(add(a, div(square, root)));
  return withSign(select(is(a, CompareDirection::gt, large), logOfTwice(a), y),
                  x);
}

Value DoubleFormulas::acosh(Value x) {
  Value t = sub(x, number(1)), root = sqrt(mul(t, add(t, number(2))));
  Value y = select(is(x, CompareDirection::gt, large), logOfTwice(x),
                   make<graph::Log1pOp>(add(t, root)));
  double nan = std::numeric_limits<double>::quiet_NaN();
  return select(is(x, CompareDirection::lt, 1), number(nan), y);
}

Value DoubleFormulas::atanh(Value x) {
  Value a = abs(x), ratio = div(mul(number(2), a), sub(number(1), a));
  return withSign(mul(number(0.5), make<graph::Log1pOp>(ratio)), x);
}

/// Cephes' ndtr: rational approximations of erf below 1 and of erfc above,
/// where it is small. From 6 on the result is 1.
Value DoubleFormulas::erf(Value x) {
  static constexpr double nearOver[] = {
      9.60497373987051638749E0, 9.00260197203842689217E1,
      2.23200534594684319226E3, 7.00332514112805075473E3,
      5.55923013010394962768E4};
  static constexpr double nearUnder[] = {1.0,
                                         3.35617141647503099647E1,
                                         5.21357949780152679795E2,
                                         4.59432382970980127987E3,
                                         2.26290000613890934246E4,
                                         4.92673942608635921086E4};
  Value a = abs(x), square = mul(a, a);
  Value near =
      mul(a, div(polynomial(square, nearOver), polynomial(square, nearUnder)));
  Value c = select(is(a, CompareDirection::gt, 6), number(6), a);
  Value rest =
      mul(make<graph::ExpOp>(make<graph::NegOp>(mul(c, c))),
          div(polynomial(c, graph::erfcOver), polynomial(c, graph::erfcUnder)));
  return withSign(
      select(is(a, CompareDirection::lt, 1), near, sub(number(1), rest)), x);
}

Value DoubleFormulas::sinh(Value x) {
  constexpr double nearOverflow = 700;
  Value a = abs(x), e = make<graph::Expm1Op>(a),
        y = mul(number(0.5), add(e, div(e, add(e, number(1)))));
  Value root = make<graph::ExpOp>(mul(a, number(0.5)));
  Value huge = mul(mul(number(0.5), root), root);
  return withSign(select(is(a, CompareDirection::gt, nearOverflow), huge, y),
                  x);
}

static Value formulaOf(Operation *op) {
  DoubleFormulas formulas(op);
  Value x = op->getOperand(0);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](graph::AcosOp) { return formulas.acos(x); })
      .Case([&](graph::AcoshOp) { return formulas.acosh(x); })
      .Case([&](graph::AsinOp) { return formulas.asin(x); })
      .Case([&](graph::AsinhOp) { return formulas.asinh(x); })
      .Case([&](graph::AtanOp) { return formulas.atan(x); })
      .Case(
          [&](graph::Atan2Op) { return formulas.atan2(x, op->getOperand(1)); })
      .Case([&](graph::AtanhOp) { return formulas.atanh(x); })
      .Case([&](graph::ErfOp) { return formulas.erf(x); })
      .Case([&](graph::SinhOp) { return formulas.sinh(x); })
      .Default([](Operation *) { return Value(); });
}

static bool isDouble(Operation *op) {
  return getElementTypeOrSelf(op->getResult(0).getType()).isF64();
}

/// Ops of f64 that `isOne` names.
template <typename Predicate>
static SmallVector<Operation *> doubleOps(ModuleOp module, Predicate isOne) {
  SmallVector<Operation *> found;
  module.walk([&](Operation *op) {
    if (isOne(op) && isDouble(op))
      found.push_back(op);
  });
  return found;
}

static void replace(Operation *op, Value value) {
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
}

void onnx::expandDoubleFunctions(ModuleOp module) {
  // Its formula has an error function.
  for (Operation *op : doubleOps(module, llvm::IsaPred<graph::GeluOp>)) {
    OpBuilder builder(op);
    replace(op, graph::buildFormula(builder, op));
  }
  auto hasFormula = llvm::IsaPred<graph::AcosOp, graph::AcoshOp, graph::AsinOp,
                                  graph::AsinhOp, graph::AtanOp, graph::Atan2Op,
                                  graph::AtanhOp, graph::ErfOp, graph::SinhOp>;
  for (Operation *op : doubleOps(module, hasFormula))
    replace(op, formulaOf(op));
}
