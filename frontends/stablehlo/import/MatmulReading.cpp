// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types in which matmuls and convolutions multiply and accumulate.

#include "frontends/stablehlo/import/MatmulReading.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

static bool mayWiden(Type from, Type to) {
  return (from.isSignlessInteger(8) && to.isSignlessInteger(32)) ||
         ((from.isF16() || from.isBF16()) && to.isF32());
}

Type stablehlo::matmulOperandType(Value lhs, Value rhs, Type result) {
  Type left = elementOf(lhs), right = elementOf(rhs);
  if (left.isInteger(1) && result.isInteger(1))
    return IntegerType::get(result.getContext(), 32);
  // Sums of bytes have the same low bits as sums of narrower integers.
  auto integer = dyn_cast<IntegerType>(result);
  if (isa<IntegerType>(left) && isa<IntegerType>(right) && integer &&
      integer.getWidth() > 1 && integer.getWidth() < 8)
    return IntegerType::get(result.getContext(), 8, integer.getSignedness());
  if (left != right || left.isInteger(1))
    return result;
  if (left == result || mayWiden(left, result))
    return left;
  auto width = [](Type type) {
    if (auto complex = dyn_cast<ComplexType>(type))
      return 1000 + complex.getElementType().getIntOrFloatBitWidth();
    return type.getIntOrFloatBitWidth();
  };
  return width(left) > width(result) ? left : result;
}

Type stablehlo::matmulSumType(Type operand, Type result) {
  return mayWiden(operand, result) ? result : operand;
}

Value stablehlo::convertSums(OpReading &x, Value accumulated, Type element) {
  return element.isInteger(1) ? x.compare(graph::CompareDirection::ne,
                                          accumulated, x.filled(accumulated, 0))
                              : x.convert(accumulated, element);
}

void stablehlo::markPrecision(OpReading &x, Value product) {
  auto config = x.op->getAttrOfType<ArrayAttr>("precision_config");
  bool isHighest = config && llvm::any_of(config.getAsRange<PrecisionAttr>(),
                                          [](PrecisionAttr precision) {
                                            return precision.getValue() ==
                                                   Precision::HIGHEST;
                                          });
  if (isHighest)
    product.getDefiningOp()->setAttr(graph::highestPrecisionAttrName,
                                     UnitAttr::get(product.getContext()));
}

Value stablehlo::makeDot(OpReading &x, graph::DotDimsAttr dims, Value lhs,
                         Value rhs, RankedTensorType type) {
  Type element = type.getElementType();
  Type operand = matmulOperandType(lhs, rhs, element);
  lhs = x.convert(lhs, operand);
  rhs = x.convert(rhs, operand);
  auto sum =
      RankedTensorType::get(type.getShape(), matmulSumType(operand, element));
  Value product = x.make<graph::DotGeneralOp>(sum, lhs, rhs, dims);
  markPrecision(x, product);
  return convertSums(x, product, element);
}
