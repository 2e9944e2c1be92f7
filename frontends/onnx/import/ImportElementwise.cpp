// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of arithmetic, comparisons, logic and type conversion. On known
// elements they compute shapes.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/ElementFolding.h"
#include "frontends/onnx/import/NodeReading.h"
#include "frontends/onnx/import/StorageTypes.h"

#include <cmath>
#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

template <typename Op> static void unary(NodeReading &n) {
  n.result(n.b.unary<Op>(n.input(0)));
}

template <typename Op> static void binary(NodeReading &n) {
  // Separate statements: the ops that materialising emits must not depend on
  // the order of argument evaluation.
  Value lhs = n.input(0);
  n.result(n.b.binary<Op>(lhs, n.input(1)));
}

/// The second operand. Below opset 7 operands have one shape, or the second one
/// is broadcast to the first from dimension `axis` on if the node says so.
static Value alignedOperand(NodeReading &n) {
  ImportBuilder &b = n.b;
  Value rhs = n.input(1);
  // Some models need NumPy's rule and lack the attribute.
  if (!n.intAttribute("broadcast", 0))
    return rhs;
  DimVector dims = n.dims(0), other = b.dims(rhs);
  int64_t free = int64_t(dims.size()) - int64_t(other.size());
  int64_t axis = n.intAttribute("axis", free);
  if (axis < 0)
    axis += dims.size();
  bool fits = free >= 0 && axis >= 0 && axis <= free;
  if (fits) {
    other.append(free - axis, DimExpr(1));
    rhs = b.reshape(rhs, other);
    DimVector common = b.broadcastDims(dims, other);
    bool isOpen = llvm::any_of(
        common, [](const DimExpr &size) { return !size.constant(); });
    fits = isOpen || sameDims(common, dims);
    if (isOpen)
      rhs = b.broadcastTo(rhs, ArrayRef(dims).take_back(other.size()));
  }
  if (!fits)
    n.fail(invalid("the second operand does not fit into the first"));
  return rhs;
}

template <typename Op> static void alignedBinary(NodeReading &n) {
  Value lhs = n.input(0), rhs = alignedOperand(n);
  if (!n.failed())
    n.result(n.b.binary<Op>(lhs, rhs));
}

/// Applies the op to any number of inputs from left to right.
template <typename Op> static void variadic(NodeReading &n) {
  llvm::SmallVector<Value> values = n.allInputs();
  if (n.failed())
    return;
  Value result = values.front();
  for (Value value : llvm::drop_begin(values))
    result = n.b.binary<Op>(result, value);
  n.result(result);
}

static void importMean(NodeReading &n) {
  llvm::SmallVector<Value> values = n.allInputs();
  if (n.failed())
    return;
  Value sum = values.front();
  for (Value value : llvm::drop_begin(values))
    sum = n.b.binary<graph::AddOp>(sum, value);
  n.result(n.b.binary<graph::DivOp>(sum, double(values.size())));
}

static void importIdentity(NodeReading &n) { n.result(0, n.imported(0)); }

static void importNeg(NodeReading &n) { unary<graph::NegOp>(n); }

static void importAlignedPow(NodeReading &n) {
  Value base = n.input(0), exponent = alignedOperand(n);
  if (!n.failed())
    n.result(n.b.binary<graph::PowOp>(base, exponent));
}

static void importPow(NodeReading &n) {
  // The exponent's shape may be the base's before opset 7 only.
  if (n.version < 7 && n.intAttribute("broadcast", 0))
    return importAlignedPow(n);
  Value base = n.input(0);
  Type element = n.elementType(0);
  // Small integer powers of floats as multiplications: the rounding steps are
  // exact, and no library call is needed.
  if (auto exponent = n.constantScalar(1);
      exponent && isa<FloatType>(element) && n.rank(1) <= n.rank(0)) {
    if (*exponent == 1)
      return n.result(base);
    if (*exponent == 2)
      return n.result(n.b.binary<graph::MulOp>(base, base));
    if (*exponent == 3)
      return n.result(
          n.b.binary<graph::MulOp>(n.b.binary<graph::MulOp>(base, base), base));
  }
  Value exponent = n.input(1);
  Type exponentElement = n.elementType(1);
  if (isa<IntegerType>(element) && isa<FloatType>(exponentElement)) {
    Value power =
        n.b.binary<graph::PowOp>(n.b.convert(base, exponentElement), exponent);
    return n.result(n.b.convert(power, element));
  }
  n.result(n.b.binary<graph::PowOp>(base, n.b.convert(exponent, element)));
}

static void importMod(NodeReading &n) {
  if (n.intAttribute("fmod", 0))
    return binary<graph::RemOp>(n);
  binary<graph::FloorModOp>(n);
}

static void importBitShift(NodeReading &n) {
  std::string direction = n.stringAttribute("direction", "");
  if (direction == "LEFT")
    return binary<graph::ShiftLeftOp>(n);
  if (direction == "RIGHT")
    return binary<graph::ShiftRightLogicalOp>(n);
  n.fail(invalid(fmt::format("attribute 'direction' is '{}', not LEFT or RIGHT",
                             direction)));
}

static void importReciprocal(NodeReading &n) {
  Value operand = n.input(0);
  n.result(n.b.binary<graph::DivOp>(n.b.scalarConstant(n.elementType(0), 1),
                                    operand));
}

static void importClip(NodeReading &n) {
  Value value = n.input(0);
  auto bound = [&](const char *name, size_t index) -> Value {
    if (n.version < 11 && n.hasAttribute(name))
      return n.b.scalarConstant(n.elementType(0), n.floatAttribute(name, 0));
    return n.has(index) ? n.b.reshape(n.input(index), {}) : Value();
  };
  Value low = bound("min", 1), high = bound("max", 2);
  if (low && high) {
    DimVector dims = n.b.dims(value);
    low = n.b.broadcastTo(low, dims);
    return n.result(n.b.emit<graph::ClampOp>(value.getType(), low, value,
                                             n.b.broadcastTo(high, dims)));
  }
  if (low)
    value = n.b.binary<graph::MaxOp>(value, low);
  if (high)
    value = n.b.binary<graph::MinOp>(value, high);
  n.result(value);
}

//===----------------------------------------------------------------------===//
// Comparisons and logic
//===----------------------------------------------------------------------===//

template <CompareDirection direction> static void comparison(NodeReading &n) {
  Value lhs = n.input(0);
  n.result(n.b.compare(direction, lhs, n.input(1)));
}

template <CompareDirection direction>
static void alignedComparison(NodeReading &n) {
  Value lhs = n.input(0), rhs = alignedOperand(n);
  if (!n.failed())
    n.result(n.b.compare(direction, lhs, rhs));
}

static void importWhere(NodeReading &n) {
  Value pred = n.input(0), onTrue = n.input(1);
  n.result(n.b.select(pred, onTrue, n.input(2)));
}

static void importIsNaN(NodeReading &n) {
  Value value = n.input(0);
  n.result(n.b.compare(CompareDirection::ne, value, value));
}

static void importIsInf(NodeReading &n) {
  Value value = n.input(0), result;
  auto test = [&](const char *name, double infinity) {
    if (!n.intAttribute(name, 1))
      return;
    Value same = n.b.compare(CompareDirection::eq, value,
                             n.b.scalarConstant(n.elementType(0), infinity));
    result = result ? n.b.binary<graph::OrOp>(result, same) : same;
  };
  test("detect_positive", INFINITY);
  test("detect_negative", -INFINITY);
  n.result(result ? result
                  : n.b.filled(n.b.dims(value), n.b.builder.getI1Type(), 0));
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static void convertTo(NodeReading &n, Type element) {
  if (n.imported(0).words)
    return n.fail(unsupported("conversion of strings to numbers"));
  if (isStoredAsBits(n.imported(0).emulated))
    return n.result(n.b.convert(decodedBits(n, 0), element));
  Type from = n.elementType(0);
  bool saturates = element.isFloat8E4M3FN() || element.isFloat8E4M3FNUZ() ||
                   element.isFloat8E5M2() || element.isFloat8E5M2FNUZ();
  bool isInteger = isa<IntegerType>(element) && isa<IntegerType>(from);
  if (auto known = n.knownElements(0);
      known && isInteger && castKnownElements(*known, element))
    return n.result(0, std::move(*known), element);
  Value value = n.input(0);
  // Floats become integers of four bits by the low bits of wider ones.
  if (isa<FloatType>(from) && isa<IntegerType>(element) &&
      element.getIntOrFloatBitWidth() == 4)
    value = n.b.convert(value, n.b.builder.getI32Type());
  if (!saturates || !n.intAttribute("saturate", 1))
    return n.result(n.b.convert(value, element));
  n.result(n.b.emit<graph::ConvertOp>(n.type(0).clone(element), value,
                                      /*saturate=*/true));
}

/// Conversion to a type that GraphIR lacks.
static void convertToEmulated(NodeReading &n, DataType to) {
  if (n.imported(0).emulated == to)
    return n.result(0, n.imported(0));
  if (!isEmulatedNumber(to) || n.imported(0).words)
    return n.fail(
        unsupported(fmt::format("conversion to {}", dataTypeName(to))));
  std::string rounding = n.stringAttribute("round_mode", "up");
  if (rounding != "up" && rounding != "down" && rounding != "nearest")
    return n.fail(
        invalid(fmt::format("attribute 'round_mode' is '{}'", rounding)));
  if (to == DataType::Float8E8M0 && !n.intAttribute("saturate", 1))
    return n.fail(unsupported("conversion to float8e8m0 without saturation"));
  Value value =
      isStoredAsBits(n.imported(0).emulated) ? decodedBits(n, 0) : n.input(0);
  if (isa<ComplexType>(getElementTypeOrSelf(value.getType())))
    return n.fail(invalid("conversion of complex numbers"));
  n.result(0, encodedBits(n.b, value, to, rounding), to);
}

static void importCast(NodeReading &n) {
  auto to = static_cast<DataType>(n.intAttribute("to", 0));
  if (Type element = elementTypeOf(to, n.b.builder.getContext()))
    return convertTo(n, element);
  if (dataTypeName(to).empty())
    return n.fail(invalid(fmt::format(
        "attribute 'to' is {}, which is no data type", int64_t(to))));
  convertToEmulated(n, to);
}

/// The bits of each element as another type; a byte is a boolean by its value.
static Value bitcastTo(ImportBuilder &b, Value value, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType() == element)
    return value;
  if (element.isInteger(1))
    return b.convert(value, element);
  return b.emit<graph::BitcastOp>(type.clone(element), value);
}

static void importBitCast(NodeReading &n) {
  auto to = static_cast<DataType>(n.intAttribute("to", 0));
  Type element = elementTypeOf(to, n.b.builder.getContext());
  Type from = n.elementType(0);
  if (!element)
    return n.fail(unsupported(fmt::format("BitCast to {}", dataTypeName(to))));
  if (isa<ComplexType>(element) || isa<ComplexType>(from))
    return n.fail(unsupported("BitCast of complex numbers"));
  // Booleans are bytes of 0 or 1.
  auto bitsOf = [](Type type) {
    return type.isInteger(1) ? 8 : type.getIntOrFloatBitWidth();
  };
  if (bitsOf(element) != bitsOf(from))
    return n.fail(invalid("BitCast to a type of another width"));
  Value value = n.input(0);
  Type byte = n.b.builder.getI8Type();
  if (from.isInteger(1))
    value = n.b.convert(value, byte);
  if (element.isInteger(1))
    return n.result(bitcastTo(n.b, bitcastTo(n.b, value, byte), element));
  n.result(bitcastTo(n.b, value, element));
}

static void importCastLike(NodeReading &n) {
  if (DataType like = n.imported(1).emulated; like != DataType::Undefined)
    return convertToEmulated(n, like);
  convertTo(n, n.elementType(1));
}

llvm::ArrayRef<OpRow> zenith::onnx::elementwiseRows() {
  static constexpr OpRow rows[] = {
      {"Abs", 1, newest, 1, 1, unary<graph::AbsOp>},
      {"Acos", 7, newest, 1, 1, unary<graph::AcosOp>},
      {"Acosh", 9, newest, 1, 1, unary<graph::AcoshOp>},
      {"Add", 1, 6, 2, 2, alignedBinary<graph::AddOp>},
      {"Add", 7, newest, 2, 2, binary<graph::AddOp>, foldAdd},
      {"And", 1, 6, 2, 2, alignedBinary<graph::AndOp>},
      {"And", 7, newest, 2, 2, binary<graph::AndOp>, foldAnd},
      {"Asin", 7, newest, 1, 1, unary<graph::AsinOp>},
      {"Asinh", 9, newest, 1, 1, unary<graph::AsinhOp>},
      {"Atan", 7, newest, 1, 1, unary<graph::AtanOp>},
      {"Atanh", 9, newest, 1, 1, unary<graph::AtanhOp>},
      {"BitCast", 26, newest, 1, 1, importBitCast},
      {"BitShift", 11, newest, 2, 2, importBitShift},
      {"BitwiseAnd", 18, newest, 2, 2, binary<graph::AndOp>},
      {"BitwiseNot", 18, newest, 1, 1, unary<graph::NotOp>},
      {"BitwiseOr", 18, newest, 2, 2, binary<graph::OrOp>},
      {"BitwiseXor", 18, newest, 2, 2, binary<graph::XorOp>},
      {"Cast", 6, newest, 1, 1, importCast, nullptr, false, Emulated::Read},
      {"CastLike", 15, newest, 2, 2, importCastLike, nullptr, false,
       Emulated::Read},
      {"Ceil", 1, newest, 1, 1, unary<graph::CeilOp>},
      {"Clip", 6, newest, 1, 3, importClip},
      {"Cos", 7, newest, 1, 1, unary<graph::CosOp>},
      {"Cosh", 9, newest, 1, 1, unary<graph::CoshOp>},
      {"Div", 1, 6, 2, 2, alignedBinary<graph::DivOp>},
      {"Div", 7, newest, 2, 2, binary<graph::DivOp>, foldDiv},
      {"Equal", 1, 6, 2, 2, alignedComparison<CompareDirection::eq>},
      {"Equal", 7, newest, 2, 2, comparison<CompareDirection::eq>, foldEqual,
       false, Emulated::Compared},
      {"Erf", 9, newest, 1, 1, unary<graph::ErfOp>},
      {"Exp", 1, newest, 1, 1, unary<graph::ExpOp>},
      {"Floor", 1, newest, 1, 1, unary<graph::FloorOp>},
      {"Greater", 1, 6, 2, 2, alignedComparison<CompareDirection::gt>},
      {"Greater", 7, newest, 2, 2, comparison<CompareDirection::gt>,
       foldGreater},
      {"GreaterOrEqual", 12, newest, 2, 2, comparison<CompareDirection::ge>,
       foldGreaterOrEqual},
      {"Identity", 1, newest, 1, 1, importIdentity, nullptr, false,
       Emulated::Moved},
      {"IsInf", 10, newest, 1, 1, importIsInf},
      {"IsNaN", 9, newest, 1, 1, importIsNaN},
      {"Less", 1, 6, 2, 2, alignedComparison<CompareDirection::lt>},
      {"Less", 7, newest, 2, 2, comparison<CompareDirection::lt>, foldLess},
      {"LessOrEqual", 12, newest, 2, 2, comparison<CompareDirection::le>,
       foldLessOrEqual},
      {"Log", 1, newest, 1, 1, unary<graph::LogOp>},
      {"Max", 1, newest, 1, anyNumber, variadic<graph::MaxOp>, foldMax},
      {"Mean", 1, newest, 1, anyNumber, importMean},
      {"Min", 1, newest, 1, anyNumber, variadic<graph::MinOp>, foldMin},
      {"Mod", 10, newest, 2, 2, importMod, foldMod},
      {"Mul", 1, 6, 2, 2, alignedBinary<graph::MulOp>},
      {"Mul", 7, newest, 2, 2, binary<graph::MulOp>, foldMul},
      {"Neg", 1, newest, 1, 1, importNeg, foldNeg},
      {"Not", 1, newest, 1, 1, unary<graph::NotOp>, foldNot},
      {"Or", 1, 6, 2, 2, alignedBinary<graph::OrOp>},
      {"Or", 7, newest, 2, 2, binary<graph::OrOp>, foldOr},
      {"Pow", 1, newest, 2, 2, importPow},
      {"Reciprocal", 1, newest, 1, 1, importReciprocal},
      {"Round", 11, newest, 1, 1, unary<graph::RoundEvenOp>},
      {"Sign", 9, newest, 1, 1, unary<graph::SignOp>},
      {"Sin", 7, newest, 1, 1, unary<graph::SinOp>},
      {"Sinh", 9, newest, 1, 1, unary<graph::SinhOp>},
      {"Sqrt", 1, newest, 1, 1, unary<graph::SqrtOp>},
      {"Sub", 1, 6, 2, 2, alignedBinary<graph::SubOp>},
      {"Sub", 7, newest, 2, 2, binary<graph::SubOp>, foldSub},
      {"Sum", 1, newest, 1, anyNumber, variadic<graph::AddOp>},
      {"Tan", 7, newest, 1, 1, unary<graph::TanOp>},
      {"Where", 9, newest, 3, 3, importWhere, foldWhere, false,
       Emulated::Moved},
      {"Xor", 1, 6, 2, 2, alignedBinary<graph::XorOp>},
      {"Xor", 7, newest, 2, 2, binary<graph::XorOp>},
  };
  return rows;
}
