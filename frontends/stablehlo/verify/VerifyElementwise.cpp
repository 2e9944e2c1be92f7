// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints of elementwise StableHLO ops.

#include "frontends/stablehlo/verify/VerifyChecks.h"

#include "mlir/Dialect/Quant/QuantTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

// All operands have one shape and element type, and so has the result.
static LogicalResult checkSameTypes(Operation *op) {
  for (Value operand : op->getOperands().drop_front())
    if (!typesAgree(op->getOperand(0).getType(), operand.getType()))
      return op->emitOpError("requires compatible types for all operands and "
                             "results");
  return checkResults(op, op->getOperand(0).getType());
}

// add_c2 to add_c7: quantized operands and results fit together.
static LogicalResult checkAdd(Operation *op) {
  SmallVector<quant::QuantizedType> quantized;
  for (Type type : {op->getOperand(0).getType(), op->getOperand(1).getType(),
                    op->getResult(0).getType()})
    if (auto part = dyn_cast<quant::QuantizedType>(getElementTypeOrSelf(type)))
      quantized.push_back(part);
  if (quantized.empty())
    return checkSameTypes(op);
  if (quantized.size() != 3)
    return op->emitOpError("expects all operands and results to be either "
                           "quantized or non-quantized");
  auto lhs = quantized[0], rhs = quantized[1], result = quantized[2];
  if (lhs.getStorageType() != rhs.getStorageType() ||
      lhs.getStorageType() != result.getStorageType())
    return op->emitOpError("mismatched operands and result quantization "
                           "storage types");
  if (lhs.getExpressedType() != rhs.getExpressedType() ||
      lhs.getExpressedType() != result.getExpressedType())
    return op->emitOpError("mismatched operands and result quantization "
                           "expressed types");
  using PerAxis = quant::UniformQuantizedPerAxisType;
  auto lhsAxis = dyn_cast<PerAxis>(lhs), rhsAxis = dyn_cast<PerAxis>(rhs),
       resultAxis = dyn_cast<PerAxis>(result);
  if ((lhsAxis || rhsAxis) != bool(resultAxis))
    return op->emitOpError(
        resultAxis ? "result is per_axis quantized but lhs and rhs are not "
                     "per_axis quantized"
                   : "result is not per_axis quantized but lhs or rhs are "
                     "per_axis quantized");
  for (PerAxis side : {lhsAxis, rhsAxis})
    if (side &&
        side.getQuantizedDimension() != resultAxis.getQuantizedDimension())
      return op->emitOpError(
          "quantization_dimension of lhs or rhs and result are not same");
  for (Value operand : op->getOperands())
    if (!shapesAgree(operand.getType(), op->getResult(0).getType()))
      return checkResults(op, operand.getType());
  return success();
}

// The result's elements are the parts of complex ones; a real abs keeps its.
static LogicalResult checkPart(Operation *op) {
  RankedTensorType operand = tensorOf(op->getOperand(0));
  Type element = operand.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  return checkResults(op, operand.clone(element));
}

static LogicalResult checkComplex(Operation *op) {
  RankedTensorType lhs = tensorOf(op->getOperand(0));
  if (!typesAgree(lhs, op->getOperand(1).getType()))
    return op->emitOpError("requires the same type for all operands");
  return checkResults(op, lhs.clone(ComplexType::get(lhs.getElementType())));
}

static LogicalResult checkPredicate(Operation *op) {
  RankedTensorType operand = tensorOf(op->getOperand(0));
  for (Value other : op->getOperands().drop_front()) {
    if (!elementsAgree(operand, other.getType()))
      return op->emitOpError("requires the same element type for all operands");
    if (!shapesAgree(operand, other.getType()))
      return op->emitOpError("requires the same shape for all operands and "
                             "results");
  }
  return checkResults(op, operand.clone(IntegerType::get(op->getContext(), 1)));
}

// select_c1, select_c2
static LogicalResult checkSelect(Operation *op) {
  Type onTrue = op->getOperand(1).getType();
  if (!typesAgree(onTrue, op->getOperand(2).getType()))
    return op->emitOpError(
        "requires compatible types for non-predicate operands");
  RankedTensorType pred = tensorOf(op->getOperand(0));
  if (pred.getRank() != 0 && !shapesAgree(pred, onTrue))
    return op->emitOpError("requires the same shape for all operands");
  return checkResults(op, onTrue);
}

// clamp_c1 to clamp_c4
static LogicalResult checkClamp(Operation *op) {
  RankedTensorType operand = tensorOf(op->getOperand(1));
  for (unsigned i : {0u, 2u}) {
    RankedTensorType bound = tensorOf(op->getOperand(i));
    if (!elementsAgree(bound, operand))
      return op->emitOpError("requires the same element type for all operands "
                             "and results");
    if (bound.getRank() != 0 && !shapesAgree(bound, operand))
      return op->emitOpError()
             << (i ? "max" : "min") << " shape " << shapeText(bound.getShape())
             << " is not scalar and is not compatible to operand shape "
             << shapeText(operand.getShape());
  }
  return checkResults(op, operand);
}

// convert_c1: shapes agree; complex numbers convert to complex numbers only
// where the operand is no real number.
static LogicalResult checkConvert(Operation *op) {
  RankedTensorType operand = tensorOf(op->getOperand(0));
  RankedTensorType result = tensorOf(op->getResult(0));
  if (!shapesAgree(operand, result))
    return op->emitOpError("requires the same shape for all operands and "
                           "results");
  return success();
}

static uint64_t bitsOf(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * bitsOf(complex.getElementType());
  if (auto quantized = dyn_cast<quant::QuantizedType>(element))
    return bitsOf(quantized.getStorageType());
  return element.isInteger() ? element.getIntOrFloatBitWidth()
                             : floatBits(element);
}

// bitcast_convert_c1, bitcast_convert_c2
static LogicalResult checkBitcast(Operation *op) {
  RankedTensorType operand = tensorOf(op->getOperand(0));
  RankedTensorType result = tensorOf(op->getResult(0));
  Type from = operand.getElementType(), to = result.getElementType();
  if (isa<ComplexType>(from) != isa<ComplexType>(to))
    return op->emitOpError("cannot convert between real and complex types, ")
           << "but got: " << typesText(TypeRange({operand, result}));
  uint64_t fromBits = bitsOf(from), toBits = bitsOf(to);
  if (!fromBits || !toBits)
    return success();
  RankedTensorType smaller = fromBits < toBits ? operand : result;
  RankedTensorType bigger = fromBits < toBits ? result : operand;
  uint64_t small = std::min(fromBits, toBits), big = std::max(fromBits, toBits);
  llvm::ArrayRef<int64_t> outer = smaller.getShape();
  if (small != big) {
    if (outer.empty())
      return op->emitOpError("does not allow the smaller element type to be "
                             "part of a 0d tensor, but got: ")
             << typesText(TypeRange({operand, result}));
    outer = outer.drop_back();
    int64_t last = smaller.getShape().back();
    if (!dimsAgree(productOf(last, small), big))
      return op->emitOpError("requires compatible bit widths. Got: ")
             << typesText(TypeRange({operand, result})) << ", but " << small
             << " * " << last << " != " << big << ".";
  }
  bool same = outer.size() == bigger.getShape().size() &&
              llvm::all_of(llvm::zip(outer, bigger.getShape()), [](auto pair) {
                return dimsAgree(std::get<0>(pair), std::get<1>(pair));
              });
  if (!same)
    return op->emitOpError("operand and result shapes must match except for "
                           "the innermost dimension of the shape with the "
                           "smaller element type. Got: ")
           << typesText(TypeRange({operand, result})) << ".";
  return success();
}

// reduce_precision_c2, reduce_precision_c3
static LogicalResult checkReducePrecision(Operation *op) {
  if (failed(checkAtLeast(op, "exponent_bits", 1, 32)) ||
      failed(checkAtLeast(op, "mantissa_bits", 0, 32)))
    return failure();
  return checkSameTypes(op);
}

static LogicalResult checkQuantize(Operation *op) {
  if (!shapesAgree(op->getOperand(0).getType(), op->getResult(0).getType()))
    return op->emitOpError("requires the same shape for all operands and "
                           "results");
  auto expressed = [](Type type) {
    type = getElementTypeOrSelf(type);
    auto quantized = dyn_cast<quant::QuantizedType>(type);
    return quantized ? quantized.getExpressedType() : type;
  };
  if (expressed(op->getOperand(0).getType()) !=
      expressed(op->getResult(0).getType()))
    return op->emitOpError("operand and result types have incompatible "
                           "expressed types: ")
           << typesText(op->getOperandTypes()) << " vs "
           << typesText(op->getResultTypes());
  return success();
}

OpCheck zenith::stablehlo::elementwiseCheck(llvm::StringRef name) {
  static const llvm::StringSet<> same = {"and",
                                         "atan2",
                                         "cbrt",
                                         "ceil",
                                         "cosine",
                                         "count_leading_zeros",
                                         "divide",
                                         "exponential",
                                         "exponential_minus_one",
                                         "floor",
                                         "log",
                                         "log_plus_one",
                                         "logistic",
                                         "maximum",
                                         "minimum",
                                         "multiply",
                                         "negate",
                                         "not",
                                         "or",
                                         "popcnt",
                                         "power",
                                         "remainder",
                                         "rsqrt",
                                         "round_nearest_afz",
                                         "round_nearest_even",
                                         "shift_left",
                                         "shift_right_arithmetic",
                                         "shift_right_logical",
                                         "sign",
                                         "sine",
                                         "sqrt",
                                         "subtract",
                                         "tan",
                                         "tanh",
                                         "xor"};
  if (same.contains(name))
    return checkSameTypes;
  return llvm::StringSwitch<OpCheck>(name)
      .Case("add", checkAdd)
      .Cases("abs", "real", "imag", checkPart)
      .Case("complex", checkComplex)
      .Cases("compare", "is_finite", checkPredicate)
      .Case("select", checkSelect)
      .Case("clamp", checkClamp)
      .Case("convert", checkConvert)
      .Case("bitcast_convert", checkBitcast)
      .Case("reduce_precision", checkReducePrecision)
      .Cases("uniform_quantize", "uniform_dequantize", checkQuantize)
      .Default(nullptr);
}
