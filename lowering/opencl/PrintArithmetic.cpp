// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants, arithmetic, comparisons and choices, one expression per chunk.
// Nothing here relies on a built-in whose accuracy a device may choose.

#include "lowering/opencl/FunctionPrinter.h"
#include "lowering/opencl/PrintedFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zenith::opencl {

// ---- Integers: signed overflow is undefined in C, so most arithmetic is done
// on unsigned integers of the same size ----

/// Unsigned with enough bits that C's promotion to int cannot overflow.
static std::string wideUnsigned(Type element, unsigned lanes) {
  if (lanes > 1)
    return unsignedName(element, lanes);
  return laneBits(element) == 64 ? "ulong" : "uint";
}

static std::string asUnsigned(const std::string &x, Type element,
                              unsigned lanes) {
  std::string type = unsignedName(element, lanes);
  return lanes == 1 ? "(" + type + ")" + x : "as_" + type + "(" + x + ")";
}

static std::string backToSigned(const std::string &x, Type element,
                                unsigned lanes) {
  std::string type = typeName(element, lanes);
  return lanes == 1 ? "(" + type + ")(" + x + ")"
                    : "as_" + type + "(" + x + ")";
}

static std::string wrapping(const std::string &x, const char *sign,
                            const std::string &y, Type element,
                            unsigned lanes) {
  std::string type = wideUnsigned(element, lanes);
  std::string cast = lanes == 1 ? "(" + type + ")" : "as_" + type;
  auto argument = [&](const std::string &a) {
    return lanes == 1 ? cast + a : cast + "(" + a + ")";
  };
  return backToSigned(argument(x) + " " + sign + " " + argument(y), element,
                      lanes);
}

static std::string unsignedBinary(const std::string &x, const char *sign,
                                  const std::string &y, Type element,
                                  unsigned lanes) {
  return backToSigned(asUnsigned(x, element, lanes) + " " + sign + " " +
                          asUnsigned(y, element, lanes),
                      element, lanes);
}

static std::string infix(const std::string &x, const char *sign,
                         const std::string &y) {
  return x + " " + sign + " " + y;
}

std::string FunctionPrinter::combine(llvm::StringRef kind, Type element,
                                     const std::string &x, const std::string &y,
                                     unsigned lanes) {
  bool isFloat = isa<FloatType>(element), isMask = element.isInteger(1);
  auto extremum = [&](const char *sign, bool isSigned) {
    std::string a = isSigned ? x : asUnsigned(x, element, lanes);
    std::string b = isSigned ? y : asUnsigned(y, element, lanes);
    if (lanes == 1)
      return a + " " + sign + " " + b + " ? " + x + " : " + y;
    std::string both = (*sign == '<' ? "min(" : "max(") + a + ", " + b + ")";
    return isSigned ? both : backToSigned(both, element, lanes);
  };
  auto call = [&](const std::string &name) {
    return name + "(" + x + ", " + y + ")";
  };
  if (isMask && (kind == "add" || kind == "sub"))
    return infix(x, "^", y);
  if (kind == "add")
    return isFloat ? infix(x, "+", y) : wrapping(x, "+", y, element, lanes);
  if (kind == "sub")
    return isFloat ? infix(x, "-", y) : wrapping(x, "-", y, element, lanes);
  if (kind == "mul")
    return isMask    ? infix(x, "&", y)
           : isFloat ? infix(x, "*", y)
                     : wrapping(x, "*", y, element, lanes);
  if (kind == "and" || kind == "or" || kind == "xor") {
    const char *sign = kind == "and" ? "&" : kind == "or" ? "|" : "^";
    std::string bits = infix(x, sign, y);
    // C promotes small integers to int.
    return lanes == 1 && laneBits(element) < 32
               ? backToSigned(bits, element, lanes)
               : bits;
  }
  if (isMask && kind.starts_with("min"))
    // As a signed integer, true is -1.
    return infix(x, kind == "minsi" ? "|" : "&", y);
  if (isMask && kind.starts_with("max"))
    return infix(x, kind == "maxsi" ? "&" : "|", y);
  if (kind == "minsi")
    return extremum("<", true);
  if (kind == "maxsi")
    return extremum(">", true);
  if (kind == "minui")
    return extremum("<", false);
  if (kind == "maxui")
    return extremum(">", false);
  if (kind == "minnumf")
    return call("fmin");
  if (kind == "maxnumf")
    return call("fmax");
  if (kind == "minimumf" || kind == "maximumf")
    return call(shared.extremum(kind == "maximumf", element, lanes));
  return {};
}

// ---- One expression per op ----

/// Built-ins with exactly one right answer, by the op that they are.
static llvm::StringRef exactBuiltin(Operation *op) {
  return llvm::StringSwitch<llvm::StringRef>(op->getName().getStringRef())
      .Case("math.absf", "fabs")
      .Case("math.floor", "floor")
      .Case("math.ceil", "ceil")
      .Case("math.trunc", "trunc")
      .Case("math.round", "round")
      .Case("math.roundeven", "rint")
      .Case("math.copysign", "copysign")
      .Case("math.fma", "fma")
      .Case("vector.fma", "fma")
      // Correctly rounded by the build option that OpenCLProgram asks for.
      .Case("math.sqrt", "sqrt")
      .Case("arith.remf", "fmod")
      .Case("math.ctlz", "clz")
      .Case("math.ctpop", "popcount")
      .Default("");
}

static bool isNarrowFloat(Type element) {
  return isa<FloatType>(element) && !element.isF32() && !element.isF64();
}

/// Kind of FunctionPrinter::combine of a binary op; empty for others.
static llvm::StringRef combiningKind(Operation *op) {
  return llvm::StringSwitch<llvm::StringRef>(op->getName().getStringRef())
      .Cases("arith.addf", "arith.addi", "add")
      .Cases("arith.subf", "arith.subi", "sub")
      .Cases("arith.mulf", "arith.muli", "mul")
      .Case("arith.andi", "and")
      .Case("arith.ori", "or")
      .Case("arith.xori", "xor")
      .Case("arith.minsi", "minsi")
      .Case("arith.maxsi", "maxsi")
      .Case("arith.minui", "minui")
      .Case("arith.maxui", "maxui")
      .Case("arith.minnumf", "minnumf")
      .Case("arith.maxnumf", "maxnumf")
      .Case("arith.minimumf", "minimumf")
      .Case("arith.maximumf", "maximumf")
      .Default("");
}

/// The op promises that signed integers don't overflow.
static bool cannotOverflow(Operation *op) {
  auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
  return flags && flags.hasNoSignedWrap();
}

/// Expression of the remaining binary integer ops.
static std::string integerBinary(Operation *op, const std::string &x,
                                 const std::string &y, Type element,
                                 unsigned lanes) {
  auto plain = [&](const char *sign) {
    std::string text = infix(x, sign, y);
    return lanes == 1 && laneBits(element) < 32
               ? backToSigned(text, element, lanes)
               : text;
  };
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([&](arith::DivSIOp) { return plain("/"); })
      .Case([&](arith::RemSIOp) { return plain("%"); })
      .Case([&](arith::ShRSIOp) { return plain(">>"); })
      .Case([&](arith::ShLIOp) { return wrapping(x, "<<", y, element, lanes); })
      .Case([&](arith::DivUIOp) {
        return unsignedBinary(x, "/", y, element, lanes);
      })
      .Case([&](arith::RemUIOp) {
        return unsignedBinary(x, "%", y, element, lanes);
      })
      .Case([&](arith::ShRUIOp) {
        return unsignedBinary(x, ">>", y, element, lanes);
      })
      .Default(std::string());
}

/// Quotient of signed integers, rounded up or down.
static std::string roundedQuotient(bool up, const std::string &x,
                                   const std::string &y, unsigned lanes) {
  std::string inexact = "(" + x + " % " + y + " != 0)";
  std::string sameSign =
      "((" + x + " < 0) " + (up ? "==" : "!=") + " (" + y + " < 0))";
  return x + " / " + y + (up ? " + " : " - ") + "(" + inexact + " && " +
         sameSign + ")";
}

bool FunctionPrinter::printArithmetic(Operation *op) {
  if (isa<arith::ConstantOp>(op))
    return printConstant(op), true;
  if (isa<arith::CmpIOp, arith::CmpFOp>(op))
    return printCompare(op), true;
  if (isa<arith::SelectOp>(op))
    return printSelect(op), true;
  if (isa<arith::MulUIExtendedOp, arith::MulSIExtendedOp,
          arith::AddUIExtendedOp>(op))
    return printWideMultiply(op), true;
  if (op->getNumResults() != 1)
    return false;
  Value result = op->getResult(0);
  Type element = getElementTypeOrSelf(result.getType());
  llvm::StringRef kind = combiningKind(op), builtin = exactBuiltin(op);
  bool known = true;
  auto operand = [&](unsigned number, unsigned chunk) {
    return use(op->getOperand(number), chunk);
  };
  Expression expression;
  if (!kind.empty()) {
    expression = [&](unsigned chunk, unsigned lanes) {
      std::string x = operand(0, chunk), y = operand(1, chunk);
      if (cannotOverflow(op) && laneBits(element) >= 32)
        return infix(x, kind == "add" ? "+" : kind == "sub" ? "-" : "*", y);
      return combine(kind, element, x, y, lanes);
    };
  } else if (isa<arith::RemFOp>(op) && element.isF64()) {
    expression = [&](unsigned chunk, unsigned lanes) {
      return shared.doubleRemainder(lanes) + "(" + operand(0, chunk) + ", " +
             operand(1, chunk) + ")";
    };
  } else if (!builtin.empty()) {
    expression = [&](unsigned chunk, unsigned) {
      std::string text = builtin.str() + "(";
      for (unsigned number = 0; number < op->getNumOperands(); ++number)
        text += (number ? ", " : "") + operand(number, chunk);
      return text + ")";
    };
  } else if (isa<arith::NegFOp>(op)) {
    expression = [&](unsigned chunk, unsigned) {
      return "-" + operand(0, chunk);
    };
  } else if (isa<arith::DivFOp>(op)) {
    expression = [&](unsigned chunk, unsigned) {
      return infix(operand(0, chunk), "/", operand(1, chunk));
    };
  } else if (isa<math::AbsIOp>(op)) {
    expression = [&](unsigned chunk, unsigned lanes) {
      return backToSigned("abs(" + operand(0, chunk) + ")", element, lanes);
    };
  } else if (isa<arith::CeilDivSIOp, arith::FloorDivSIOp>(op) &&
             !isa<VectorType>(result.getType())) {
    expression = [&](unsigned chunk, unsigned lanes) {
      return roundedQuotient(isa<arith::CeilDivSIOp>(op), operand(0, chunk),
                             operand(1, chunk), lanes);
    };
  } else if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp, arith::DivSIOp,
                 arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op)) {
    expression = [&](unsigned chunk, unsigned lanes) {
      return integerBinary(op, operand(0, chunk), operand(1, chunk), element,
                           lanes);
    };
  } else {
    known = false;
  }
  if (!known)
    return false;
  if (isNarrowFloat(element))
    return unsupported(op, "computes in a narrow float type; OpenCL C kernels "
                           "compute in f32"),
           true;
  defineEach(result, expression);
  return true;
}

// ---- Constants ----

void FunctionPrinter::printConstant(Operation *op) {
  auto constant = cast<arith::ConstantOp>(op);
  auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!dense) {
    named[constant] = {literal(constant.getValue(), 1)};
    return;
  }
  llvm::SmallVector<Attribute> elements(dense.getValues<Attribute>());
  Type element = dense.getElementType();
  unsigned first = 0;
  defineEach(constant, [&](unsigned, unsigned lanes) {
    std::string text;
    for (unsigned i = 0; i < (dense.isSplat() ? 1 : lanes); ++i)
      text += (i ? ", " : "") + literal(elements[first + i], lanes);
    first += lanes;
    return lanes == 1 ? text
                      : "(" + typeName(element, lanes) + ")(" + text + ")";
  });
}

// ---- Comparisons and choices ----

static std::string integerCompare(arith::CmpIPredicate predicate, std::string x,
                                  std::string y, Type element, unsigned lanes) {
  using P = arith::CmpIPredicate;
  const char *sign = predicate == P::eq                           ? "=="
                     : predicate == P::ne                         ? "!="
                     : predicate == P::slt || predicate == P::ult ? "<"
                     : predicate == P::sle || predicate == P::ule ? "<="
                     : predicate == P::sgt || predicate == P::ugt ? ">"
                                                                  : ">=";
  bool isSigned = predicate == P::slt || predicate == P::sle ||
                  predicate == P::sgt || predicate == P::sge;
  bool isUnsigned = predicate >= P::ult;
  // A scalar condition is 0 or 1, its signed value 0 or -1.
  if (element.isInteger(1) && isSigned && lanes == 1) {
    x = "-" + x;
    y = "-" + y;
  }
  if (isUnsigned) {
    x = asUnsigned(x, element, lanes);
    y = asUnsigned(y, element, lanes);
  }
  return infix(x, sign, y);
}

static std::string floatCompare(arith::CmpFPredicate predicate,
                                const std::string &x, const std::string &y,
                                unsigned lanes) {
  using P = arith::CmpFPredicate;
  auto is = [&](const char *sign) { return "(" + infix(x, sign, y) + ")"; };
  // In vectors true is -1, and ! works per lane.
  switch (predicate) {
  case P::OEQ:
    return is("==");
  case P::OGT:
    return is(">");
  case P::OGE:
    return is(">=");
  case P::OLT:
    return is("<");
  case P::OLE:
    return is("<=");
  case P::ONE:
    return is("<") + " | " + is(">");
  case P::ORD:
    return "(" + x + " == " + x + ") & (" + y + " == " + y + ")";
  case P::UEQ:
    return "!(" + is("<") + " | " + is(">") + ")";
  case P::UGT:
    return "!" + is("<=");
  case P::UGE:
    return "!" + is("<");
  case P::ULT:
    return "!" + is(">=");
  case P::ULE:
    return "!" + is(">");
  case P::UNE:
    return is("!=");
  case P::UNO:
    return "(" + x + " != " + x + ") | (" + y + " != " + y + ")";
  default:
    break;
  }
  std::string truth = predicate == P::AlwaysTrue ? "==" : "!=";
  std::string zero = lanes == 1 ? "0" : "(int" + std::to_string(lanes) + ")(0)";
  return zero + " " + truth + " " + zero;
}

void FunctionPrinter::printCompare(Operation *op) {
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  defineEach(op->getResult(0), [&](unsigned chunk, unsigned lanes) {
    const std::string &x = use(op->getOperand(0), chunk);
    const std::string &y = use(op->getOperand(1), chunk);
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      return asMask(
          integerCompare(compare.getPredicate(), x, y, element, lanes), element,
          lanes);
    auto predicate = cast<arith::CmpFOp>(op).getPredicate();
    std::string text = floatCompare(predicate, x, y, lanes);
    bool constant = predicate == arith::CmpFPredicate::AlwaysTrue ||
                    predicate == arith::CmpFPredicate::AlwaysFalse;
    return constant ? text : asMask(text, element, lanes);
  });
}

void FunctionPrinter::printSelect(Operation *op) {
  auto select = cast<arith::SelectOp>(op);
  Value condition = select.getCondition(), yes = select.getTrueValue(),
        no = select.getFalseValue();
  if (isa<MemRefType>(yes.getType())) {
    if (spaceOf(yes) != spaceOf(no))
      return unsupported(op, "chooses between address spaces");
    spaces[select] = spaceOf(yes);
    auto type = cast<MemRefType>(yes.getType());
    std::string name = freshName();
    line(spelled(spaceOf(yes)) + " " + memoryName(type.getElementType()) +
         " *" + name + " = " + use(condition) + " ? " + use(yes) + " : " +
         use(no) + ";");
    named[select] = {name};
    return;
  }
  Type element = getElementTypeOrSelf(select.getType());
  bool scalar = !isa<VectorType>(condition.getType());
  defineEach(select, [&](unsigned chunk, unsigned lanes) {
    if (scalar)
      return use(condition) + " ? " + use(yes, chunk) + " : " + use(no, chunk);
    return choose(use(condition, chunk), use(yes, chunk), use(no, chunk),
                  element, lanes);
  });
}

void FunctionPrinter::printWideMultiply(Operation *op) {
  Value x = op->getOperand(0), y = op->getOperand(1);
  Value low = op->getResult(0), high = op->getResult(1);
  Type element = getElementTypeOrSelf(x.getType());
  bool isAdd = isa<arith::AddUIExtendedOp>(op);
  bool isSigned = isa<arith::MulSIExtendedOp>(op);
  defineEach(low, [&](unsigned chunk, unsigned lanes) {
    return wrapping(use(x, chunk), isAdd ? "+" : "*", use(y, chunk), element,
                    lanes);
  });
  defineEach(high, [&](unsigned chunk, unsigned lanes) {
    std::string a = use(x, chunk), b = use(y, chunk);
    if (isAdd)
      return asMask(asUnsigned(use(low, chunk), element, lanes) + " < " +
                        asUnsigned(a, element, lanes),
                    element, lanes);
    if (!isSigned) {
      a = asUnsigned(a, element, lanes);
      b = asUnsigned(b, element, lanes);
    }
    return backToSigned("mul_hi(" + a + ", " + b + ")", element, lanes);
  });
}

} // namespace zenith::opencl
