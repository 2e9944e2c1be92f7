// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantized programs and those of narrow elements: before import, every op on
// such values becomes an op on the numbers that they stand for, between a
// dequantization (a conversion) and a quantization. Only these two, and ops
// that move narrow elements, see integers.

#include "frontends/stablehlo/builder/NarrowElements.h"
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

/// The type of the numbers that such a tensor stands for; null for others.
static Type expressedType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return {};
  Type element = widerElement(tensor.getElementType());
  if (quant::QuantizedType quantized = quantizedOf(type))
    element = quantized.getExpressedType();
  return element ? tensor.clone(element) : Type();
}

static Value createUnary(OpBuilder &builder, StringRef name, Value operand,
                         Type type) {
  OperationState state(operand.getLoc(), name);
  state.addOperands(operand);
  state.addTypes(type);
  return builder.create(state)->getResult(0);
}

/// Whether the op takes and gives the integers that store such a tensor.
static bool keepsStored(Operation *op, Type type) {
  StringRef name = op->getName().getStringRef();
  if (isa<func::FuncOp, func::CallOp, func::ReturnOp>(op) ||
      name == "stablehlo.uniform_dequantize" ||
      name == "stablehlo.bitcast_convert" || name == "stablehlo.composite" ||
      name == "stablehlo.tuple" || name == "stablehlo.get_tuple_element" ||
      name.ends_with(".constant"))
    return true;
  if (quantizedOf(type))
    return false;
  // Refused by their rules.
  if (isTwoBits(cast<RankedTensorType>(type).getElementType()) &&
      (name == "stablehlo.shift_right_logical" || name == "stablehlo.popcnt" ||
       name == "stablehlo.count_leading_zeros"))
    return true;
  constexpr StringLiteral movement[] = {
      "broadcast_in_dim", "concatenate",
      "dynamic_slice",    "dynamic_update_slice",
      "gather",           "optimization_barrier",
      "reshape",          "reverse",
      "select",           "slice",
      "transpose"};
  return name.consume_front("stablehlo.") &&
         (name == "convert" || llvm::is_contained(movement, name));
}

static void expressOperands(Operation *op) {
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands()) {
    Type type = operand.get().getType(), expressed = expressedType(type);
    if (expressed && !keepsStored(op, type))
      operand.set(createUnary(builder,
                              quantizedOf(type) ? "stablehlo.uniform_dequantize"
                                                : "stablehlo.convert",
                              operand.get(), expressed));
  }
}

// Gives a value of an op, or of its regions, the type of its numbers; its users
// see it stored again.
static void storeValue(OpBuilder &builder, Operation *op, Value value) {
  Type type = value.getType(), expressed = expressedType(type);
  if (!expressed || keepsStored(op, type))
    return;
  value.setType(expressed);
  Value again = createUnary(builder,
                            quantizedOf(type) ? "stablehlo.uniform_quantize"
                                              : "stablehlo.convert",
                            value, type);
  value.replaceAllUsesExcept(again, again.getDefiningOp());
}

void stablehlo::expressStored(ModuleOp module) {
  SmallVector<Operation *> ops;
  for (Operation &top : *module.getBody())
    top.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    expressOperands(op);
    bool quantizes =
        op->getName().getStringRef() == "stablehlo.uniform_quantize";
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    for (Value result : op->getResults())
      if (!quantizes)
        storeValue(builder, op, result);
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        builder.setInsertionPointToStart(&block);
        for (BlockArgument argument : block.getArguments())
          storeValue(builder, op, argument);
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
  if (Type narrow = narrowStorage(element))
    return narrow;
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
