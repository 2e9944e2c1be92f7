// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Export rules of elementwise ops. Operands that are broadcasts are written
// unexpanded, since ONNX broadcasts by itself.
#include "frontends/onnx/export/ExportBuilder.h"

#include "ir/matchers/SplatConstant.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>
#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using Names = ExportBuilder::Names;

static mlir::Type elementOf(Value value) {
  return getElementTypeOrSelf(value.getType());
}
static bool isBool(Value value) { return elementOf(value).isInteger(1); }
static bool isFloat(Value value) { return isa<FloatType>(elementOf(value)); }

/// Operands for an operator that broadcasts: unexpanded, except for dimensions
/// that no other operand has in full.
static Names operands(Operation *op, ExportBuilder &b) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  int64_t rank = type.getRank();
  llvm::SmallVector<bool> isFull(rank, false);
  auto covers = [&](Value operand, int64_t dim) {
    auto broadcast = operand.getDefiningOp<graph::BroadcastOp>();
    if (!broadcast)
      return true;
    auto *source = llvm::find(broadcast.getMapping(), dim);
    if (source == broadcast.getMapping().end())
      return type.getDimSize(dim) == 1;
    auto from = cast<RankedTensorType>(broadcast.getOperand().getType());
    int64_t size = from.getDimSize(source - broadcast.getMapping().begin());
    return size != 1 || type.getDimSize(dim) == 1;
  };
  for (Value operand : op->getOperands())
    for (int64_t dim = 0; dim < rank; ++dim)
      isFull[dim] = isFull[dim] || covers(operand, dim);
  bool allFull = llvm::all_of(isFull, [](bool full) { return full; });
  Names names;
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    names.push_back(index == 0 && !allFull ? b.name(operand)
                                           : b.broadcastable(operand));
  return names;
}

static void give(Operation *op, ExportBuilder &b, std::string name) {
  b.bind(op->getResult(0), std::move(name));
}

static void same(Operation *op, ExportBuilder &b, const ExportRow &row) {
  give(op, b, b.node(row.name, operands(op, b)));
}

/// The operator on integers or floats, the other on booleans.
template <const char *const &boolName>
static void orOnBools(Operation *op, ExportBuilder &b, const ExportRow &row) {
  give(
      op, b,
      b.node(isBool(op->getOperand(0)) ? boolName : row.name, operands(op, b)));
}
static const char *const andName = "And";
static const char *const orName = "Or";

static void writeBitwise(Operation *op, ExportBuilder &b,
                         const ExportRow &row) {
  bool onBools = isBool(op->getOperand(0));
  if (!onBools && b.opset < 18)
    return b.fail(unsupported("bitwise operators need opset 18"));
  give(op, b,
       b.node((onBools ? "" : "Bitwise") + std::string(row.name),
              operands(op, b)));
}

/// A bias that Conv or Gemm can include: one vector over the features, known
/// before the matmul.
static bool addBias(Value linear, Value addend, Operation *add,
                    ExportBuilder &b) {
  auto broadcast = addend.getDefiningOp<graph::BroadcastOp>();
  if (!broadcast || !linear.hasOneUse())
    return false;
  Value bias = broadcast.getOperand();
  auto type = cast<RankedTensorType>(bias.getType());
  Operation *maker = bias.getDefiningOp();
  bool early = !maker || isa<graph::GetParamOp>(maker);
  if (auto constant = dyn_cast_or_null<graph::ConstantOp>(maker))
    early =
        !constant.getValue().isSplat(); // a large splat is a node of its own
  if (!early || type.getRank() != 1 || broadcast.getMapping()[0] != 1 ||
      !isFloat(linear))
    return false;
  Node *node = nullptr;
  if (auto conv = linear.getDefiningOp<graph::ConvolutionOp>())
    node = b.maker(b.name(linear), "Conv", 2);
  bool isMatrix = cast<RankedTensorType>(linear.getType()).getRank() == 2;
  if (auto dot = linear.getDefiningOp<graph::DotGeneralOp>(); dot && isMatrix) {
    std::string name = b.name(linear);
    node = b.maker(name, "Gemm", 2);
    bool isPlain =
        cast<RankedTensorType>(dot.getLhs().getType()).getRank() == 2 &&
        cast<RankedTensorType>(dot.getRhs().getType()).getRank() == 2;
    if (!node && isPlain && (node = b.maker(name, "MatMul", 2)))
      node->op = "Gemm";
  }
  if (!node)
    return false;
  node->inputs.push_back(b.name(bias));
  b.bind(add->getResult(0), node->outputs.front());
  return true;
}

static void writeAdd(Operation *op, ExportBuilder &b, const ExportRow &row) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  if (!addBias(lhs, rhs, op, b) && !addBias(rhs, lhs, op, b))
    same(op, b, row);
}

static void writeMax(Operation *op, ExportBuilder &b, const ExportRow &row) {
  auto scalar = op->getOperand(1).getDefiningOp<graph::BroadcastOp>();
  bool isRelu = scalar && isFloat(scalar) &&
                matchPattern(scalar.getOperand(), m_AnyZeroFloat());
  if (isRelu)
    return give(op, b, b.node("Relu", {b.name(op->getOperand(0))}));
  orOnBools<orName>(op, b, row);
}

/// e^x - 1 from u = e^x as (u - 1) x / log u: rounding of u has the same effect
/// on the logarithm and cancels.
static void writeExpm1(Operation *op, ExportBuilder &b, const ExportRow &) {
  mlir::Type element = elementOf(op->getOperand(0));
  std::string x = b.name(op->getOperand(0)), one = b.scalar(element, 1),
              u = b.node("Exp", {x}), less = b.node("Sub", {u, one});
  std::string quotient =
      b.node("Div", {b.node("Mul", {less, x}), b.node("Log", {u})});
  std::string isEnd = b.node(
      "Or", {b.node("Equal", {u, b.scalar(element, 0)}), b.node("IsInf", {u})});
  give(op, b,
       b.node("Where", {b.node("Equal", {u, one}), x,
                        b.node("Where", {isEnd, less, quotient})}));
}

/// log(1 + x) from u = 1 + x as log u x / (u - 1), for the same reason.
static void writeLog1p(Operation *op, ExportBuilder &b, const ExportRow &) {
  std::string x = b.name(op->getOperand(0)),
              one = b.scalar(elementOf(op->getOperand(0)), 1),
              u = b.node("Add", {x, one});
  std::string quotient = b.node(
      "Div", {b.node("Mul", {b.node("Log", {u}), x}), b.node("Sub", {u, one})});
  std::string isEnd = b.node("IsInf", {x}, {makeInt("detect_negative", 0)});
  give(op, b,
       b.node("Where",
              {b.node("Or", {b.node("Equal", {u, one}), isEnd}), x, quotient}));
}

static void writeRsqrt(Operation *op, ExportBuilder &b, const ExportRow &) {
  give(op, b, b.node("Reciprocal", {b.node("Sqrt", operands(op, b))}));
}

static void writeCbrt(Operation *op, ExportBuilder &b, const ExportRow &) {
  std::string x = b.name(op->getOperand(0)),
              third = b.scalar(elementOf(op->getOperand(0)), 1.0 / 3);
  give(op, b,
       b.node("Mul", {b.node("Sign", {x}),
                      b.node("Pow", {b.node("Abs", {x}), third})}));
}

static void writeRoundAway(Operation *op, ExportBuilder &b, const ExportRow &) {
  std::string x = b.name(op->getOperand(0)),
              half = b.scalar(elementOf(op->getOperand(0)), 0.5);
  std::string up = b.node("Floor", {b.node("Add", {b.node("Abs", {x}), half})});
  give(op, b, b.node("Mul", {b.node("Sign", {x}), up}));
}

static void writeRem(Operation *op, ExportBuilder &b, const ExportRow &) {
  give(op, b, b.node("Mod", operands(op, b), {makeInt("fmod", 1)}));
}

static void writeFloorMod(Operation *op, ExportBuilder &b, const ExportRow &) {
  Names xy = operands(op, b);
  if (!isFloat(op->getOperand(0)))
    return give(op, b, b.node("Mod", xy));
  std::string whole = b.node("Floor", {b.node("Div", xy)});
  give(op, b, b.node("Sub", {xy[0], b.node("Mul", {xy[1], whole})}));
}

/// True where all elements of a value are constants in [0, limit).
static bool isBelow(Value value, int64_t limit) {
  if (auto broadcast = value.getDefiningOp<graph::BroadcastOp>())
    value = broadcast.getOperand();
  DenseIntElementsAttr constant;
  return matchPattern(value, m_Constant(&constant)) &&
         llvm::all_of(
             constant.getValues<llvm::APInt>(),
             [&](const llvm::APInt &shift) { return shift.ult(limit); });
}

/// BitShift takes unsigned integers and amounts below their width: other types
/// are shifted as their bits, and larger amounts are selected separately (in
/// signed integers, which Where has in every size).
static void writeShift(Operation *op, ExportBuilder &b, const ExportRow &row) {
  MLIRContext *context = op->getContext();
  mlir::Type element = elementOf(op->getOperand(0));
  unsigned width = element.getIntOrFloatBitWidth();
  bool isArithmetic = isa<graph::ShiftRightArithmeticOp>(op),
       isUnsigned = element.isUnsignedInteger();
  if (isArithmetic && (isUnsigned || b.opset < 18))
    return b.fail(unsupported(isUnsigned
                                  ? "arithmetic shifts of unsigned integers"
                                  : "arithmetic shifts need opset 18"));
  auto bits = IntegerType::get(context, width, IntegerType::Unsigned),
       integer = IntegerType::get(context, width),
       wide = IntegerType::get(context, 64);
  auto cast = [&](const std::string &value, mlir::Type from, mlir::Type to) {
    return from == to ? value : b.cast(value, to);
  };
  Names xy = operands(op, b);
  std::string x = xy[0], by = xy[1], far, negative;
  if (!isBelow(op->getOperand(1), width)) {
    by = cast(by, element, wide);
    far = b.node("Or", {b.node("Less", {by, b.intScalar(0)}),
                        b.node("GreaterOrEqual", {by, b.intScalar(width)})});
    by = b.node("Where", {far, b.intScalar(isArithmetic ? width - 1 : 0), by});
    by = cast(by, wide, bits);
  } else {
    by = cast(by, element, bits);
  }
  // The complement of a negative number has zeros where ones move in.
  if (isArithmetic) {
    negative = b.node("Less", {x, b.scalar(element, 0)});
    x = b.node("Where", {negative, b.node("BitwiseNot", {x}), x});
  }
  std::string shifted = b.node("BitShift", {cast(x, element, bits), by},
                               {makeString("direction", row.name)});
  if (far.empty() && isUnsigned)
    return give(op, b, shifted);
  shifted = cast(shifted, bits, integer);
  if (isArithmetic)
    shifted =
        b.node("Where", {negative, b.node("BitwiseNot", {shifted}), shifted});
  else if (!far.empty())
    shifted = b.node("Where", {far, b.scalar(integer, 0), shifted});
  give(op, b, cast(shifted, integer, element));
}

/// Atan gives the angle of a half circle. The reciprocals of zeros show their
/// signs.
static void writeAtan2(Operation *op, ExportBuilder &b, const ExportRow &) {
  mlir::Type element = elementOf(op->getOperand(0));
  std::string y = b.name(op->getOperand(0)), x = b.name(op->getOperand(1)),
              zero = b.scalar(element, 0);
  auto isZero = [&](const std::string &value) {
    return b.node("Equal", {value, zero});
  };
  auto isNegative = [&](const std::string &value) {
    std::string withSign =
        b.node("Where", {isZero(value), b.node("Reciprocal", {value}), value});
    return b.node("Less", {withSign, zero});
  };
  std::string bothZero = b.node("And", {isZero(y), isZero(x)}),
              bothInfinite =
                  b.node("And", {b.node("IsInf", {y}), b.node("IsInf", {x})}),
              signs = b.node("Mul", {b.node("Sign", {y}), b.node("Sign", {x})}),
              ratio =
                  b.node("Where", {bothInfinite, signs, b.node("Div", {y, x})}),
              angle = b.node("Atan", {ratio});
  std::string half = b.node("Where", {isNegative(y), b.scalar(element, -M_PI),
                                      b.scalar(element, M_PI)});
  std::string left =
      b.node("Add", {b.node("Where", {bothZero, zero, angle}), half});
  give(op, b,
       b.node("Where",
              {isNegative(x), left, b.node("Where", {bothZero, y, angle})}));
}

/// Booleans have the order of the integers 0 and 1.
static void writeCompare(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto compare = cast<graph::CompareOp>(op);
  Names xy = operands(op, b);
  bool isOrder = compare.getDirection() != CompareDirection::eq &&
                 compare.getDirection() != CompareDirection::ne;
  if (isOrder && isBool(compare.getLhs()))
    for (std::string &operand : xy)
      operand = b.cast(operand, IntegerType::get(op->getContext(), 32));
  switch (compare.getDirection()) {
  case CompareDirection::eq:
    return give(op, b, b.node("Equal", xy));
  case CompareDirection::ne:
    return give(op, b, b.node("Not", {b.node("Equal", xy)}));
  case CompareDirection::lt:
    return give(op, b, b.node("Less", xy));
  case CompareDirection::le:
    return give(op, b, b.node("LessOrEqual", xy));
  case CompareDirection::gt:
    return give(op, b, b.node("Greater", xy));
  case CompareDirection::ge:
    return give(op, b, b.node("GreaterOrEqual", xy));
  }
}

/// Where; between booleans by logic, which runtimes support.
static void writeSelect(Operation *op, ExportBuilder &b, const ExportRow &row) {
  if (!isBool(op->getResult(0)))
    return same(op, b, row);
  Names names = operands(op, b);
  give(op, b,
       b.node("Or", {b.node("And", {names[0], names[1]}),
                     b.node("And", {b.node("Not", {names[0]}), names[2]})}));
}

/// ONNX Runtime lacks Cosh and Tan of doubles, but has the functions of their
/// formulas.
static void writeCosh(Operation *op, ExportBuilder &b, const ExportRow &row) {
  mlir::Type element = elementOf(op->getOperand(0));
  if (!element.isF64())
    return same(op, b, row);
  std::string x = b.name(op->getOperand(0));
  std::string sum =
      b.node("Add", {b.node("Exp", {x}), b.node("Exp", {b.node("Neg", {x})})});
  give(op, b, b.node("Mul", {sum, b.scalar(element, 0.5)}));
}

static void writeTan(Operation *op, ExportBuilder &b, const ExportRow &row) {
  if (!elementOf(op->getOperand(0)).isF64())
    return same(op, b, row);
  std::string x = b.name(op->getOperand(0));
  give(op, b, b.node("Div", {b.node("Sin", {x}), b.node("Cos", {x})}));
}

static void writeIsFinite(Operation *op, ExportBuilder &b, const ExportRow &) {
  std::string x = b.name(op->getOperand(0));
  give(op, b,
       b.node("Not",
              {b.node("Or", {b.node("IsNaN", {x}), b.node("IsInf", {x})})}));
}

/// Clip if both bounds are scalars, else Min and Max.
static void writeClamp(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto clamp = cast<graph::ClampOp>(op);
  auto scalarOf = [](Value value) -> Value {
    auto broadcast = value.getDefiningOp<graph::BroadcastOp>();
    bool isScalar =
        broadcast &&
        cast<RankedTensorType>(broadcast.getOperand().getType()).getRank() == 0;
    return isScalar ? Value(broadcast.getOperand()) : Value();
  };
  Value low = scalarOf(clamp.getLow()), high = scalarOf(clamp.getHigh());
  std::string x = b.name(clamp.getOperand());
  if (low && high)
    return give(op, b, b.node("Clip", {x, b.name(low), b.name(high)}));
  std::string raised = b.node("Max", {x, b.broadcastable(clamp.getLow())});
  give(op, b, b.node("Min", {raised, b.broadcastable(clamp.getHigh())}));
}

static void writeConvert(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto convert = cast<graph::ConvertOp>(op);
  give(op, b,
       b.cast(b.name(convert.getOperand()), elementOf(convert.getResult())));
}

/// True for integers below 2^bits: what a logical shift leaves.
static bool hasBits(Value value, unsigned width, unsigned bits) {
  auto shift = value.getDefiningOp<graph::ShiftRightLogicalOp>();
  std::optional<double> by =
      shift ? graph::splatValue(shift.getRhs()) : std::nullopt;
  return by && *by >= width - bits && *by < width;
}

/// Random bits k as the mantissa of a float in [1, 2), which is
/// 1 + k * 2^-bits exactly. ONNX has no other use of bits as floats.
static void writeBitcast(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto type = dyn_cast<FloatType>(elementOf(op->getResult(0)));
  auto either = op->getOperand(0).getDefiningOp<graph::OrOp>();
  if (!type || !either)
    return b.fail(unsupported("the bits of these elements in another type"));
  unsigned bits = type.getFPMantissaWidth() - 1, width = type.getWidth();
  double one = double(mlir::FloatAttr::get(type, 1.0)
                          .getValue()
                          .bitcastToAPInt()
                          .getZExtValue());
  for (bool swapped : {false, true}) {
    Value mantissa = swapped ? either.getRhs() : either.getLhs(),
          exponent = swapped ? either.getLhs() : either.getRhs();
    if (graph::splatValue(exponent) != one || !hasBits(mantissa, width, bits))
      continue;
    std::string fraction =
        b.node("Mul", {b.cast(b.name(mantissa), type),
                       b.scalar(type, std::ldexp(1.0, -int(bits)))});
    return give(op, b, b.node("Add", {fraction, b.scalar(type, 1)}));
  }
  b.fail(unsupported("the bits of these elements in another type"));
}

llvm::ArrayRef<ExportRow> zenith::onnx::elementwiseExports() {
  static const ExportRow rows[] = {
      {"graph.abs", same, "Abs"},
      {"graph.acos", same, "Acos"},
      {"graph.acosh", same, "Acosh"},
      {"graph.add", writeAdd, "Add"},
      {"graph.and", writeBitwise, "And"},
      {"graph.asin", same, "Asin"},
      {"graph.asinh", same, "Asinh"},
      {"graph.atan", same, "Atan"},
      {"graph.atan2", writeAtan2},
      {"graph.atanh", same, "Atanh"},
      {"graph.bitcast", writeBitcast},
      {"graph.cbrt", writeCbrt},
      {"graph.ceil", same, "Ceil"},
      {"graph.clamp", writeClamp},
      {"graph.compare", writeCompare},
      {"graph.convert", writeConvert},
      {"graph.cos", same, "Cos"},
      {"graph.cosh", writeCosh, "Cosh"},
      {"graph.div", same, "Div"},
      {"graph.erf", same, "Erf"},
      {"graph.exp", same, "Exp"},
      {"graph.expm1", writeExpm1},
      {"graph.floor", same, "Floor"},
      {"graph.floor_mod", writeFloorMod},
      {"graph.is_finite", writeIsFinite},
      {"graph.log", same, "Log"},
      {"graph.log1p", writeLog1p},
      {"graph.logistic", same, "Sigmoid"},
      {"graph.max", writeMax, "Max"},
      {"graph.min", orOnBools<andName>, "Min"},
      {"graph.mul", same, "Mul"},
      {"graph.neg", same, "Neg"},
      {"graph.not", writeBitwise, "Not"},
      {"graph.or", writeBitwise, "Or"},
      {"graph.pow", same, "Pow"},
      {"graph.rem", writeRem},
      {"graph.round_away", writeRoundAway},
      {"graph.round_even", same, "Round"},
      {"graph.rsqrt", writeRsqrt},
      {"graph.select", writeSelect, "Where"},
      {"graph.shift_left", writeShift, "LEFT"},
      {"graph.shift_right_arithmetic", writeShift, "RIGHT"},
      {"graph.shift_right_logical", writeShift, "RIGHT"},
      {"graph.sign", same, "Sign"},
      {"graph.sin", same, "Sin"},
      {"graph.sinh", same, "Sinh"},
      {"graph.sqrt", same, "Sqrt"},
      {"graph.sub", same, "Sub"},
      {"graph.tan", writeTan, "Tan"},
      {"graph.tanh", same, "Tanh"},
      {"graph.xor", writeBitwise, "Xor"},
  };
  return rows;
}
