// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of quantization by scale and zero point, and of products of
// quantized integers, which are computed in i32.
#include "frontends/onnx/ContractionImport.h"
#include "frontends/onnx/ONNXOpTable.h"

#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using graph::ReduceKind;
using llvm::ArrayRef;
using llvm::SmallVector;

static bool isNarrowInteger(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && (integer.getWidth() == 8 || integer.getWidth() == 16);
}

static bool isByte(Type type) {
  return isNarrowInteger(type) && type.getIntOrFloatBitWidth() == 8;
}

/// Rounds to the nearest integer, adds the zero point and stays in the range of
/// `element`, an integer of 8 or 16 bits; computed in f32, which holds all of
/// these.
static Value quantized(ImportBuilder &b, Value scaled, Value zeroPoint,
                       IntegerType element) {
  Value x = b.unary<graph::RoundEvenOp>(scaled);
  if (zeroPoint)
    x = b.binary<graph::AddOp>(x, b.convert(zeroPoint, b.builder.getF32Type()));
  unsigned bits = element.getWidth();
  double low = element.isUnsigned() ? 0 : -double(1 << (bits - 1)),
         high = double((1 << (element.isUnsigned() ? bits : bits - 1)) - 1);
  x = b.binary<graph::MinOp>(b.binary<graph::MaxOp>(x, low), high);
  return b.convert(x, element);
}

/// A scale or zero point in the shape that broadcasts along the input's `axis`:
/// scalars, or vectors along the axis.
static Value alongAxis(NodeImport &n, size_t index) {
  Value value = n.input(index);
  DimVector dims = n.dims(index);
  if (dims.empty())
    return value;
  if (dims.size() > 1) {
    n.fail(unsupported("scales of blocks"));
    return value;
  }
  if (isConstant(dims[0], 1))
    return n.b.reshape(value, {});
  int64_t axis = n.axisAttribute("axis", 1, n.rank(0));
  if (n.failed())
    return value;
  DimVector shape(n.rank(0) - axis, DimExpr(1));
  shape[0] = dims[0];
  return n.b.reshape(value, shape);
}

static bool checkPlain(NodeImport &n) {
  if (n.intAttribute("block_size", 0))
    n.fail(unsupported("scales of blocks"));
  if (!n.elementType(1).isF32())
    n.fail(unsupported("scales that are not f32"));
  return !n.failed();
}

static void importQuantizeLinear(NodeImport &n) {
  ImportBuilder &b = n.b;
  if (!checkPlain(n))
    return;
  if (!n.elementType(0).isF32() ||
      n.intAttribute("precision", 1) > int64_t(DataType::Float))
    return n.fail(unsupported("quantization of values that are not f32"));
  auto wanted = static_cast<DataType>(n.intAttribute("output_dtype", 0));
  Type element = n.has(2) ? n.elementType(2)
                 : wanted == DataType::Undefined
                     ? elementTypeOf(DataType::UInt8, b.builder.getContext())
                     : elementTypeOf(wanted, b.builder.getContext());
  if (!element || !isNarrowInteger(element))
    return n.fail(
        unsupported("quantization to a type that is no integer of 8 or 16 "
                    "bits"));
  Value scale = alongAxis(n, 1),
        zeroPoint = n.has(2) ? alongAxis(n, 2) : Value();
  if (n.failed())
    return;
  Value scaled = b.binary<graph::DivOp>(n.input(0), scale);
  n.result(quantized(b, scaled, zeroPoint, cast<IntegerType>(element)));
}

static void importDequantizeLinear(NodeImport &n) {
  ImportBuilder &b = n.b;
  if (!checkPlain(n))
    return;
  int64_t wanted = n.intAttribute("output_dtype", 0);
  if (wanted != 0 && wanted != int64_t(DataType::Float))
    return n.fail(unsupported("dequantization to a type that is not f32"));
  bool isWide = n.elementType(0).isSignlessInteger(32) && !n.has(2);
  if (!isNarrowInteger(n.elementType(0)) && !isWide)
    return n.fail(unsupported("dequantization of this data type"));
  Value x = b.convert(n.input(0), b.builder.getI32Type());
  Value scale = alongAxis(n, 1);
  if (n.has(2))
    x = b.binary<graph::SubOp>(
        x, b.convert(alongAxis(n, 2), b.builder.getI32Type()));
  if (!n.failed())
    n.result(
        b.binary<graph::MulOp>(b.convert(x, b.builder.getF32Type()), scale));
}

static void importDynamicQuantizeLinear(NodeImport &n) {
  ImportBuilder &b = n.b;
  if (!n.elementType(0).isF32())
    return n.fail(invalid("DynamicQuantizeLinear needs f32"));
  Value x = n.input(0), zero = b.scalarConstant(n.elementType(0), 0);
  SmallVector<int64_t> all;
  for (int64_t i = 0; i < n.rank(0); ++i)
    all.push_back(i);
  auto bytes =
      cast<IntegerType>(elementTypeOf(DataType::UInt8, b.builder.getContext()));
  Value low =
      b.binary<graph::MinOp>(b.reduce(ReduceKind::min, x, all, false), 0.0);
  Value high =
      b.binary<graph::MaxOp>(b.reduce(ReduceKind::max, x, all, false), 0.0);
  Value scale =
      b.binary<graph::DivOp>(b.binary<graph::SubOp>(high, low), 255.0);
  // All values are zero: any scale does.
  scale = b.select(b.compare(CompareDirection::eq, scale, zero),
                   b.scalarConstant(n.elementType(0), 1), scale);
  Value zeroPoint = quantized(
      b, b.binary<graph::DivOp>(b.unary<graph::NegOp>(low), scale), {}, bytes);
  n.result(0, quantized(b, b.binary<graph::DivOp>(x, scale), zeroPoint, bytes));
  n.result(1, scale);
  n.result(2, zeroPoint);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Operand minus zero point in i32. A vector of zero points goes along the
/// operand's dimension `axis`.
static Value shifted(NodeImport &n, size_t index, size_t zeroPointIndex,
                     int64_t axis) {
  ImportBuilder &b = n.b;
  Type i32 = b.builder.getI32Type();
  if (!isByte(n.elementType(index)) ||
      (n.has(zeroPointIndex) && !isByte(n.elementType(zeroPointIndex))))
    n.fail(invalid(fmt::format("{} needs integers of 8 bits", n.node.op)));
  Value value = b.convert(n.input(index), i32);
  if (n.failed() || !n.has(zeroPointIndex))
    return value;
  Value zeroPoint = b.convert(n.input(zeroPointIndex), i32);
  DimVector dims = n.dims(zeroPointIndex);
  if (dims.size() == 1 && isConstant(dims[0], 1)) {
    zeroPoint = b.reshape(zeroPoint, {});
  } else if (dims.size() == 1) {
    DimVector shape(n.rank(index) - axis, DimExpr(1));
    shape[0] = dims[0];
    zeroPoint = b.reshape(zeroPoint, shape);
  } else if (dims.size() > 1) {
    n.fail(unsupported("zero points of rank 2 or more"));
    return value;
  }
  if (!sameDims(b.broadcastDims(n.dims(index), b.dims(zeroPoint)),
                n.dims(index))) {
    n.fail(invalid("zero points do not fit the operand"));
    return value;
  }
  return b.binary<graph::SubOp>(value, zeroPoint);
}

static bool checkMatrices(NodeImport &n, size_t rhs) {
  if (n.rank(0) < 2 || n.rank(rhs) < 2)
    n.fail(unsupported("a product of quantized vectors"));
  return !n.failed();
}

static void importMatMulInteger(NodeImport &n) {
  if (!checkMatrices(n, 1))
    return;
  Value lhs = shifted(n, 0, 2, n.rank(0) - 2),
        rhs = shifted(n, 1, 3, n.rank(1) - 1);
  if (!n.failed())
    n.result(matmul(n.b, lhs, rhs));
}

static void importConvInteger(NodeImport &n) {
  Value x = shifted(n, 0, 2, 1), w = shifted(n, 1, 3, 0);
  if (n.failed())
    return;
  Value result = convolve(n, x, w);
  if (!n.failed())
    n.result(result);
}

static void importQLinearMatMul(NodeImport &n) {
  ImportBuilder &b = n.b;
  if (!checkMatrices(n, 3))
    return;
  for (size_t scale : {1, 4, 6}) {
    auto count = b.product(n.dims(scale)).constant();
    if (!n.elementType(scale).isF32() || count != 1 || n.rank(scale) > 1 ||
        b.product(n.dims(scale + 1)).constant() != 1)
      return n.fail(unsupported("QLinearMatMul whose scales are not one f32"));
  }
  if (!isByte(n.elementType(7)))
    return n.fail(invalid("QLinearMatMul needs integers of 8 bits"));
  Value lhs = shifted(n, 0, 2, 0), rhs = shifted(n, 3, 5, 0);
  if (n.failed())
    return;
  auto scalar = [&](size_t index) { return b.reshape(n.input(index), {}); };
  Value lhsScale = scalar(1), rhsScale = scalar(4), scale = scalar(6);
  Value factor =
      b.binary<graph::DivOp>(b.binary<graph::MulOp>(lhsScale, rhsScale), scale);
  Value product = b.convert(matmul(b, lhs, rhs), b.builder.getF32Type());
  n.result(quantized(b, b.binary<graph::MulOp>(product, factor), scalar(7),
                     cast<IntegerType>(n.elementType(7))));
}

llvm::ArrayRef<OpRow> zenith::onnx::quantizationRows() {
  static constexpr OpRow rows[] = {
      {"ConvInteger", 10, newest, 2, 4, importConvInteger},
      {"DequantizeLinear", 10, newest, 2, 3, importDequantizeLinear},
      {"DynamicQuantizeLinear", 11, newest, 1, 1, importDynamicQuantizeLinear},
      {"MatMulInteger", 10, newest, 2, 4, importMatMulInteger},
      {"QLinearMatMul", 10, newest, 8, 8, importQLinearMatMul},
      {"QuantizeLinear", 10, newest, 2, 3, importQuantizeLinear},
  };
  return rows;
}
