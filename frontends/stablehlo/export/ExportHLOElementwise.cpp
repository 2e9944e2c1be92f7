// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise GraphIR ops as StableHLO and CHLO ops.

#include "frontends/stablehlo/export/HLOExport.h"
#include "ir/GraphOps.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

namespace {
// Ops with one counterpart, whose operands and type stay the same.
struct SameOp {
  llvm::StringLiteral graph, hlo;
};
} // namespace

static constexpr SameOp sameOps[] = {
    {"graph.abs", "stablehlo.abs"},
    {"graph.neg", "stablehlo.negate"},
    {"graph.sign", "stablehlo.sign"},
    {"graph.exp", "stablehlo.exponential"},
    {"graph.expm1", "stablehlo.exponential_minus_one"},
    {"graph.log", "stablehlo.log"},
    {"graph.log1p", "stablehlo.log_plus_one"},
    {"graph.sqrt", "stablehlo.sqrt"},
    {"graph.rsqrt", "stablehlo.rsqrt"},
    {"graph.cbrt", "stablehlo.cbrt"},
    {"graph.sin", "stablehlo.sine"},
    {"graph.cos", "stablehlo.cosine"},
    {"graph.tan", "stablehlo.tan"},
    {"graph.asin", "chlo.asin"},
    {"graph.acos", "chlo.acos"},
    {"graph.atan", "chlo.atan"},
    {"graph.sinh", "chlo.sinh"},
    {"graph.cosh", "chlo.cosh"},
    {"graph.tanh", "stablehlo.tanh"},
    {"graph.asinh", "chlo.asinh"},
    {"graph.acosh", "chlo.acosh"},
    {"graph.atanh", "chlo.atanh"},
    {"graph.logistic", "stablehlo.logistic"},
    {"graph.erf", "chlo.erf"},
    {"graph.floor", "stablehlo.floor"},
    {"graph.ceil", "stablehlo.ceil"},
    {"graph.round_even", "stablehlo.round_nearest_even"},
    {"graph.round_away", "stablehlo.round_nearest_afz"},
    {"graph.not", "stablehlo.not"},
    {"graph.popcount", "stablehlo.popcnt"},
    {"graph.count_leading_zeros", "stablehlo.count_leading_zeros"},
    {"graph.add", "stablehlo.add"},
    {"graph.sub", "stablehlo.subtract"},
    {"graph.mul", "stablehlo.multiply"},
    {"graph.div", "stablehlo.divide"},
    {"graph.rem", "stablehlo.remainder"},
    {"graph.pow", "stablehlo.power"},
    {"graph.max", "stablehlo.maximum"},
    {"graph.min", "stablehlo.minimum"},
    {"graph.atan2", "stablehlo.atan2"},
    {"graph.and", "stablehlo.and"},
    {"graph.or", "stablehlo.or"},
    {"graph.xor", "stablehlo.xor"},
    {"graph.shift_left", "stablehlo.shift_left"},
    {"graph.shift_right_arithmetic", "stablehlo.shift_right_arithmetic"},
    {"graph.shift_right_logical", "stablehlo.shift_right_logical"},
    {"graph.is_finite", "stablehlo.is_finite"},
    {"graph.select", "stablehlo.select"},
    {"graph.clamp", "stablehlo.clamp"},
    {"graph.bitcast", "stablehlo.bitcast_convert"},
    {"graph.complex", "stablehlo.complex"},
    {"graph.real", "stablehlo.real"},
    {"graph.imag", "stablehlo.imag"},
    {"graph.complex_abs", "stablehlo.abs"}};

static bool exportSame(HLOExport &out, Operation *op) {
  for (const SameOp &row : sameOps)
    if (row.graph == op->getName().getStringRef()) {
      out.set(op, out.make(row.hlo, op->getResult(0).getType(),
                           out.list(op->getOperands())));
      return true;
    }
  return out.unsupported(op);
}

// The remainder has the dividend's sign; adding the divisor once corrects it.
static bool exportFloorMod(HLOExport &out, Operation *op) {
  Value x = out.operand(op, 0), y = out.operand(op, 1);
  Value rest = out.binary("stablehlo.remainder", x, y);
  Value zero = out.splat(tensorType(x), 0);
  using Direction = ComparisonDirection;
  Value differs =
      out.compare(Direction::NE, out.compare(Direction::LT, rest, zero),
                  out.compare(Direction::LT, y, zero));
  Value turn = out.binary("stablehlo.and", differs,
                          out.compare(Direction::NE, rest, zero));
  if (!isa<FloatType>(tensorType(x).getElementType()))
    turn =
        out.binary("stablehlo.and", turn, out.compare(Direction::NE, y, zero));
  Value turned = out.binary("stablehlo.add", rest, y);
  out.set(op, out.make("stablehlo.select", x.getType(), {turn, turned, rest}));
  return true;
}

static bool exportCompare(HLOExport &out, Operation *op) {
  auto compare = cast<graph::CompareOp>(op);
  ComparisonDirection direction;
  switch (compare.getDirection()) {
  case graph::CompareDirection::eq:
    direction = ComparisonDirection::EQ;
    break;
  case graph::CompareDirection::ne:
    direction = ComparisonDirection::NE;
    break;
  case graph::CompareDirection::lt:
    direction = ComparisonDirection::LT;
    break;
  case graph::CompareDirection::le:
    direction = ComparisonDirection::LE;
    break;
  case graph::CompareDirection::gt:
    direction = ComparisonDirection::GT;
    break;
  case graph::CompareDirection::ge:
    direction = ComparisonDirection::GE;
    break;
  }
  out.set(op, out.compare(direction, out.operand(op, 0), out.operand(op, 1)));
  return true;
}

static bool exportConvert(HLOExport &out, Operation *op) {
  auto convert = cast<graph::ConvertOp>(op);
  Value value = out.operand(op);
  Type element = tensorType(op->getResult(0)).getElementType();
  if (convert.getSaturate()) {
    // Clamp to the target's range first; NaN stays.
    auto floating = cast<FloatType>(element);
    double largest =
        APFloat::getLargest(floating.getFloatSemantics()).convertToDouble();
    Type wide = tensorType(value).getElementType();
    if (!isa<FloatType>(wide) || wide.getIntOrFloatBitWidth() < 32)
      value = out.convert(value, out.builder.getF32Type());
    RankedTensorType type = tensorType(value);
    Value bounded =
        out.make("stablehlo.clamp", type,
                 {out.splat(type, -largest), value, out.splat(type, largest)});
    value =
        out.make("stablehlo.select", type, {out.isNaN(value), value, bounded});
  }
  out.set(op, out.convert(value, element));
  return true;
}

void zenith::stablehlo::addElementwiseExports(ExportRules &rules) {
  for (const SameOp &row : sameOps)
    rules[row.graph] = exportSame;
  rules["graph.floor_mod"] = exportFloorMod;
  rules["graph.compare"] = exportCompare;
  rules["graph.convert"] = exportConvert;
}
