// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of elementwise ops: one scalar or vector operation sequence each,
// chosen by type.

#include "ir/matchers/SplatConstant.h"
#include "lowering/builder/LaneDivision.h"
#include "lowering/elements/ElementConversions.h"
#include "lowering/elements/ElementEmitter.h"
#include "lowering/elements/Quantization.h"
#include "lowering/elements/SoftmaxMatch.h"
#include "lowering/elements/VectorMath.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;

namespace zenith::kernels {

namespace {
/// One elementwise op; its operands are all scalars or all vectors.
struct Elementwise {
  ElementEmitter &emitter;
  KernelBuilder &kernel;
  Type element; ///< of the first operand
  SmallVector<Value> x;

  OpBuilder &b() { return kernel.b; }
  Num num(unsigned i) { return {&kernel, x[i]}; }
  bool isFloat() const { return isa<FloatType>(element); }
  bool isDouble() const { return element.isF64(); }
  bool isUnsigned() const {
    return element.isUnsignedInteger() || element.isInteger(1);
  }
  int64_t bits() const { return element.getIntOrFloatBitWidth(); }
  template <typename Op> Value make() { return b().create<Op>(kernel.loc, x); }
  template <typename FloatOp, typename SignedOp, typename UnsignedOp = SignedOp>
  Value choose() {
    return isFloat()      ? make<FloatOp>()
           : isUnsigned() ? make<UnsignedOp>()
                          : make<SignedOp>();
  }
  Value compareInt(arith::CmpIPredicate predicate, Value y, Value z) {
    return b().create<arith::CmpIOp>(kernel.loc, predicate, y, z);
  }
  Value select(Value condition, Value y, Value z) {
    return b().create<arith::SelectOp>(kernel.loc, condition, y, z);
  }
  Value integer(int64_t value) { return kernel.integer(x[0].getType(), value); }

  Value function(StringRef name, Num (VectorMath::*one)(Num));
  Value function(StringRef name, Num (VectorMath::*two)(Num, Num));
  Value sign();
  Value negate();
  Value count(bool leadingZeros);
  Value divide(bool remainder);
  Value floorMod();
  Value bitsOfExponents();
  Value power();
  Value shift(bool left, bool arithmetic);
  Value compare(graph::CompareDirection direction);
};
} // namespace

Value Elementwise::function(StringRef name, Num (VectorMath::*one)(Num)) {
  VectorMath math(kernel);
  if (!isDouble())
    return (math.*one)(num(0)).v;
  using Function = Num (VectorMath::*)(Num);
  auto own = llvm::StringSwitch<Function>(name)
                 .Case("exp", &VectorMath::expDouble)
                 .Case("log", &VectorMath::logDouble)
                 .Case("sin", &VectorMath::sinDouble)
                 .Case("cos", &VectorMath::cosDouble)
                 .Case("tanh", &VectorMath::tanhDouble)
                 .Case("logistic", &VectorMath::logisticDouble)
                 .Default(nullptr);
  if (own && !kernel.target.printed)
    return (math.*own)(num(0)).v;
  if (name == "logistic") {
    Value e = math.libm("exp", {(-abs(num(0))).v});
    Num tail{&kernel, e};
    Num top = kernels::select(num(0) < 0, tail, 1);
    return (top / (tail + 1.0)).v;
  }
  return math.libm(name, {x[0]});
}

Value Elementwise::function(StringRef name, Num (VectorMath::*two)(Num, Num)) {
  VectorMath math(kernel);
  return isDouble() ? math.libm(name, {x[0], x[1]})
                    : (math.*two)(num(0), num(1)).v;
}

Value Elementwise::sign() {
  Num v = num(0);
  if (!isFloat() && isUnsigned())
    return select((v != 0).v, integer(1), integer(0));
  Num other = kernels::select(v < 0, v.like(-1), v);
  return kernels::select(v > 0, v.like(1), other).v;
}

Value Elementwise::negate() {
  return isFloat() ? make<arith::NegFOp>()
                   : b().create<arith::SubIOp>(kernel.loc, integer(0), x[0])
                         .getResult();
}

Value Elementwise::count(bool leadingZeros) {
  Value v = x[0];
  if (bits() == 4)
    v = b().create<arith::AndIOp>(kernel.loc, v, integer(15));
  if (!leadingZeros)
    return b().create<math::CtPopOp>(kernel.loc, v);
  Value zeros = b().create<math::CountLeadingZerosOp>(kernel.loc, v);
  return bits() == 4 ? b().create<arith::SubIOp>(kernel.loc, zeros, integer(4))
                           .getResult()
                     : zeros;
}

// The machine traps on zero divisors and on min / -1: divide by one in these
// lanes and select the result afterwards.
Value Elementwise::divide(bool remainder) {
  if (isFloat())
    return remainder ? exactRemainder(num(0), num(1)).v
                     : quotient(num(0), num(1)).v;
  Value left = x[0], right = x[1];
  Value zero = compareInt(arith::CmpIPredicate::eq, right, integer(0)),
        bad = zero, minusOne;
  if (!isUnsigned()) {
    minusOne = compareInt(arith::CmpIPredicate::eq, right, integer(-1));
    bad = b().create<arith::OrIOp>(kernel.loc, zero, minusOne);
  }
  Value safe = select(bad, integer(1), right), result;
  if (Num x = num(0), y{&kernel, safe}; dividesAsFloats(x, num(1))) {
    Num quotient = truncatedQuotient(x, y, isUnsigned());
    result = (remainder ? x - quotient * y : quotient).v;
  } else {
    Elementwise whole{emitter, kernel, element, {left, safe}};
    result =
        remainder
            ? whole.choose<arith::RemFOp, arith::RemSIOp, arith::RemUIOp>()
            : whole.choose<arith::DivFOp, arith::DivSIOp, arith::DivUIOp>();
  }
  if (remainder)
    return select(zero, left, result);
  if (minusOne)
    result =
        select(minusOne,
               b().create<arith::SubIOp>(kernel.loc, integer(0), left), result);
  return select(zero, integer(-1), result);
}

Value Elementwise::floorMod() {
  Num divisor = num(1), r{&kernel, divide(/*remainder=*/true)};
  if (!isFloat() && isUnsigned())
    return r.v;
  Flag differs = !((r < 0) == (divisor < 0));
  if (isFloat()) {
    Num moved = kernels::select(differs, r + divisor, r);
    return kernels::select(r == 0, copySign(r, divisor), moved).v;
  }
  return kernels::select(differs && (r != 0) && (divisor != 0), r + divisor, r)
      .v;
}

/// An upper bound of the exponents' significant bits, as an index. Negative
/// exponents are left out: their powers follow from the base.
Value Elementwise::bitsOfExponents() {
  if (kernel.target.printed || bits() == 1)
    return kernel.index(bits());
  Value all = x[1];
  if (!isUnsigned()) {
    Num exponents = num(1);
    all = kernels::select(exponents < 0, exponents.like(0), exponents).v;
  }
  if (isa<VectorType>(all.getType()))
    all = b().create<vector::ReductionOp>(kernel.loc, vector::CombiningKind::OR,
                                          all);
  Value unused = b().create<arith::IndexCastOp>(
      kernel.loc, b().getIndexType(),
      b().create<math::CountLeadingZerosOp>(kernel.loc, all));
  return kernel.sub(kernel.index(all.getType().getIntOrFloatBitWidth()),
                    unused);
}

Value Elementwise::power() {
  if (isFloat())
    return function("pow", &VectorMath::pow);
  Value one = integer(1);
  auto result = kernel.loop(
      kernel.index(0), bitsOfExponents(), kernel.index(1), {one, x[0], x[1]},
      [&](Value, ValueRange carried) {
        Num product{&kernel, carried[0]}, base{&kernel, carried[1]},
            rest{&kernel, carried[2]};
        Num next = kernels::select((rest & 1) != 0, product * base, product);
        return SmallVector<Value>{next.v, (base * base).v,
                                  rest.logicalShiftRight(rest.like(1)).v};
      });
  if (isUnsigned())
    return result[0];
  Num base = num(0), exponent = num(1);
  Num alternating =
      kernels::select((exponent & 1) == 0, base.like(1), base.like(-1));
  Num inverse = kernels::select(base == -1, alternating, base.like(0));
  inverse = kernels::select(base == 1, base.like(1), inverse);
  return kernels::select(exponent < 0, inverse, Num{&kernel, result[0]}).v;
}

Value Elementwise::shift(bool left, bool arithmetic) {
  Value amount = x[1], value = x[0], within, safe = amount;
  // Shift distances are mostly constants, as in packed state keys.
  APInt known;
  if (!matchPattern(amount, m_ConstantInt(&known)) || known.uge(bits())) {
    within = compareInt(arith::CmpIPredicate::ult, amount, integer(bits()));
    safe = select(within, amount, integer(arithmetic ? bits() - 1 : 0));
  }
  if (arithmetic) {
    // The highest bit of a ui4 or ui8 is its own; i4 is sign-extended already.
    if (bits() == 4 && element.isUnsignedInteger())
      value = b().create<arith::ShRSIOp>(
          kernel.loc, b().create<arith::ShLIOp>(kernel.loc, value, integer(4)),
          integer(4));
    return b().create<arith::ShRSIOp>(kernel.loc, value, safe);
  }
  if (!left && bits() == 4)
    value = b().create<arith::AndIOp>(kernel.loc, value, integer(15));
  Value moved =
      left ? b().create<arith::ShLIOp>(kernel.loc, value, safe).getResult()
           : b().create<arith::ShRUIOp>(kernel.loc, value, safe).getResult();
  return within ? select(within, moved, integer(0)) : moved;
}

Value Elementwise::compare(graph::CompareDirection direction) {
  using D = graph::CompareDirection;
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  F real = F::OEQ;
  I whole = I::eq;
  switch (direction) {
  case D::eq:
    break;
  case D::ne:
    real = F::UNE, whole = I::ne;
    break;
  case D::lt:
    real = F::OLT, whole = isUnsigned() ? I::ult : I::slt;
    break;
  case D::le:
    real = F::OLE, whole = isUnsigned() ? I::ule : I::sle;
    break;
  case D::gt:
    real = F::OGT, whole = isUnsigned() ? I::ugt : I::sgt;
    break;
  case D::ge:
    real = F::OGE, whole = isUnsigned() ? I::uge : I::sge;
    break;
  }
  if (isFloat())
    return b().create<arith::CmpFOp>(kernel.loc, real, x[0], x[1]);
  return compareInt(whole, x[0], x[1]);
}

using Rule = std::function<Value(Elementwise &)>;

static Rule functionOf(StringRef name, Num (VectorMath::*one)(Num)) {
  return [name, one](Elementwise &e) { return e.function(name, one); };
}

// Functions that libm has under the same name.
static Rule transcendental(StringRef mnemonic) {
  return llvm::StringSwitch<Rule>(mnemonic)
      .Case("exp", functionOf("exp", &VectorMath::exp))
      .Case("expm1", functionOf("expm1", &VectorMath::expm1))
      .Case("log", functionOf("log", &VectorMath::log))
      .Case("log1p", functionOf("log1p", &VectorMath::log1p))
      .Case("cbrt", functionOf("cbrt", &VectorMath::cbrt))
      .Case("sin", functionOf("sin", &VectorMath::sin))
      .Case("cos", functionOf("cos", &VectorMath::cos))
      .Case("tan", functionOf("tan", &VectorMath::tan))
      .Case("asin", functionOf("asin", &VectorMath::asin))
      .Case("acos", functionOf("acos", &VectorMath::acos))
      .Case("atan", functionOf("atan", &VectorMath::atan))
      .Case("sinh", functionOf("sinh", &VectorMath::sinh))
      .Case("cosh", functionOf("cosh", &VectorMath::cosh))
      .Case("tanh", functionOf("tanh", &VectorMath::tanh))
      .Case("asinh", functionOf("asinh", &VectorMath::asinh))
      .Case("acosh", functionOf("acosh", &VectorMath::acosh))
      .Case("atanh", functionOf("atanh", &VectorMath::atanh))
      .Case("erf", functionOf("erf", &VectorMath::erf))
      .Case("logistic", functionOf("logistic", &VectorMath::logistic))
      .Case("atan2",
            [](Elementwise &e) {
              return e.function("atan2", &VectorMath::atan2);
            })
      .Default(nullptr);
}

static Rule simple(StringRef mnemonic) {
  return llvm::StringSwitch<Rule>(mnemonic)
      .Case("abs",
            [](Elementwise &e) {
              if (e.isFloat())
                return e.make<math::AbsFOp>();
              return e.isUnsigned()
                         ? e.x[0]
                         : select(e.num(0) < 0, Num{&e.kernel, e.negate()},
                                  e.num(0))
                               .v;
            })
      .Case("neg", [](Elementwise &e) { return e.negate(); })
      .Case("sign", [](Elementwise &e) { return e.sign(); })
      .Case("sqrt", [](Elementwise &e) { return e.make<math::SqrtOp>(); })
      .Case(
          "rsqrt",
          [](Elementwise &e) { return VectorMath(e.kernel).rsqrt(e.num(0)).v; })
      .Case("floor", [](Elementwise &e) { return e.make<math::FloorOp>(); })
      .Case("ceil", [](Elementwise &e) { return e.make<math::CeilOp>(); })
      .Case("round_even",
            [](Elementwise &e) { return e.make<math::RoundEvenOp>(); })
      .Case("round_away",
            [](Elementwise &e) {
              return VectorMath(e.kernel).roundAway(e.num(0)).v;
            })
      .Case("not",
            [](Elementwise &e) {
              return e.b()
                  .create<arith::XOrIOp>(e.kernel.loc, e.x[0], e.integer(-1))
                  .getResult();
            })
      .Case("popcount", [](Elementwise &e) { return e.count(false); })
      .Case("count_leading_zeros", [](Elementwise &e) { return e.count(true); })
      .Case("add",
            [](Elementwise &e) {
              return e.choose<arith::AddFOp, arith::AddIOp>();
            })
      .Case("sub",
            [](Elementwise &e) {
              return e.choose<arith::SubFOp, arith::SubIOp>();
            })
      .Case("mul",
            [](Elementwise &e) {
              return e.choose<arith::MulFOp, arith::MulIOp>();
            })
      .Case("div", [](Elementwise &e) { return e.divide(false); })
      .Case("rem", [](Elementwise &e) { return e.divide(true); })
      .Case("floor_mod", [](Elementwise &e) { return e.floorMod(); })
      .Case("pow", [](Elementwise &e) { return e.power(); })
      .Case("max",
            [](Elementwise &e) {
              return e
                  .choose<arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>();
            })
      .Case("min",
            [](Elementwise &e) {
              return e
                  .choose<arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>();
            })
      .Case("and", [](Elementwise &e) { return e.make<arith::AndIOp>(); })
      .Case("or", [](Elementwise &e) { return e.make<arith::OrIOp>(); })
      .Case("xor", [](Elementwise &e) { return e.make<arith::XOrIOp>(); })
      .Case("shift_left", [](Elementwise &e) { return e.shift(true, false); })
      .Case("shift_right_arithmetic",
            [](Elementwise &e) { return e.shift(false, true); })
      .Case("shift_right_logical",
            [](Elementwise &e) { return e.shift(false, false); })
      .Case(
          "is_finite",
          [](Elementwise &e) {
            return (abs(e.num(0)) < std::numeric_limits<double>::infinity()).v;
          })
      .Default(nullptr);
}

static Value clamp(Elementwise e) {
  Value low = e.x[0], high = e.x[2];
  e.x = {e.x[1], low};
  Value raised = simple("max")(e);
  e.x = {raised, high};
  return simple("min")(e);
}

// Ops whose results are always exactly representable: no rounding after them.
static bool staysExact(Operation *op) {
  return isa<graph::MaxOp, graph::MinOp, graph::AbsOp, graph::NegOp,
             graph::SignOp, graph::SelectOp, graph::ClampOp, graph::FloorOp,
             graph::CeilOp, graph::RoundEvenOp, graph::RoundAwayOp,
             graph::ConvertOp, graph::BitcastOp, graph::CompareOp,
             graph::IsFiniteOp>(op);
}

static bool isOne(Value value) { return graph::splatValue(value) == 1.0; }

// The erf or tanh of a gelu: 1 is added to it before a multiplication, so the
// absolute error matters, not the relative one.
static bool insideGelu(Operation *op) {
  return !getElementTypeOrSelf(op->getResult(0).getType()).isF64() &&
         llvm::all_of(op->getUsers(), [](Operation *sum) {
           return isa<graph::AddOp>(sum) &&
                  (isOne(sum->getOperand(0)) || isOne(sum->getOperand(1))) &&
                  llvm::all_of(sum->getUsers(), [](Operation *product) {
                    return isa<graph::MulOp>(product);
                  });
         });
}

Value ElementEmitter::elementwise(Operation *op, ArrayRef<LaneIndex> index) {
  SmallVector<Value> sources(op->getOperands()), operands;
  std::optional<Quantized> quantized;
  if (auto convert = dyn_cast<graph::ConvertOp>(op)) {
    sources = {withoutBounds(convert)};
    if ((quantized = Quantized::match(convert)))
      sources = quantized->sources();
  }
  for (Value source : sources) {
    operands.push_back(emit(source, index));
    if (!operands.back())
      return {};
  }
  bool byReciprocal = isShareOfSum(op);
  // Before the divisor is broadcast to lanes: one division serves a whole row.
  if (byReciprocal)
    operands[1] = (1.0 / Num{&kernel, operands[1]}).v;
  unify(operands);
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  Type resultElement = getElementTypeOrSelf(op->getResult(0).getType());
  Elementwise e{*this, kernel, element, operands};
  StringRef mnemonic = op->getName().stripDialect();
  Value result;
  if (auto compare = dyn_cast<graph::CompareOp>(op)) {
    result = e.compare(compare.getDirection());
  } else if (isa<graph::SelectOp>(op)) {
    result = e.select(operands[0], operands[1], operands[2]);
  } else if (isa<graph::ClampOp>(op)) {
    result = clamp(e);
  } else if (quantized) {
    result = quantized->convert(*this, operands, resultElement);
  } else if (isa<graph::ConvertOp>(op)) {
    result = cast<graph::ConvertOp>(op).getSaturate()
                 ? saturateElement(*this, operands[0], element, resultElement)
                 : convertElement(*this, operands[0], element, resultElement);
  } else if (isa<graph::BitcastOp>(op)) {
    Value stored = toMemory(element, operands[0]);
    Type type = typeLike(memoryType(resultElement), stored.getType());
    if (type != stored.getType())
      stored = kernel.b.create<arith::BitcastOp>(kernel.loc, type, stored);
    result = toRegister(resultElement, stored);
    // i4 is sign-extended to its byte, ui4 zero-extended.
    if (resultElement.isInteger(4))
      result = roundTo(resultElement, result);
  } else if (byReciprocal) {
    result = (e.num(0) * e.num(1)).v;
  } else if (isFastExp(op)) {
    result = VectorMath(kernel).expShort(e.num(0)).v;
  } else if (isa<graph::ErfOp>(op) && insideGelu(op)) {
    result = VectorMath(kernel).erfShort(e.num(0)).v;
  } else if (isa<graph::TanhOp>(op) && insideGelu(op)) {
    result = VectorMath(kernel).tanhShort(e.num(0)).v;
  } else if (Rule rule = simple(mnemonic)) {
    result = rule(e);
  } else if (Rule rule = transcendental(mnemonic)) {
    result = rule(e);
  } else {
    return unsupported(op);
  }
  return staysExact(op) ? result : roundTo(resultElement, result);
}

} // namespace zenith::kernels
