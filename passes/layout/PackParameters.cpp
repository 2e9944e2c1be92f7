// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Brings weights into the form [K, N], packs them, and lets the contraction
// read them through the inverse movement.

#include "ir/PackedPanels.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/layout/NarrowProducts.h"
#include "passes/layout/ParameterValues.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_PACKPARAMETERSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::layout {

static Value reshaped(OpBuilder &builder, Location loc, Value value,
                      ArrayRef<int64_t> shape) {
  if (typeOf(value).getShape() == shape)
    return value;
  return builder.create<ReshapeOp>(loc, typeOf(value).clone(shape), value,
                                   ValueRange());
}

/// What was packed below a widening is widened behind it.
static Value widenedLike(OpBuilder &builder, Location loc, Value value,
                         Value original) {
  Type element = typeOf(original).getElementType();
  if (typeOf(value).getElementType() == element)
    return value;
  return builder.create<ConvertOp>(
      loc, RankedTensorType::get(typeOf(value).getShape(), element), value);
}

namespace {
/// How panels are shaped.
struct PanelShape {
  int64_t panel, group;

  /// Only products of 16-bit integers and those that byteProduct built take
  /// several depths at a time.
  PanelShape forProduct(Operation *op) const {
    auto elementOf = [&](unsigned operand, bool inMemory) {
      Value value = op->getOperand(operand);
      return typeOf(inMemory ? beforeWidening(value) : value).getElementType();
    };
    if (elementOf(0, false).isInteger(16) && elementOf(1, false).isInteger(16))
      return {panel, std::min<int64_t>(group, 2)};
    bool bytes = elementOf(0, true).isUnsignedInteger(8) &&
                 elementOf(1, true).isSignlessInteger(8) &&
                 elementOf(1, false).isInteger(32);
    return {panel, bytes && group == 4 ? group : 1};
  }
};
} // namespace

static Value repacked(OpBuilder &builder, Location loc, Value matrix,
                      PanelShape shape) {
  int64_t k = typeOf(matrix).getDimSize(0), n = typeOf(matrix).getDimSize(1);
  Value packed = packPanels(builder, loc, matrix, shape.panel, shape.group);
  return unpackPanels(builder, loc, packed, k, n);
}

/// What is packed of weights: they stay narrow unless so many rows meet them
/// that widening, once per row of tiles, would cost more than memory.
static Value packedForm(Operation *op, Value weights) {
  constexpr int64_t manyRows = 32;
  RankedTensorType result = typeOf(op->getResult(0));
  int64_t columns = result.getShape().back();
  bool many = result.hasStaticShape() && columns > 0 &&
              result.getNumElements() / columns >= manyRows;
  return many && typeOf(weights).getElementType().isInteger(16)
             ? weights
             : beforeWidening(weights);
}

static bool isPackable(Value weights) {
  RankedTensorType type = typeOf(weights);
  return type.hasStaticShape() && type.getNumElements() > 0 &&
         !isa<ComplexType>(type.getElementType()) &&
         !matchUnpackedPanels(weights) && isParameter(weights);
}

/// Result dimensions of free weights dimensions stay; several of them become
/// one column index and are split again behind.
static void packDot(DotGeneralOp op, PanelShape shape) {
  DotDimsAttr dims = op.getDims();
  Value weights = op.getRhs();
  if (!dims.getRhsBatching().empty() || dims.getRhsContracting().size() != 1 ||
      !isPackable(weights))
    return;
  int64_t contracted = dims.getRhsContracting().front(),
          rank = typeOf(weights).getRank();
  SmallVector<int64_t> order{contracted}, freeSizes;
  for (int64_t d = 0; d < rank; ++d)
    if (d != contracted) {
      order.push_back(d);
      freeSizes.push_back(typeOf(weights).getDimSize(d));
    }
  if (freeSizes.empty())
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  int64_t k = typeOf(weights).getDimSize(contracted),
          n = typeOf(weights).getNumElements() / k;
  weights = packedForm(op, weights);
  if (!isIdentity(order))
    weights = transposed(builder, loc, weights, order);
  weights = repacked(builder, loc, reshaped(builder, loc, weights, {k, n}),
                     shape.forProduct(op));
  weights = widenedLike(builder, loc, weights, op.getRhs());
  auto newDims =
      DotDimsAttr::get(op.getContext(), {}, {}, dims.getLhsContracting(), {0});
  SmallVector<int64_t> sizes(typeOf(op).getShape().drop_back(freeSizes.size()));
  sizes.push_back(n);
  Value result = builder.create<DotGeneralOp>(loc, typeOf(op).clone(sizes),
                                              op.getLhs(), weights, newDims);
  if (freeSizes.size() > 1) {
    SmallVector<Value> dynamic;
    for (int64_t d = 0; d < typeOf(op).getRank(); ++d)
      if (typeOf(op).isDynamicDim(d))
        dynamic.push_back(builder.create<DimOp>(loc, result, d));
    result = builder.create<ReshapeOp>(loc, op.getType(), result, dynamic);
  }
  op.replaceAllUsesWith(result);
  op.erase();
}

static void packConvolution(ConvolutionOp op, PanelShape shape) {
  if (isPackable(op.getKernel()))
    packGroups(op, shape.panel);
  Value kernel = op.getKernel();
  if (op.getGroups() != 1 || !isChannelsLast(op) || !isPackable(kernel))
    return;
  OpBuilder builder(op);
  int64_t n = typeOf(kernel).getShape().back(),
          k = typeOf(kernel).getNumElements() / n;
  Location loc = op.getLoc();
  Value matrix = reshaped(builder, loc, packedForm(op, kernel), {k, n});
  shape = shape.forProduct(op);
  // A group must not reach from one tap to the next.
  if (typeOf(kernel).getDimSize(typeOf(kernel).getRank() - 2) % shape.group)
    shape.group = 1;
  Value unpacked = reshaped(builder, loc, repacked(builder, loc, matrix, shape),
                            typeOf(kernel).getShape());
  op.getKernelMutable().assign(widenedLike(builder, loc, unpacked, kernel));
}

namespace {

struct PackParametersPass : impl::PackParametersPassBase<PackParametersPass> {
  using PackParametersPassBase::PackParametersPassBase;

  void runOnOperation() override {
    if (panel < 1) {
      getOperation().emitError()
          << "panel: got " << panel.getValue() << ", expected at least 1";
      return signalPassFailure();
    }
    if (group != 1 && group != 2 && group != 4) {
      getOperation().emitError()
          << "group: got " << group.getValue() << ", expected 1, 2 or 4";
      return signalPassFailure();
    }
    auto contractions = [&] {
      SmallVector<Operation *> all;
      getOperation().walk([&](Operation *op) {
        if (familyOf(op) == Family::Contraction)
          all.push_back(op);
      });
      return all;
    };
    for (Operation *op : contractions())
      if (group != 4 || !byteProduct(op))
        narrowProduct(op);
    for (Operation *op : contractions())
      if (auto dot = dyn_cast<DotGeneralOp>(op))
        packDot(dot, {panel, group});
      else if (auto convolution = dyn_cast<ConvolutionOp>(op))
        packConvolution(convolution, {panel, group});
  }
};

} // namespace
} // namespace zenith::layout
