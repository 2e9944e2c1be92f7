// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Derivatives of elementwise ops: a factor per operand, and the transposes of
// those that are linear.

#include "ir/matchers/SplatConstant.h"
#include "ir/matchers/TypeOf.h"
#include "passes/autodiff/ElementwiseFactors.h"
#include "passes/autodiff/GradientRule.h"
#include "passes/raise/SpelledForms.h"
#include <cmath>

using namespace mlir;
using namespace zenith::graph;

namespace zenith::autodiff {

using Values = SmallVector<Value>;
using Tangents = ArrayRef<Value>;

/// Functions whose derivative is infinite somewhere.
template <typename Op>
constexpr bool isSingular =
    std::is_same_v<Op, LogOp> || std::is_same_v<Op, Log1pOp> ||
    std::is_same_v<Op, SqrtOp> || std::is_same_v<Op, RsqrtOp> ||
    std::is_same_v<Op, CbrtOp> || std::is_same_v<Op, AsinOp> ||
    std::is_same_v<Op, AcosOp> || std::is_same_v<Op, AcoshOp> ||
    std::is_same_v<Op, AtanhOp>;

// Functions of one operand: the factor of its tangent.
template <typename Op>
static auto tangentsOf(Op op, RuleBuilder &rule, Tangents t)
    -> decltype(factorOf(op, rule), Derivatives(Values())) {
  Value result = rule.mul(t[0], factorOf(op, rule));
  if (isSingular<Op>)
    rule.markSingular(result);
  return Values{result};
}

static Derivatives tangentsOf(NegOp, RuleBuilder &rule, Tangents t) {
  return Values{rule.neg(t[0])};
}

/// At 0 as from above, as in JAX.
static Derivatives tangentsOf(AbsOp op, RuleBuilder &rule, Tangents t) {
  Value x = op.getOperand();
  Value isUp = rule.compare(CompareDirection::ge, x, rule.zeros(x));
  return Values{rule.select(isUp, t[0], rule.neg(t[0]))};
}

/// log(exp(a) + exp(b)) has the shares logistic(a - b) and logistic(b - a).
static Derivatives tangentsOf(AddOp op, RuleBuilder &rule, Tangents t) {
  auto exponents = raise::logAddExp(op);
  if (!exponents)
    return Values{rule.plus(t[0], t[1])};
  auto share = [&](Value own, Value other) {
    return rule.unary<LogisticOp>(rule.sub(own, other));
  };
  Value a = exponents->first, b = exponents->second;
  Value ofA = t[0] ? rule.mul(t[0], share(a, b)) : Value(),
        ofB = t[1] ? rule.mul(t[1], share(b, a)) : Value();
  return Values{rule.plus(ofA, ofB)};
}

static Derivatives tangentsOf(SubOp, RuleBuilder &rule, Tangents t) {
  if (t[0] && t[1])
    return Values{rule.sub(t[0], t[1])};
  return Values{t[0] ? t[0] : rule.neg(t[1])};
}

static bool isInfinite(Value value) {
  std::optional<double> number = splatValue(value);
  return number && !std::isfinite(*number);
}

/// Infinities and NaN stay what they are wherever they are defined.
static Derivatives tangentsOf(MulOp op, RuleBuilder &rule, Tangents t) {
  Value x = op.getLhs(), y = op.getRhs();
  return Values{rule.plus(isInfinite(y) ? Value() : rule.times(t[0], y),
                          isInfinite(x) ? Value() : rule.times(t[1], x))};
}

/// (x / y)' = (x' - y' * (x / y)) / y.
static Derivatives tangentsOf(DivOp op, RuleBuilder &rule, Tangents t) {
  Value numerator = t[0];
  if (t[1]) {
    Value change = rule.mul(t[1], op.getResult());
    rule.markSingular(change);
    numerator = rule.plus(numerator, rule.neg(change));
  }
  Value quotient = rule.div(numerator, op.getRhs());
  rule.markSingular(quotient);
  return Values{quotient};
}

static Derivatives fromQuotient(RuleBuilder &rule, Tangents t, Value quotient) {
  Value change = t[1] ? rule.neg(rule.mul(t[1], quotient)) : Value();
  return Values{rule.plus(t[0], change)};
}

/// x - y * trunc(x / y).
static Derivatives tangentsOf(RemOp op, RuleBuilder &rule, Tangents t) {
  if (!t[1])
    return Values{t[0]};
  Value quotient = rule.div(op.getLhs(), op.getRhs());
  Value isNegative =
      rule.compare(CompareDirection::lt, quotient, rule.zeros(quotient));
  return fromQuotient(rule, t,
                      rule.select(isNegative, rule.unary<CeilOp>(quotient),
                                  rule.unary<FloorOp>(quotient)));
}

/// x - y * floor(x / y).
static Derivatives tangentsOf(FloorModOp op, RuleBuilder &rule, Tangents t) {
  if (!t[1])
    return Values{t[0]};
  return fromQuotient(rule, t,
                      rule.unary<FloorOp>(rule.div(op.getLhs(), op.getRhs())));
}

static Derivatives tangentsOf(PowOp op, RuleBuilder &rule, Tangents t) {
  Value x = op.getLhs(), y = op.getRhs(), zero = rule.zeros(x),
        one = rule.splat(x, 1);
  Value result;
  if (t[0]) {
    // At y = 0 the power is constant, also where x = 0.
    Value isFlat = rule.compare(CompareDirection::eq, y, zero);
    Value exponent = rule.select(isFlat, one, rule.sub(y, one));
    Value factor = rule.mul(y, rule.binary<PowOp>(x, exponent));
    result = rule.mul(t[0], rule.unless(isFlat, factor));
    rule.markSingular(result);
  }
  if (t[1]) {
    Value isZero = rule.compare(CompareDirection::eq, x, zero);
    Value logarithm = rule.unary<LogOp>(rule.select(isZero, one, x));
    Value factor = rule.mul(logarithm, op.getResult());
    result = rule.plus(result, rule.mul(t[1], rule.unless(isZero, factor)));
  }
  return Values{result};
}

/// (y' x - x' y) / (x^2 + y^2), y being the first operand.
static Derivatives tangentsOf(Atan2Op op, RuleBuilder &rule, Tangents t) {
  Value y = op.getLhs(), x = op.getRhs();
  Value square = rule.add(rule.square(x), rule.square(y));
  Value ofY = rule.times(t[0], rule.div(x, square));
  Value ofX = rule.times(t[1], rule.neg(rule.div(y, square)));
  return Values{rule.plus(ofY, ofX)};
}

/// Whether the program's arguments and parameters have no effect on `value`.
static bool isConstant(Value value) {
  for (unsigned step = 0; step < 8; ++step) {
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<ConstantOp, IotaOp>(op))
      return true;
    if (!isa_and_nonnull<BroadcastOp, ReshapeOp, ConvertOp, TransposeOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

/// How much of the tangent of `own` the larger or smaller one of two values
/// has: equal operands share by halves, unless one is constant, which then has
/// all.
static Value shareOf(RuleBuilder &rule, Value own, Value other,
                     CompareDirection wins, bool tiesShare) {
  Value isChosen = rule.compare(wins, own, other);
  Value share = rule.select(isChosen, rule.splat(own, 1), rule.zeros(own));
  if (!tiesShare)
    return share;
  Value isEqual = rule.compare(CompareDirection::eq, own, other);
  return rule.select(isEqual, rule.splat(own, 0.5), share);
}

static Derivatives chosenTangent(Operation *op, RuleBuilder &rule, Tangents t,
                                 CompareDirection wins) {
  Value x = op->getOperand(0), y = op->getOperand(1);
  bool tiesShare = !isConstant(x) && !isConstant(y);
  // Beside a constant the result tells what was chosen: of relu, the next
  // product keeps it anyway, and nobody needs the operand.
  Value result = op->getResult(0), seenX = isConstant(y) ? result : x,
        seenY = isConstant(x) ? result : y;
  Value ofX =
      t[0] ? rule.mul(t[0], shareOf(rule, seenX, y, wins, tiesShare)) : Value();
  Value ofY =
      t[1] ? rule.mul(t[1], shareOf(rule, seenY, x, wins, tiesShare)) : Value();
  return Values{rule.plus(ofX, ofY)};
}

static Derivatives tangentsOf(MaxOp op, RuleBuilder &rule, Tangents t) {
  return chosenTangent(op, rule, t, CompareDirection::gt);
}

static Derivatives tangentsOf(MinOp op, RuleBuilder &rule, Tangents t) {
  return chosenTangent(op, rule, t, CompareDirection::lt);
}

static Derivatives tangentsOf(SelectOp op, RuleBuilder &rule, Tangents t) {
  Value yes = t[1] ? t[1] : rule.zeros(op.getOnTrue());
  Value no = t[2] ? t[2] : rule.zeros(op.getOnFalse());
  return Values{rule.select(op.getPred(), yes, no)};
}

/// min(max(x, low), high); nobody has the tangent of x at a bound.
static Derivatives tangentsOf(ClampOp op, RuleBuilder &rule, Tangents t) {
  Value low = op.getLow(), x = op.getOperand(), high = op.getHigh(), result;
  auto both = [&](Value a, Value b) -> Value {
    return rule.builder.create<AndOp>(rule.loc, a.getType(), a, b);
  };
  auto add = [&](Value tangent, Value isTaken) {
    result = rule.plus(result, rule.where(isTaken, tangent));
  };
  if (t[0])
    add(t[0], both(rule.compare(CompareDirection::gt, low, x),
                   rule.compare(CompareDirection::le, low, high)));
  if (t[1])
    add(t[1], both(rule.compare(CompareDirection::gt, x, low),
                   rule.compare(CompareDirection::lt, x, high)));
  if (t[2])
    add(t[2],
        rule.compare(CompareDirection::lt, high, rule.binary<MaxOp>(x, low)));
  return Values{result};
}

static Derivatives tangentsOf(ConvertOp op, RuleBuilder &rule, Tangents t) {
  return onTangents(op, rule, t, {0});
}

/// Of floats that come back from their bits.
static Derivatives tangentsOf(BitcastOp op, RuleBuilder &rule, Tangents t) {
  auto found = raise::floatsFromBits(op);
  if (!found)
    return refuseRule(op);
  if (found->order)
    return Values{
        rule.takeAlong(t[0], found->order.getIndices(), found->order.getDim())};
  Value rounded = rule.convert(t[0], rule.builder.getBF16Type());
  return Values{rule.convert(rounded, rule.builder.getF32Type())};
}

static Derivatives tangentsOf(ComplexOp op, RuleBuilder &rule, Tangents t) {
  return onTangents(op, rule, t, {0, 1});
}

static Derivatives tangentsOf(RealOp op, RuleBuilder &rule, Tangents t) {
  return onTangents(op, rule, t, {0});
}

static Derivatives tangentsOf(ImagOp op, RuleBuilder &rule, Tangents t) {
  return onTangents(op, rule, t, {0});
}

static Value partOf(RuleBuilder &rule, Value z, bool real) {
  Type element = cast<ComplexType>(typeOf(z).getElementType()).getElementType();
  RankedTensorType type = typeOf(z).clone(element);
  if (real)
    return rule.builder.create<RealOp>(rule.loc, type, z);
  return rule.builder.create<ImagOp>(rule.loc, type, z);
}

/// (re re' + im im') / |z|, 0 at z = 0.
static Derivatives tangentsOf(ComplexAbsOp op, RuleBuilder &rule, Tangents t) {
  Value z = op.getOperand(), size = op.getResult();
  Value isZero = rule.compare(CompareDirection::eq, size, rule.zeros(size));
  Value divisor = rule.select(isZero, rule.splat(size, 1), size);
  Value real = rule.mul(partOf(rule, t[0], true),
                        rule.div(partOf(rule, z, true), divisor));
  Value imag = rule.mul(partOf(rule, t[0], false),
                        rule.div(partOf(rule, z, false), divisor));
  return Values{rule.add(real, imag)};
}

// Ops without a rule, and those whose derivative is zero.
static Derivatives tangentsOf(Operation *op, RuleBuilder &, Tangents) {
  return refuseRule(op);
}

static Derivatives transposeOf(AddOp, RuleBuilder &, ArrayRef<Value> ct,
                               const BitVector &linear) {
  return Values{linear[0] ? ct[0] : Value(), linear[1] ? ct[0] : Value()};
}

static Derivatives transposeOf(SubOp, RuleBuilder &rule, ArrayRef<Value> ct,
                               const BitVector &linear) {
  return Values{linear[0] ? ct[0] : Value(),
                linear[1] ? rule.neg(ct[0]) : Value()};
}

static Derivatives transposeOf(NegOp, RuleBuilder &rule, ArrayRef<Value> ct,
                               const BitVector &) {
  return Values{rule.neg(ct[0])};
}

/// What no result depends on has the cotangent zero, also where its derivative
/// is infinite: a branch of a select that is not taken gives no NaN.
static Value unlessZero(Operation *op, RuleBuilder &rule, Value ct,
                        Value product) {
  if (!RuleBuilder::isSingular(op))
    return product;
  Value isZero = rule.compare(CompareDirection::eq, ct, rule.zeros(ct));
  return rule.unless(isZero, product);
}

static Derivatives transposeOf(MulOp op, RuleBuilder &rule, ArrayRef<Value> ct,
                               const BitVector &linear) {
  if (linear.all())
    return notLinear(op);
  Value factor = linear[0] ? op.getRhs() : op.getLhs();
  Value product = unlessZero(op, rule, ct[0], rule.mul(ct[0], factor));
  return linear[0] ? Values{product, Value()} : Values{Value(), product};
}

static Derivatives transposeOf(DivOp op, RuleBuilder &rule, ArrayRef<Value> ct,
                               const BitVector &linear) {
  if (linear[1])
    return notLinear(op);
  return Values{unlessZero(op, rule, ct[0], rule.div(ct[0], op.getRhs())),
                Value()};
}

static Derivatives transposeOf(SelectOp op, RuleBuilder &rule,
                               ArrayRef<Value> ct, const BitVector &linear) {
  return Values{Value(), linear[1] ? rule.where(op.getPred(), ct[0]) : Value(),
                linear[2] ? rule.unless(op.getPred(), ct[0]) : Value()};
}

static Derivatives transposeOf(ConvertOp op, RuleBuilder &rule,
                               ArrayRef<Value> ct, const BitVector &) {
  return Values{rule.convert(ct[0], typeOf(op.getOperand()).getElementType())};
}

static Value complexOf(RuleBuilder &rule, Value real, Value imag) {
  auto type =
      typeOf(real).clone(ComplexType::get(typeOf(real).getElementType()));
  return rule.builder.create<ComplexOp>(rule.loc, type, real, imag);
}

// The plain transpose without conjugation: the gradient of a real loss is
// dL/dRe - i dL/dIm.
static Derivatives transposeOf(ComplexOp, RuleBuilder &rule, ArrayRef<Value> ct,
                               const BitVector &linear) {
  return Values{linear[0] ? partOf(rule, ct[0], true) : Value(),
                linear[1] ? rule.neg(partOf(rule, ct[0], false)) : Value()};
}

static Derivatives transposeOf(RealOp, RuleBuilder &rule, ArrayRef<Value> ct,
                               const BitVector &) {
  return Values{complexOf(rule, ct[0], rule.zeros(ct[0]))};
}

static Derivatives transposeOf(ImagOp, RuleBuilder &rule, ArrayRef<Value> ct,
                               const BitVector &) {
  return Values{complexOf(rule, rule.zeros(ct[0]), rule.neg(ct[0]))};
}

static Derivatives transposeOf(Operation *op, RuleBuilder &, ArrayRef<Value>,
                               const BitVector &) {
  return notLinear(op);
}

namespace {

/// Ops that are flat wherever they have a derivative.
template <typename Op, typename... Ops>
constexpr bool isOneOf = (std::is_same_v<Op, Ops> || ...);

template <typename Op>
constexpr bool isFlat =
    isOneOf<Op, SignOp, FloorOp, CeilOp, RoundEvenOp, RoundAwayOp, CompareOp,
            IsFiniteOp, AndOp, OrOp, XorOp, NotOp, PopcountOp,
            CountLeadingZerosOp, ShiftLeftOp, ShiftRightArithmeticOp,
            ShiftRightLogicalOp>;

GradientAnswer bitcastAnswer(BitcastOp op) {
  bool toFloats = isDifferentiable(op.getType());
  if (toFloats && raise::floatsFromBits(op))
    return {GradientAnswer::Rule, ""};
  if (isDifferentiable(op.getOperand().getType()) &&
      (toFloats || raise::leaksBits(op)))
    return {GradientAnswer::Refused,
            "bits of a value that is differentiated are no function with a "
            "derivative"};
  return {GradientAnswer::Zero, ""};
}

template <typename Op>
struct ElementwiseGradient
    : GradientRule::ExternalModel<ElementwiseGradient<Op>, Op> {
  GradientAnswer gradientAnswer(Operation *op) const {
    if (isFlat<Op>)
      return {GradientAnswer::Zero, ""};
    if constexpr (isOneOf<Op, BitcastOp>)
      return bitcastAnswer(cast<BitcastOp>(op));
    return {GradientAnswer::Rule, ""};
  }
  Values variables(Operation *op) const {
    if constexpr (isOneOf<Op, AddOp>)
      if (auto exponents = raise::logAddExp(cast<AddOp>(op)))
        return {exponents->first, exponents->second};
    if constexpr (isOneOf<Op, BitcastOp>)
      if (auto found = raise::floatsFromBits(cast<BitcastOp>(op)))
        return {found->source};
    return Values(op->getOperands());
  }
  Derivatives linearize(Operation *op, RuleBuilder &rule, Tangents t) const {
    return tangentsOf(cast<Op>(op), rule, t);
  }
  Derivatives transpose(Operation *op, RuleBuilder &rule, ArrayRef<Value> ct,
                        const BitVector &linear) const {
    return transposeOf(cast<Op>(op), rule, ct, linear);
  }
};

} // namespace

void attachElementwiseGradients(MLIRContext *context) {
  attachAll<ElementwiseGradient,
#define GET_OP_LIST
#include "ir/Elementwise.cpp.inc"
            >(context);
}

} // namespace zenith::autodiff
