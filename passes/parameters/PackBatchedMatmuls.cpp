// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs the right-hand sides of batched matmuls as [batch, N / panel, K,
// panel], so that a tile reads contiguous memory.

#include "ir/GraphOps.h"
#include "ir/encodings/PackedPanels.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/Permutations.h"
#include "ir/matchers/TypeOf.h"
#include "ir/matchers/ValueBuilders.h"
#include "ir/ops/Contraction.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/GraphPasses.h"
#include "passes/parameters/PackMatmuls.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith {
#define GEN_PASS_DEF_PACKBATCHEDMATMULSPASS
#include "passes/GraphPasses.h.inc"
} // namespace zenith

namespace zenith::parameters {

/// Several panels, each read by enough tiles; false where M is known to be
/// small.
static bool gainsFromPanels(DotGeneralOp op, int64_t columns, int64_t panel) {
  constexpr int64_t fewestRows = 8;
  DotDimsAttr dims = op.getDims();
  RankedTensorType left = typeOf(op.getLhs());
  int64_t rows = 1;
  for (int64_t dim : freeDims(left.getRank(), dims.getLhsBatching(),
                              dims.getLhsContracting()))
    rows = left.isDynamicDim(dim) ? fewestRows : rows * left.getDimSize(dim);
  return rows >= fewestRows && columns > panel && columns % panel == 0;
}

static void packBatchedMatmul(DotGeneralOp op, int64_t panel) {
  DotDimsAttr dims = op.getDims();
  RankedTensorType type = typeOf(op.getRhs());
  ArrayRef<int64_t> batching = dims.getRhsBatching(),
                    contracting = dims.getRhsContracting();
  auto free = freeDims(type.getRank(), batching, contracting);
  if (batching.empty() || contracting.size() != 1 || free.size() != 1 ||
      !type.hasStaticShape() || type.getNumElements() == 0 ||
      isa<ComplexType>(type.getElementType()) ||
      beforeWidening(op.getRhs()) != op.getRhs() ||
      !gainsFromPanels(op, type.getDimSize(free[0]), panel))
    return;
  SmallVector<int64_t> order(batching);
  order.push_back(contracting[0]);
  order.push_back(free[0]);
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value weights = op.getRhs();
  if (!isIdentity(order))
    weights = transposed(builder, loc, weights, order);
  int64_t rank = batching.size();
  SmallVector<int64_t> split(typeOf(weights).getShape()), interchange, matching;
  split.back() /= panel;
  split.push_back(panel);
  for (int64_t d = 0; d < rank; ++d)
    matching.push_back(d);
  interchange = matching;
  interchange.append({rank + 1, rank, rank + 2});
  weights = transposed(builder, loc, reshaped(builder, loc, weights, split),
                       interchange);
  auto newDims =
      DotDimsAttr::get(op.getContext(), dims.getLhsBatching(), matching,
                       dims.getLhsContracting(), {rank + 1});
  SmallVector<int64_t> sizes(typeOf(op).getShape().drop_back());
  sizes.append({split[rank + 1], panel});
  Value product = builder.create<DotGeneralOp>(loc, typeOf(op).clone(sizes),
                                               op.getLhs(), weights, newDims);
  SmallVector<Value> dynamic;
  for (int64_t d = 0; d < typeOf(op).getRank(); ++d)
    if (typeOf(op).isDynamicDim(d))
      dynamic.push_back(builder.create<DimOp>(loc, product, d));
  op.replaceAllUsesWith(
      builder.create<ReshapeOp>(loc, op.getType(), product, dynamic)
          .getResult());
  op.erase();
}

namespace {

struct PackBatchedMatmulsPass
    : impl::PackBatchedMatmulsPassBase<PackBatchedMatmulsPass> {
  using PackBatchedMatmulsPassBase::PackBatchedMatmulsPassBase;

  void runOnOperation() override {
    FailureOr<PanelShape> shape = panelShapeOf(getOperation(), panel);
    if (failed(shape))
      return signalPassFailure();
    SmallVector<DotGeneralOp> matmuls;
    getOperation().walk([&](DotGeneralOp op) { matmuls.push_back(op); });
    for (DotGeneralOp op : matmuls)
      if (isParameter(op.getRhs()) && !isFixed(op.getLhs()))
        packBatchedMatmul(op, shape->panel);
  }
};

} // namespace
} // namespace zenith::parameters
