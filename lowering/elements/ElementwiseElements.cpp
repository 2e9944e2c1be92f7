// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of elementwise ops: one scalar or vector operation sequence each,
// chosen by type.

#include "ir/matchers/SplatConstant.h"
#include "lowering/builder/LaneDivision.h"
#include "lowering/builder/SoftmaxMatch.h"
#include "lowering/elements/ElementConversions.h"
#include "lowering/elements/ElementRule.h"
#include "lowering/elements/Quantization.h"
#include "lowering/elements/VectorMath.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
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
  LaneValue num(unsigned i) { return {&kernel, x[i]}; }
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

  Value function(StringRef name, LaneValue (VectorMath::*one)(LaneValue),
                 LaneValue (VectorMath::*ofDoubles)(LaneValue) = nullptr);
  Value function(StringRef name,
                 LaneValue (VectorMath::*two)(LaneValue, LaneValue));
  Value logistic();
  Value absolute();
  Value maximum() {
    return choose<arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>();
  }
  Value minimum() {
    return choose<arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>();
  }
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

/// Functions that libm has under the same name; `ofDoubles` computes f64 where
/// VectorMath has such a version, else libm does.
Value Elementwise::function(StringRef name,
                            LaneValue (VectorMath::*one)(LaneValue),
                            LaneValue (VectorMath::*ofDoubles)(LaneValue)) {
  VectorMath math(kernel);
  if (!isDouble())
    return (math.*one)(num(0)).v;
  if (ofDoubles && !kernel.target.libraryDoubles)
    return (math.*ofDoubles)(num(0)).v;
  return math.libm(name, {x[0]});
}

Value Elementwise::function(StringRef name,
                            LaneValue (VectorMath::*two)(LaneValue,
                                                         LaneValue)) {
  VectorMath math(kernel);
  return isDouble() ? math.libm(name, {x[0], x[1]})
                    : (math.*two)(num(0), num(1)).v;
}

Value Elementwise::logistic() {
  VectorMath math(kernel);
  if (!isDouble())
    return math.logistic(num(0)).v;
  if (!kernel.target.libraryDoubles)
    return math.logisticDouble(num(0)).v;
  // No function of libm.
  LaneValue tail{&kernel, math.libm("exp", {(-abs(num(0))).v})};
  LaneValue top = kernels::select(num(0) < 0, tail, 1);
  return (top / (tail + 1.0)).v;
}

Value Elementwise::absolute() {
  if (isFloat())
    return make<math::AbsFOp>();
  if (isUnsigned())
    return x[0];
  return kernels::select(num(0) < 0, LaneValue{&kernel, negate()}, num(0)).v;
}

Value Elementwise::sign() {
  LaneValue v = num(0);
  if (!isFloat() && isUnsigned())
    return select((v != 0).v, integer(1), integer(0));
  LaneValue other = kernels::select(v < 0, v.like(-1), v);
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
  if (LaneValue x = num(0), y{&kernel, safe}; dividesAsFloats(x, num(1))) {
    LaneValue quotient = truncatedQuotient(x, y, isUnsigned());
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
  LaneValue divisor = num(1), r{&kernel, divide(/*remainder=*/true)};
  if (!isFloat() && isUnsigned())
    return r.v;
  Flag differs = !((r < 0) == (divisor < 0));
  if (isFloat()) {
    LaneValue moved = kernels::select(differs, r + divisor, r);
    return kernels::select(r == 0, copySign(r, divisor), moved).v;
  }
  return kernels::select(differs && (r != 0) && (divisor != 0), r + divisor, r)
      .v;
}

/// An upper bound of the exponents' significant bits, as an index. Negative
/// exponents are left out: their powers follow from the base.
Value Elementwise::bitsOfExponents() {
  if (!kernel.target.laneBranches || bits() == 1)
    return kernel.index(bits());
  Value all = x[1];
  if (!isUnsigned()) {
    LaneValue exponents = num(1);
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
        LaneValue product{&kernel, carried[0]}, base{&kernel, carried[1]},
            rest{&kernel, carried[2]};
        LaneValue next =
            kernels::select((rest & 1) != 0, product * base, product);
        return SmallVector<Value>{next.v, (base * base).v,
                                  rest.logicalShiftRight(rest.like(1)).v};
      });
  if (isUnsigned())
    return result[0];
  LaneValue base = num(0), exponent = num(1);
  LaneValue alternating =
      kernels::select((exponent & 1) == 0, base.like(1), base.like(-1));
  LaneValue inverse = kernels::select(base == -1, alternating, base.like(0));
  inverse = kernels::select(base == 1, base.like(1), inverse);
  return kernels::select(exponent < 0, inverse, LaneValue{&kernel, result[0]})
      .v;
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

/// Functions of libm, where no overload below knows more.
template <typename Op> static Value lanesOf(Op, Elementwise &e) {
#define ZENITH_UNARY_FUNCTION(OP, NAME, MATH, BY)                              \
  if constexpr (std::is_same_v<Op, graph::OP##Op>)                             \
    return e.function(#NAME, &VectorMath::NAME);                               \
  else
#include "ir/ElementaryFunctions.def"
  static_assert(!sizeof(Op), "nothing says what an element of this op is");
}

static Value lanesOf(graph::LogOp, Elementwise &e) {
  return e.function("log", &VectorMath::log, &VectorMath::logDouble);
}

static Value lanesOf(graph::SinOp, Elementwise &e) {
  return e.function("sin", &VectorMath::sin, &VectorMath::sinDouble);
}

static Value lanesOf(graph::CosOp, Elementwise &e) {
  return e.function("cos", &VectorMath::cos, &VectorMath::cosDouble);
}

static Value lanesOf(graph::Atan2Op, Elementwise &e) {
  return e.function("atan2", &VectorMath::atan2);
}

static Value lanesOf(graph::LogisticOp, Elementwise &e) { return e.logistic(); }

static Value lanesOf(graph::ExpOp op, Elementwise &e) {
  return isFastExp(op)
             ? VectorMath(e.kernel).expShort(e.num(0)).v
             : e.function("exp", &VectorMath::exp, &VectorMath::expDouble);
}

static Value lanesOf(graph::ErfOp op, Elementwise &e) {
  return insideGelu(op) ? VectorMath(e.kernel).erfShort(e.num(0)).v
                        : e.function("erf", &VectorMath::erf);
}

static Value lanesOf(graph::TanhOp op, Elementwise &e) {
  return insideGelu(op)
             ? VectorMath(e.kernel).tanhShort(e.num(0)).v
             : e.function("tanh", &VectorMath::tanh, &VectorMath::tanhDouble);
}

static Value lanesOf(graph::AbsOp, Elementwise &e) { return e.absolute(); }

static Value lanesOf(graph::NegOp, Elementwise &e) { return e.negate(); }

static Value lanesOf(graph::SignOp, Elementwise &e) { return e.sign(); }

static Value lanesOf(graph::SqrtOp, Elementwise &e) {
  return e.make<math::SqrtOp>();
}

static Value lanesOf(graph::RsqrtOp, Elementwise &e) {
  return VectorMath(e.kernel).rsqrt(e.num(0)).v;
}

static Value lanesOf(graph::FloorOp, Elementwise &e) {
  return e.make<math::FloorOp>();
}

static Value lanesOf(graph::CeilOp, Elementwise &e) {
  return e.make<math::CeilOp>();
}

static Value lanesOf(graph::RoundEvenOp, Elementwise &e) {
  return e.make<math::RoundEvenOp>();
}

static Value lanesOf(graph::RoundAwayOp, Elementwise &e) {
  return VectorMath(e.kernel).roundAway(e.num(0)).v;
}

static Value lanesOf(graph::NotOp, Elementwise &e) {
  return e.b().create<arith::XOrIOp>(e.kernel.loc, e.x[0], e.integer(-1));
}

static Value lanesOf(graph::PopcountOp, Elementwise &e) {
  return e.count(/*leadingZeros=*/false);
}

static Value lanesOf(graph::CountLeadingZerosOp, Elementwise &e) {
  return e.count(/*leadingZeros=*/true);
}

static Value lanesOf(graph::AddOp, Elementwise &e) {
  return e.choose<arith::AddFOp, arith::AddIOp>();
}

static Value lanesOf(graph::SubOp, Elementwise &e) {
  return e.choose<arith::SubFOp, arith::SubIOp>();
}

static Value lanesOf(graph::MulOp, Elementwise &e) {
  return e.choose<arith::MulFOp, arith::MulIOp>();
}

/// The divisor of a share of a sum is its reciprocal already.
static Value lanesOf(graph::DivOp op, Elementwise &e) {
  return isShareOfSum(op) ? (e.num(0) * e.num(1)).v
                          : e.divide(/*remainder=*/false);
}

static Value lanesOf(graph::RemOp, Elementwise &e) {
  return e.divide(/*remainder=*/true);
}

static Value lanesOf(graph::FloorModOp, Elementwise &e) { return e.floorMod(); }

static Value lanesOf(graph::PowOp, Elementwise &e) { return e.power(); }

static Value lanesOf(graph::MaxOp, Elementwise &e) { return e.maximum(); }

static Value lanesOf(graph::MinOp, Elementwise &e) { return e.minimum(); }

static Value lanesOf(graph::AndOp, Elementwise &e) {
  return e.make<arith::AndIOp>();
}

static Value lanesOf(graph::OrOp, Elementwise &e) {
  return e.make<arith::OrIOp>();
}

static Value lanesOf(graph::XorOp, Elementwise &e) {
  return e.make<arith::XOrIOp>();
}

static Value lanesOf(graph::ShiftLeftOp, Elementwise &e) {
  return e.shift(/*left=*/true, /*arithmetic=*/false);
}

static Value lanesOf(graph::ShiftRightArithmeticOp, Elementwise &e) {
  return e.shift(/*left=*/false, /*arithmetic=*/true);
}

static Value lanesOf(graph::ShiftRightLogicalOp, Elementwise &e) {
  return e.shift(/*left=*/false, /*arithmetic=*/false);
}

static Value lanesOf(graph::IsFiniteOp, Elementwise &e) {
  return (abs(e.num(0)) < std::numeric_limits<double>::infinity()).v;
}

static Value lanesOf(graph::CompareOp op, Elementwise &e) {
  return e.compare(op.getDirection());
}

static Value lanesOf(graph::SelectOp, Elementwise &e) {
  return e.select(e.x[0], e.x[1], e.x[2]);
}

static Value lanesOf(graph::ClampOp, Elementwise &e) {
  Value low = e.x[0], high = e.x[2];
  e.x = {e.x[1], low};
  Value raised = e.maximum();
  e.x = {raised, high};
  return e.minimum();
}

static Value lanesOf(graph::ConvertOp op, Elementwise &e) {
  Type to = getElementTypeOrSelf(op.getResult().getType());
  return op.getSaturate()
             ? saturateElement(e.emitter.kernel, e.x[0], e.element, to)
             : convertElement(e.emitter.kernel, e.x[0], e.element, to);
}

static Value lanesOf(graph::BitcastOp op, Elementwise &e) {
  Type to = getElementTypeOrSelf(op.getResult().getType());
  Value stored = toMemory(e.emitter.kernel, e.element, e.x[0]);
  Type type = typeLike(memoryType(to), stored.getType());
  if (type != stored.getType())
    stored = e.b().create<arith::BitcastOp>(e.kernel.loc, type, stored);
  Value result = toRegister(e.emitter.kernel, to, stored);
  // i4 and ui4 differ in how they fill their byte.
  return to.isInteger(4) ? roundTo(e.emitter.kernel, to, result) : result;
}

// Ops whose results are always exactly representable: no rounding after them.
static bool staysExact(Operation *op) {
  return isa<graph::MaxOp, graph::MinOp, graph::AbsOp, graph::NegOp,
             graph::SignOp, graph::SelectOp, graph::ClampOp, graph::FloorOp,
             graph::CeilOp, graph::RoundEvenOp, graph::RoundAwayOp,
             graph::ConvertOp, graph::BitcastOp, graph::CompareOp,
             graph::IsFiniteOp>(op);
}

using LanesOf = llvm::function_ref<Value(Elementwise &)>;

/// Conversions that quantize read what they scale and shift by, others no
/// bounds that they have themselves; other ops read their operands.
static SmallVector<Value> sourcesOf(Operation *op) {
  auto convert = dyn_cast<graph::ConvertOp>(op);
  if (!convert)
    return SmallVector<Value>(op->getOperands());
  if (auto quantized = Quantized::match(convert))
    return quantized->sources();
  return {withoutBounds(convert)};
}

static bool isComplex(Value value) {
  return isa<ComplexType>(getElementTypeOrSelf(value.getType()));
}

SmallVector<Value> sourcesAtIndex(Operation *op) {
  if (graph::familyOf(op) != graph::Family::Elementwise ||
      llvm::any_of(op->getOperands(), isComplex) ||
      llvm::any_of(op->getResults(), isComplex))
    return {};
  return sourcesOf(op);
}

/// Emits the elements of the sources at `index` and computes the lanes of `op`
/// from them.
static Value emitElementwise(Operation *op, ElementEmitter &emitter,
                             ArrayRef<LaneIndex> index, LanesOf compute) {
  KernelBuilder &kernel = emitter.kernel;
  SmallVector<Value> operands;
  for (Value source : sourcesOf(op)) {
    operands.push_back(emitter.emit(source, index));
    if (!operands.back())
      return {};
  }
  // Before the divisor is broadcast to lanes: one division serves a whole row.
  if (isShareOfSum(op))
    operands[1] = (1.0 / LaneValue{&kernel, operands[1]}).v;
  emitter.unify(operands);
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  Elementwise lanes{emitter, kernel, element, operands};
  Value result = compute(lanes);
  return staysExact(op)
             ? result
             : roundTo(emitter.kernel,
                       getElementTypeOrSelf(op->getResult(0).getType()),
                       result);
}

namespace {

template <typename Op>
struct ElementwiseElement
    : ElementRule::ExternalModel<ElementwiseElement<Op>, Op> {
  Value emitElement(Operation *op, ElementEmitter &emitter,
                    ArrayRef<LaneIndex> index) const {
    return emitElementwise(op, emitter, index, [&](Elementwise &e) {
      return lanesOf(cast<Op>(op), e);
    });
  }
};

struct ConvertElement
    : ElementRule::ExternalModel<ConvertElement, graph::ConvertOp> {
  Value emitElement(Operation *op, ElementEmitter &emitter,
                    ArrayRef<LaneIndex> index) const {
    auto convert = cast<graph::ConvertOp>(op);
    return emitElementwise(op, emitter, index, [&](Elementwise &e) {
      if (auto quantized = Quantized::match(convert))
        return quantized->convert(emitter, e.x,
                                  getElementTypeOrSelf(convert.getType()));
      return lanesOf(convert, e);
    });
  }
};

} // namespace

void attachElementwiseElements(MLIRContext *context) {
  using namespace graph;
  attachAll<ElementwiseElement,
#define ZENITH_UNARY_FUNCTION(OP, NAME, MATH, BY) OP##Op,
#define ZENITH_BINARY_FUNCTION(OP, NAME, MATH, BY) OP##Op,
#define ZENITH_FUNCTION_BY_FORMULA(OP) OP##Op,
#include "ir/ElementaryFunctions.def"
            AbsOp, NegOp, SignOp, SqrtOp, RsqrtOp, FloorOp, CeilOp, RoundEvenOp,
            RoundAwayOp, NotOp, PopcountOp, CountLeadingZerosOp, AddOp, SubOp,
            MulOp, DivOp, RemOp, FloorModOp, MaxOp, MinOp, AndOp, OrOp, XorOp,
            ShiftLeftOp, ShiftRightArithmeticOp, ShiftRightLogicalOp, CompareOp,
            IsFiniteOp, SelectOp, ClampOp, BitcastOp>(context);
  ConvertOp::attachInterface<ConvertElement>(*context);
}

} // namespace zenith::kernels
