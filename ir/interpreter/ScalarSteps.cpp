// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each elementwise op on one element: the functions of the Elementwise family,
// rounded or wrapped to the element type.

#include "ir/GraphOps.h"
#include "ir/interpreter/ElementLoops.h"
#include "ir/interpreter/EvalElementwise.h"
#include "ir/interpreter/ScalarFunction.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;

// The rounding after a computation in double.
enum Rounding : int { toF64, toF32, toSmall };

static double rounded(const ScalarStep &step, double value) {
  if (step.option == toF64)
    return value;
  float single = float(value);
  if (step.option == toF32)
    return single;
  char bytes[8];
  step.to->store(bytes, Scalar::ofFloat(single));
  return step.to->load(bytes).real;
}

static int64_t wrapped(const ScalarStep &step, int64_t value) {
  return step.isUnsigned
             ? int64_t(step.width == 64 ? uint64_t(value)
                                        : uint64_t(value) &
                                              ((uint64_t(1) << step.width) - 1))
             : int64_t(uint64_t(value) << (64 - step.width)) >>
                   (64 - step.width);
}

template <typename F> static F calleeOf(const ScalarStep &step) {
  return reinterpret_cast<F>(step.callee);
}
template <typename F> static void setCallee(ScalarStep &step, F fn) {
  step.callee = reinterpret_cast<void (*)()>(fn);
}

static void runFloat(const ScalarStep &step, Scalar *r) {
  r[step.result].real =
      rounded(step, calleeOf<FloatFunction>(step)(r[step.operands[0]].real));
}
static void runFloat2(const ScalarStep &step, Scalar *r) {
  r[step.result].real =
      rounded(step, calleeOf<FloatFunction2>(step)(r[step.operands[0]].real,
                                                   r[step.operands[1]].real));
}
template <typename W>
static void runInteger(const ScalarStep &step, Scalar *r) {
  r[step.result].integer =
      wrapped(step, int64_t(calleeOf<IntegerFunction<W>>(step)(
                        W(r[step.operands[0]].integer), step.width)));
}
template <typename W>
static void runInteger2(const ScalarStep &step, Scalar *r) {
  r[step.result].integer =
      wrapped(step, int64_t(calleeOf<IntegerFunction2<W>>(step)(
                        W(r[step.operands[0]].integer),
                        W(r[step.operands[1]].integer), step.width)));
}

static std::complex<double> complexOf(const Scalar &value) {
  return {value.real, value.imag};
}
static void setComplex(const ScalarStep &step, Scalar *r,
                       const std::complex<double> &value) {
  r[step.result].real = rounded(step, value.real());
  r[step.result].imag = rounded(step, value.imag());
}
static void runComplex(const ScalarStep &step, Scalar *r) {
  setComplex(step, r,
             calleeOf<ComplexFunction>(step)(complexOf(r[step.operands[0]])));
}
static void runComplex2(const ScalarStep &step, Scalar *r) {
  setComplex(step, r,
             calleeOf<ComplexFunction2>(step)(complexOf(r[step.operands[0]]),
                                              complexOf(r[step.operands[1]])));
}

static void runCompare(const ScalarStep &step, Scalar *r) {
  const Scalar &x = r[step.operands[0]], &y = r[step.operands[1]];
  auto direction = graph::CompareDirection(step.option);
  bool holds = false;
  switch (x.kind) {
  case Scalar::Kind::Signed:
    holds = compareValues(direction, x.integer, y.integer);
    break;
  case Scalar::Kind::Unsigned:
    holds = compareValues(direction, uint64_t(x.integer), uint64_t(y.integer));
    break;
  case Scalar::Kind::Float:
    holds = compareValues(direction, x.real, y.real);
    break;
  case Scalar::Kind::Complex:
    holds = (complexOf(x) == complexOf(y)) ==
            (direction == graph::CompareDirection::eq);
    break;
  }
  r[step.result].integer = holds;
}

static void runSelect(const ScalarStep &step, Scalar *r) {
  r[step.result] =
      r[r[step.operands[0]].integer ? step.operands[1] : step.operands[2]];
}

static void runClamp(const ScalarStep &step, Scalar *r) {
  const Scalar &low = r[step.operands[0]], &x = r[step.operands[1]],
               &high = r[step.operands[2]];
  if (x.kind == Scalar::Kind::Float)
    r[step.result].real = minOf(maxOf(x.real, low.real), high.real);
  else if (x.kind == Scalar::Kind::Signed)
    r[step.result].integer = minOf(maxOf(x.integer, low.integer), high.integer);
  else
    r[step.result].integer =
        int64_t(minOf(maxOf(uint64_t(x.integer), uint64_t(low.integer)),
                      uint64_t(high.integer)));
}

static void runIsFinite(const ScalarStep &step, Scalar *r) {
  r[step.result].integer = std::isfinite(r[step.operands[0]].real);
}

static void runConvert(const ScalarStep &step, Scalar *r) {
  char bytes[16];
  step.to->store(bytes, r[step.operands[0]], step.option != 0);
  r[step.result] = step.to->load(bytes);
}

static void runBitcast(const ScalarStep &step, Scalar *r) {
  char bytes[16];
  step.from->store(bytes, r[step.operands[0]]);
  r[step.result] = step.to->load(bytes);
}

static void runMakeComplex(const ScalarStep &step, Scalar *r) {
  r[step.result].real = r[step.operands[0]].real;
  r[step.result].imag = r[step.operands[1]].real;
}
static void runReal(const ScalarStep &step, Scalar *r) {
  r[step.result].real = r[step.operands[0]].real;
}
static void runImag(const ScalarStep &step, Scalar *r) {
  r[step.result].real = r[step.operands[0]].imag;
}
static void runComplexAbs(const ScalarStep &step, Scalar *r) {
  const Scalar &x = r[step.operands[0]];
  r[step.result].real = rounded(step, std::hypot(x.real, x.imag));
}

static Type elementOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

// For floats and complex numbers; integers are not rounded.
static int roundingOf(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  return element.isF64() ? toF64 : isSmallFloat(element) ? toSmall : toF32;
}

// Uses fn(step, callee) if the table has one.
template <typename F>
static bool setStep(ScalarStep &step, F callee, ScalarStep::Function run) {
  setCallee(step, callee);
  step.run = run;
  return callee != nullptr;
}

template <typename W>
static bool makeIntegerStep(StringRef mnemonic, bool isUnary,
                            ScalarStep &step) {
  return isUnary ? setStep(step, integerFunction<W>(mnemonic), runInteger<W>)
                 : setStep(step, integerFunction2<W>(mnemonic), runInteger2<W>);
}

static bool makeArithmeticStep(Operation *op, ScalarStep &step) {
  StringRef mnemonic = op->getName().stripDialect();
  bool isUnary = op->getNumOperands() == 1;
  Type element = elementOf(op->getResult(0));
  if (op->getNumOperands() > 2 || elementOf(op->getOperand(0)) != element)
    return false;
  step.option = roundingOf(element);
  if (isa<ComplexType>(element))
    return isUnary ? setStep(step, complexFunction(mnemonic), runComplex)
                   : setStep(step, complexFunction2(mnemonic), runComplex2);
  if (isa<FloatType>(element))
    return isUnary ? setStep(step, floatFunction(mnemonic), runFloat)
                   : setStep(step, floatFunction2(mnemonic), runFloat2);
  step.width = element.getIntOrFloatBitWidth();
  step.isUnsigned = element.isUnsignedInteger() || step.width == 1;
  return step.isUnsigned ? makeIntegerStep<uint64_t>(mnemonic, isUnary, step)
                         : makeIntegerStep<int64_t>(mnemonic, isUnary, step);
}

bool zenith::interpreter::makeScalarStep(Operation *op, ScalarStep &step) {
  if (graph::familyOf(op) != graph::Family::Elementwise)
    return false;
  Type from = elementOf(op->getOperand(0)), to = elementOf(op->getResult(0));
  step.from.emplace(from);
  step.to.emplace(to);
  auto use = [&](ScalarStep::Function run, int option = 0) {
    step.run = run;
    step.option = option;
    return true;
  };
  if (auto compare = dyn_cast<graph::CompareOp>(op)) {
    auto direction = compare.getDirection();
    bool hasOrder = !isa<ComplexType>(from) ||
                    direction == graph::CompareDirection::eq ||
                    direction == graph::CompareDirection::ne;
    return hasOrder && use(runCompare, int(direction));
  }
  if (isa<graph::SelectOp>(op))
    return use(runSelect);
  if (isa<graph::ClampOp>(op))
    return !isa<ComplexType>(to) && use(runClamp);
  if (isa<graph::IsFiniteOp>(op))
    return use(runIsFinite);
  if (auto convert = dyn_cast<graph::ConvertOp>(op))
    return use(runConvert, convert.getSaturate());
  // i4 and ui4 differ in how they extend to a byte.
  if (isa<graph::BitcastOp>(op))
    return elementBytes(from) == elementBytes(to) && !to.isInteger(4) &&
           use(runBitcast);
  if (isa<graph::ComplexOp>(op))
    return use(runMakeComplex);
  if (isa<graph::RealOp>(op))
    return use(runReal);
  if (isa<graph::ImagOp>(op))
    return use(runImag);
  if (isa<graph::ComplexAbsOp>(op))
    return use(runComplexAbs, roundingOf(to));
  return makeArithmeticStep(op, step);
}
