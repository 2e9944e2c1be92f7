// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of matmuls and convolutions of quantized integers, which are
// computed in i32.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/layers/ContractionReading.h"
#include "frontends/onnx/layers/QuantizationReading.h"

#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;

static bool isByte(Type type) {
  return isa<IntegerType>(type) && type.getIntOrFloatBitWidth() == 8;
}

Value zenith::onnx::shiftedOperand(NodeReading &n, size_t index,
                                   size_t zeroPointIndex, int64_t axis) {
  ImportBuilder &b = n.b;
  Type i32 = b.builder.getI32Type();
  if (!isByte(n.elementType(index)) ||
      (n.has(zeroPointIndex) && !isByte(n.elementType(zeroPointIndex))))
    n.fail(invalid(fmt::format("{} needs integers of 8 bits", n.node.op)));
  Value value = n.input(index);
  if (n.failed() || !n.has(zeroPointIndex))
    return minusZeroPoint(b, value, {});
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
  DimVector whole = n.dims(index),
            common = b.broadcastDims(whole, b.dims(zeroPoint));
  if (sameDims(common, whole))
    return minusZeroPoint(b, value, zeroPoint);
  bool isOpen = llvm::any_of(
      common, [](const DimExpr &size) { return !size.constant(); });
  if (!isOpen || common.size() != whole.size()) {
    n.fail(invalid("zero points do not fit the operand"));
    return value;
  }
  return minusZeroPoint(b, value, b.broadcastTo(zeroPoint, whole));
}

static bool checkMatrices(NodeReading &n, size_t rhs) {
  if (n.rank(0) < 2 || n.rank(rhs) < 2)
    n.fail(unsupported("a product of quantized vectors"));
  return !n.failed();
}

static void importMatMulInteger(NodeReading &n) {
  if (!checkMatrices(n, 1))
    return;
  Value lhs = shiftedOperand(n, 0, 2, n.rank(0) - 2),
        rhs = shiftedOperand(n, 1, 3, n.rank(1) - 1);
  if (!n.failed())
    n.result(matmul(n.b, lhs, rhs));
}

static void importConvInteger(NodeReading &n) {
  Value x = shiftedOperand(n, 0, 2, 1), w = shiftedOperand(n, 1, 3, 0);
  if (n.failed())
    return;
  Value result = convolve(n, x, w);
  if (!n.failed())
    n.result(result);
}

Value zenith::onnx::scaleAlong(NodeReading &n, size_t index, int64_t axis,
                               int64_t rank) {
  ImportBuilder &b = n.b;
  Value scale = b.convert(scaleInput(n, index), b.builder.getF32Type());
  DimVector dims = n.dims(index);
  if (!isa<FloatType>(n.elementType(index)))
    n.fail(invalid(fmt::format("input {} is no scale", index)));
  bool isSingle = axis < 0 && b.product(dims).constant().value_or(1) == 1;
  if (isSingle)
    b.requireEqual(b.product(dims), DimExpr(1), "numbers of scales");
  if (isSingle || b.product(dims).isConstant(1))
    return b.reshape(scale, {});
  if (dims.size() != 1 || axis < 0 || axis >= rank) {
    n.fail(unsupported(fmt::format("scales of rank {}", dims.size())));
    return scale;
  }
  DimVector shape(rank - axis, DimExpr(1));
  shape[0] = dims[0];
  return b.reshape(scale, shape);
}

/// The i32 sums in the result's scale.
static void setRequantized(NodeReading &n, Value sums, Value lhsScale,
                           Value rhsScale, size_t scaleIndex) {
  ImportBuilder &b = n.b;
  auto element = dyn_cast<IntegerType>(n.elementType(scaleIndex + 1));
  auto mayBeSingle = [&](size_t index) {
    return b.product(n.dims(index)).constant().value_or(1) == 1;
  };
  if (!element || !isByte(element) || !mayBeSingle(scaleIndex) ||
      !mayBeSingle(scaleIndex + 1))
    return n.fail(unsupported(
        fmt::format("{} whose result has no single scale, or is not of 8 bits",
                    n.node.op)));
  Value scale = scaleAlong(n, scaleIndex, -1, 0),
        zeroPoint = b.reshape(n.input(scaleIndex + 1), {});
  if (n.failed())
    return;
  Value factor =
      b.binary<graph::DivOp>(b.binary<graph::MulOp>(lhsScale, rhsScale), scale);
  Value scaled =
      b.binary<graph::MulOp>(b.convert(sums, b.builder.getF32Type()), factor);
  n.result(quantized(b, scaled, zeroPoint, element));
}

static void importQLinearMatMul(NodeReading &n) {
  if (!checkMatrices(n, 3))
    return;
  Value lhs = shiftedOperand(n, 0, 2, n.rank(0) - 2),
        rhs = shiftedOperand(n, 3, 5, n.rank(3) - 1);
  if (n.failed())
    return;
  Value sums = matmul(n.b, lhs, rhs);
  int64_t rank = n.b.dims(sums).size();
  Value lhsScale = scaleAlong(n, 1, rank - 2, rank);
  setRequantized(n, sums, lhsScale, scaleAlong(n, 4, rank - 1, rank), 6);
}

static void importQLinearConv(NodeReading &n) {
  ImportBuilder &b = n.b;
  Value x = shiftedOperand(n, 0, 2, 1), w = shiftedOperand(n, 3, 5, 0);
  if (n.failed())
    return;
  Value sums = convolve(n, x, w);
  if (n.failed())
    return;
  if (n.has(8)) {
    if (!n.elementType(8).isSignlessInteger(32))
      return n.fail(invalid("the bias is not i32"));
    sums = b.binary<graph::AddOp>(sums,
                                  b.broadcast(n.input(8), {1}, b.dims(sums)));
  }
  Value xScale = scaleAlong(n, 1, -1, 0);
  setRequantized(n, sums, xScale, scaleAlong(n, 4, 1, n.rank(0)), 6);
}

llvm::ArrayRef<OpRow> zenith::onnx::quantizedProductRows() {
  static constexpr OpRow rows[] = {
      {"ConvInteger", 10, newest, 2, 4, importConvInteger},
      {"MatMulInteger", 10, newest, 2, 4, importMatMulInteger},
      {"QLinearConv", 10, newest, 8, 9, importQLinearConv},
      {"QLinearMatMul", 10, newest, 8, 8, importQLinearMatMul},
  };
  return rows;
}
