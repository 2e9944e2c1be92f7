// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantized programs: before import, every op on quantized values becomes an op
// on dequantized values, between a dequantization and a quantization. Only
// these two see integers.

#include "frontends/stablehlo/import/OpReading.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/QuantTypes.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

static quant::QuantizedType quantizedOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast<quant::QuantizedType>(tensor.getElementType())
                : quant::QuantizedType();
}

static Type expressedType(Type type) {
  return cast<RankedTensorType>(type).clone(
      quantizedOf(type).getExpressedType());
}

static Value createUnary(OpBuilder &builder, StringRef name, Value operand,
                         Type type) {
  OperationState state(operand.getLoc(), name);
  state.addOperands(operand);
  state.addTypes(type);
  return builder.create(state)->getResult(0);
}

static void dequantizeOperands(Operation *op) {
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands())
    if (Type type = operand.get().getType(); quantizedOf(type))
      operand.set(createUnary(builder, "stablehlo.uniform_dequantize",
                              operand.get(), expressedType(type)));
}

// Gives a value its dequantized type; its users see it quantized again.
static void quantizeValue(OpBuilder &builder, Value value) {
  Type type = value.getType();
  if (!quantizedOf(type))
    return;
  value.setType(expressedType(type));
  Value again = createUnary(builder, "stablehlo.uniform_quantize", value, type);
  value.replaceAllUsesExcept(again, again.getDefiningOp());
}

static bool keepsQuantized(Operation *op) {
  StringRef name = op->getName().getStringRef();
  return isa<func::FuncOp, func::CallOp, func::ReturnOp, ModuleOp>(op) ||
         name == "stablehlo.uniform_dequantize" ||
         name == "stablehlo.bitcast_convert" || name == "stablehlo.composite" ||
         name == "stablehlo.tuple" || name == "stablehlo.get_tuple_element";
}

void stablehlo::expressQuantized(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    StringRef name = op->getName().getStringRef();
    if (keepsQuantized(op))
      continue;
    dequantizeOperands(op);
    if (name == "stablehlo.uniform_quantize" || name == "stablehlo.constant")
      continue;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    for (Value result : op->getResults())
      quantizeValue(builder, result);
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        builder.setInsertionPointToStart(&block);
        for (BlockArgument argument : block.getArguments())
          quantizeValue(builder, argument);
      }
  }
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

namespace {
/// Scales and zero points as values of the operand's shape.
struct Quantization {
  Expr scale, zeroPoint;
};
} // namespace

// One value per index of the quantized dimension.
static Value alongAxis(OpReading &x, ArrayRef<double> perIndex, int64_t axis,
                       Value like, Type element) {
  SmallVector<Attribute> values;
  for (double value : perIndex)
    values.push_back(FloatAttr::get(element, value));
  auto type = RankedTensorType::get({int64_t(perIndex.size())}, element);
  Value vector =
      x.create<graph::ConstantOp>(DenseElementsAttr::get(type, values));
  return x.broadcast(vector, {axis}, typeWith(like, element),
                     x.dynamicDims(like));
}

static std::optional<Quantization> readQuantization(OpReading &x,
                                                    quant::QuantizedType type,
                                                    Value like, Type element) {
  if (auto uniform = dyn_cast<quant::UniformQuantizedType>(type))
    return Quantization{
        Expr(x, x.filled(like, element, uniform.getScale())),
        Expr(x, x.filled(like, element, double(uniform.getZeroPoint())))};
  auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(type);
  if (!perAxis) {
    x.unsupported("of this quantized type is not supported");
    return std::nullopt;
  }
  SmallVector<double> zeroPoints(perAxis.getZeroPoints());
  int64_t axis = perAxis.getQuantizedDimension();
  return Quantization{
      Expr(x, alongAxis(x, perAxis.getScales(), axis, like, element)),
      Expr(x, alongAxis(x, zeroPoints, axis, like, element))};
}

static void quantizeRule(OpReading &x) {
  auto type = quantizedOf(x.op->getResult(0).getType());
  RankedTensorType storage = x.type();
  if (x.failed() || !type)
    return;
  Value value = x.convert(x.in(), x.b.getF32Type());
  auto parameters = readQuantization(x, type, value, x.b.getF32Type());
  if (!parameters)
    return;
  Expr steps =
      (Expr(x, value) / parameters->scale).apply<graph::RoundEvenOp>() +
      parameters->zeroPoint;
  Value clamped = x.make<graph::ClampOp>(
      value.getType(), steps.constant(double(type.getStorageTypeMin())).value,
      steps.value, steps.constant(double(type.getStorageTypeMax())).value);
  x.out(x.convert(clamped, storage.getElementType()));
}

static void dequantizeRule(OpReading &x) {
  auto type = quantizedOf(x.op->getOperand(0).getType());
  RankedTensorType result = x.type();
  if (x.failed() || !type)
    return;
  Type wide = x.b.getF32Type();
  Value value = x.convert(x.in(), wide);
  auto parameters = readQuantization(x, type, value, wide);
  if (parameters)
    x.out(x.convert(
        ((Expr(x, value) - parameters->zeroPoint) * parameters->scale).value,
        result.getElementType()));
}

Type stablehlo::storageType(Type element) {
  auto type = dyn_cast<quant::QuantizedType>(element);
  if (!type)
    return element;
  return IntegerType::get(
      element.getContext(), type.getStorageTypeIntegralWidth(),
      type.isSigned() ? IntegerType::Signless : IntegerType::Unsigned);
}

void stablehlo::addQuantizationRules(RuleTable &rules) {
  rules["stablehlo.uniform_quantize"] = quantizeRule;
  rules["stablehlo.uniform_dequantize"] = dequantizeRule;
}
