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

static Value repacked(OpBuilder &builder, Location loc, Value matrix,
                      int64_t panel) {
  int64_t k = typeOf(matrix).getDimSize(0), n = typeOf(matrix).getDimSize(1);
  return unpackPanels(builder, loc, packPanels(builder, loc, matrix, panel), k,
                      n);
}

static bool isPackable(Value weights) {
  RankedTensorType type = typeOf(weights);
  return type.hasStaticShape() && type.getNumElements() > 0 &&
         !isa<ComplexType>(type.getElementType()) &&
         !matchUnpackedPanels(weights) && isParameter(weights);
}

/// Result dimensions of free weights dimensions stay; several of them become
/// one column index and are split again behind.
static void packDot(DotGeneralOp op, int64_t panel) {
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
  weights = beforeWidening(weights);
  if (!isIdentity(order))
    weights = transposed(builder, loc, weights, order);
  weights =
      repacked(builder, loc, reshaped(builder, loc, weights, {k, n}), panel);
  weights = widenedLike(builder, loc, weights, op.getRhs());
  auto newDims =
      DotDimsAttr::get(op.getContext(), {}, {}, dims.getLhsContracting(), {0});
  SmallVector<int64_t> shape(typeOf(op).getShape().drop_back(freeSizes.size()));
  shape.push_back(n);
  Value result = builder.create<DotGeneralOp>(loc, typeOf(op).clone(shape),
                                              op.getLhs(), weights, newDims);
  if (freeSizes.size() > 1) {
    SmallVector<Value> sizes;
    for (int64_t d = 0; d < typeOf(op).getRank(); ++d)
      if (typeOf(op).isDynamicDim(d))
        sizes.push_back(builder.create<DimOp>(loc, result, d));
    result = builder.create<ReshapeOp>(loc, op.getType(), result, sizes);
  }
  op.replaceAllUsesWith(result);
  op.erase();
}

static void packConvolution(ConvolutionOp op, int64_t panel) {
  Value kernel = op.getKernel();
  if (op.getGroups() != 1 || !isChannelsLast(op) || !isPackable(kernel))
    return;
  OpBuilder builder(op);
  int64_t n = typeOf(kernel).getShape().back(),
          k = typeOf(kernel).getNumElements() / n;
  Location loc = op.getLoc();
  Value matrix = reshaped(builder, loc, beforeWidening(kernel), {k, n});
  Value unpacked = reshaped(builder, loc, repacked(builder, loc, matrix, panel),
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
    SmallVector<Operation *> contractions;
    getOperation().walk([&](Operation *op) {
      if (familyOf(op) == Family::Contraction)
        contractions.push_back(op);
    });
    llvm::for_each(contractions, narrowProduct);
    for (Operation *op : contractions)
      if (auto dot = dyn_cast<DotGeneralOp>(op))
        packDot(dot, panel);
      else if (auto convolution = dyn_cast<ConvolutionOp>(op))
        packConvolution(convolution, panel);
  }
};

} // namespace
} // namespace zenith::layout
