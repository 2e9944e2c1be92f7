// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of a byte whose results are bytes become tables: a quantized value
// that is scaled, activated and quantized again takes one of 256 values.

#include "ir/GraphOps.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/TypeOf.h"
#include "ir/ops/CompositeFormulas.h"
#include "ir/target/TargetModel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/GraphPasses.h"
#include "passes/quantize/SplatOrPerChannel.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_TABULATEBYTESPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::quantize {

static constexpr int64_t bytes = 256;

namespace {
/// Elementwise ops, first one first, that make a byte of each byte of `from`.
/// Each is the only reader of the one before.
struct ByteFunction {
  Value from;
  SmallVector<Operation *> steps;
};
} // namespace

static bool isByte(Value value) {
  return typeOf(value).getElementType().isInteger(8);
}

/// One number for all elements, known before the program gets arguments: what
/// splatOrPerChannel() reads.
static bool isUniform(Value value) {
  if (auto constant = value.getDefiningOp<ConstantOp>()) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    return elements && elements.isSplat();
  }
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  return broadcast && typeOf(broadcast.getOperand()).hasStaticShape() &&
         typeOf(broadcast.getOperand()).getNumElements() == 1 &&
         isFixed(broadcast.getOperand());
}

/// The only operand that is not uniform; null where there are others.
static Value varyingOperand(Operation *op) {
  Value found;
  for (Value operand : op->getOperands()) {
    if (isUniform(operand) || operand == found)
      continue;
    if (found)
      return {};
    found = operand;
  }
  return found;
}

/// Values of fewer elements take less time than the table.
static bool isLarge(RankedTensorType type) {
  constexpr int64_t fewestElements = 16 * bytes;
  return !type.hasStaticShape() || type.getNumElements() >= fewestElements;
}

static std::optional<ByteFunction> byteFunction(ConvertOp last) {
  // A lookup takes as long as a few operations on a vector of f32, of which
  // bytes have four.
  constexpr size_t fewestSteps = 6;
  ByteFunction function{last.getOperand(), {last}};
  if (!isByte(last.getResult()) || isByte(function.from) ||
      !isLarge(typeOf(last)))
    return std::nullopt;
  while (!isByte(function.from)) {
    Operation *op = function.from.getDefiningOp();
    if (!op || familyOf(op) != Family::Elementwise ||
        op->getNumResults() != 1 || op->getNumRegions() ||
        !function.from.hasOneUse())
      return std::nullopt;
    function.steps.push_back(op);
    function.from = varyingOperand(op);
    if (!function.from)
      return std::nullopt;
  }
  if (function.steps.size() < fewestSteps || isFixed(function.from))
    return std::nullopt;
  std::reverse(function.steps.begin(), function.steps.end());
  return function;
}

/// Bytes as the numbers from 0 to 255 that they are looked up by.
static Value unsignedBytes(OpBuilder &builder, Value value) {
  auto type = typeOf(value).clone(builder.getIntegerType(8, false));
  return type == value.getType()
             ? value
             : builder.create<BitcastOp>(value.getLoc(), type, value);
}

/// The function's results for all bytes.
static Value tableOf(OpBuilder &builder, const ByteFunction &function) {
  Location loc = function.from.getLoc();
  auto counted =
      RankedTensorType::get({bytes}, builder.getIntegerType(8, false));
  Value all = builder.create<IotaOp>(loc, counted, 0, ValueRange());
  Type own = counted.clone(typeOf(function.from).getElementType());
  if (own != counted)
    all = builder.create<BitcastOp>(loc, own, all);
  IRMapping values;
  values.map(function.from, all);
  for (Operation *step : function.steps) {
    for (Value operand : step->getOperands()) {
      if (values.contains(operand))
        continue;
      int64_t dim;
      Value number = splatOrPerChannel(builder, operand, dim);
      values.map(operand, broadcastLike(builder, loc, number, {}, all));
    }
    Operation *clone = builder.clone(*step, values);
    Value result = clone->getResult(0);
    result.setType(counted.clone(typeOf(result).getElementType()));
  }
  return values.lookup(function.steps.back()->getResult(0));
}

static void tabulate(ConvertOp last) {
  std::optional<ByteFunction> function = byteFunction(last);
  if (!function)
    return;
  OpBuilder builder(last);
  Value table = tableOf(builder, *function);
  int64_t rank = typeOf(last).getRank();
  auto dims = GatherDimsAttr::get(last.getContext(), /*offset_dims=*/{},
                                  /*collapsed_slice_dims=*/{0},
                                  /*operand_batching_dims=*/{},
                                  /*start_indices_batching_dims=*/{},
                                  /*start_index_map=*/{0},
                                  /*index_vector_dim=*/rank);
  Value result = builder.create<GatherOp>(
      last.getLoc(), last.getType(), table,
      unsignedBytes(builder, function->from), dims, ArrayRef<int64_t>{1});
  last.replaceAllUsesWith(result);
  for (Operation *step : llvm::reverse(function->steps))
    step->erase();
}

namespace {

struct TabulateBytesPass : impl::TabulateBytesPassBase<TabulateBytesPass> {
  using TabulateBytesPassBase::TabulateBytesPassBase;

  void runOnOperation() override {
    if (!target::modelOf(getOperation()).vbmi)
      return;
    SmallVector<ConvertOp> converts;
    getOperation().walk([&](ConvertOp op) { converts.push_back(op); });
    for (ConvertOp op : converts)
      tabulate(op);
  }
};

} // namespace
} // namespace zenith::quantize
