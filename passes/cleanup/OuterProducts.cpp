// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products that sum over one number are numbers times numbers: pointwise, they
// are written as fast as memory takes them, and fuse with what reads them.

#include "mlir/IR/PatternMatch.h"
#include "passes/cleanup/SplatValue.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::cleanup {

namespace {
/// Result dimensions and where each of them is in an operand.
struct Side {
  Value operand;
  SmallVector<int64_t> kept, places;
};
} // namespace

static SmallVector<int64_t> freeDims(Value operand, ArrayRef<int64_t> batching,
                                     ArrayRef<int64_t> contracting) {
  SmallVector<int64_t> free;
  for (int64_t d = 0; d < typeOf(operand).getRank(); ++d)
    if (!llvm::is_contained(batching, d) && !llvm::is_contained(contracting, d))
      free.push_back(d);
  return free;
}

/// The operand without the dimensions of one number, in the result's shape.
static Value spread(PatternRewriter &rewriter, Location loc, Side side,
                    RankedTensorType result, ValueRange sizes) {
  // Dimensions keep their order in memory; `places` says where they go.
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(0, side.kept.size()));
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return side.kept[a] < side.kept[b];
  });
  RankedTensorType type = typeOf(side.operand);
  SmallVector<int64_t> shape, mapping;
  SmallVector<Value> dynamic;
  for (unsigned i : order) {
    int64_t d = side.kept[i];
    shape.push_back(type.getDimSize(d));
    mapping.push_back(side.places[i]);
    if (type.isDynamicDim(d))
      dynamic.push_back(rewriter.create<DimOp>(loc, side.operand, d));
  }
  Value value =
      rewriter.create<ReshapeOp>(loc, type.clone(shape), side.operand, dynamic);
  return rewriter.create<BroadcastOp>(loc, result, value, mapping, sizes);
}

static LogicalResult outerProduct(DotGeneralOp op, PatternRewriter &rewriter) {
  DotDimsAttr dims = op.getDims();
  RankedTensorType type = typeOf(op.getResult()), left = typeOf(op.getLhs()),
                   right = typeOf(op.getRhs());
  Type element = type.getElementType();
  auto isOne = [&](int64_t d) { return left.getDimSize(d) == 1; };
  if (!element.isIntOrFloat() || element.isInteger(1) ||
      left.getElementType() != element || right.getElementType() != element ||
      !llvm::all_of(dims.getLhsContracting(), isOne))
    return failure();
  int64_t place = 0;
  Side lhs{op.getLhs(), {}, {}}, rhs{op.getRhs(), {}, {}};
  auto keep = [](Side &side, int64_t dim, int64_t at) {
    side.kept.push_back(dim);
    side.places.push_back(at);
  };
  for (auto [a, b] : llvm::zip(dims.getLhsBatching(), dims.getRhsBatching())) {
    keep(lhs, a, place);
    keep(rhs, b, place++);
  }
  for (int64_t d :
       freeDims(op.getLhs(), dims.getLhsBatching(), dims.getLhsContracting()))
    keep(lhs, d, place++);
  for (int64_t d :
       freeDims(op.getRhs(), dims.getRhsBatching(), dims.getRhsContracting()))
    keep(rhs, d, place++);
  SmallVector<Value> sizes(type.getRank());
  for (const Side &side : {lhs, rhs})
    for (auto [dim, at] : llvm::zip(side.kept, side.places))
      if (type.isDynamicDim(at) && !sizes[at])
        sizes[at] = rewriter.create<DimOp>(op.getLoc(), side.operand, dim);
  llvm::erase_if(sizes, [](Value size) { return !size; });
  Value x = spread(rewriter, op.getLoc(), lhs, type, sizes),
        y = spread(rewriter, op.getLoc(), rhs, type, sizes);
  rewriter.replaceOpWithNewOp<MulOp>(op, type, x, y);
  return success();
}

void addOuterProductPatterns(RewritePatternSet &patterns) {
  patterns.add(outerProduct);
}

} // namespace zenith::cleanup
