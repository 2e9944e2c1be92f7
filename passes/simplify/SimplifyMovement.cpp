// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges reshapes, transposes and broadcasts, so that fewer steps start from
// the smallest value.

#include "passes/simplify/SimplifyMovement.h"
#include "ir/GraphOps.h"
#include "ir/matchers/MovementRewrites.h"
#include "ir/matchers/ParameterDependence.h"
#include "ir/matchers/ReshapeGroups.h"
#include "ir/matchers/TypeOf.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::simplify {

/// For a reshape that only adds and removes dimensions of static size 1: where
/// each operand dimension goes, -1 for one that goes away. Nullopt for other
/// reshapes.
static std::optional<SmallVector<int64_t>> unitMapping(ReshapeOp reshape) {
  auto from = typeOf(reshape.getOperand()), to = typeOf(reshape.getResult());
  SmallVector<int64_t> mapping;
  int64_t next = 0;
  DimAnalysis dims;
  const DimVector &fromDims = dims.dimsOf(reshape.getOperand()),
                  &toDims = dims.dimsOf(reshape.getResult());
  for (int64_t d = 0; d < from.getRank(); ++d) {
    int64_t size = from.getDimSize(d);
    if (size == 1) {
      mapping.push_back(-1);
      continue;
    }
    while (next < to.getRank() && to.getDimSize(next) == 1)
      ++next;
    if (next == to.getRank() || fromDims[d] != toDims[next])
      return std::nullopt;
    mapping.push_back(next++);
  }
  while (next < to.getRank() && to.getDimSize(next) == 1)
    ++next;
  return next == to.getRank() ? std::optional(mapping) : std::nullopt;
}

static LogicalResult mergeBroadcasts(BroadcastOp op,
                                     PatternRewriter &rewriter) {
  auto inner = op.getOperand().getDefiningOp<BroadcastOp>();
  if (!inner)
    return failure();
  SmallVector<int64_t> mapping;
  for (auto [d, target] : llvm::enumerate(inner.getMapping())) {
    // A dimension that may be broadcast by either step must still be one that
    // may.
    int64_t source = typeOf(inner.getOperand()).getDimSize(d),
            between = typeOf(inner.getResult()).getDimSize(target);
    if (ShapedType::isDynamic(source) != ShapedType::isDynamic(between) &&
        source != 1)
      return failure();
    mapping.push_back(op.getMapping()[target]);
  }
  rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getOperand(),
                                           mapping, op.getDims());
  return success();
}

/// broadcast(reshape(x)) = broadcast(x) where the reshape only adds or removes
/// dimensions of size 1.
static LogicalResult broadcastPastUnitReshape(BroadcastOp op,
                                              PatternRewriter &rewriter) {
  auto reshape = op.getOperand().getDefiningOp<ReshapeOp>();
  if (!reshape)
    return failure();
  std::optional<SmallVector<int64_t>> units = unitMapping(reshape);
  if (!units || llvm::is_contained(*units, -1))
    return failure();
  SmallVector<int64_t> mapping;
  for (int64_t target : *units)
    mapping.push_back(op.getMapping()[target]);
  rewriter.replaceOpWithNewOp<BroadcastOp>(
      op, op.getType(), reshape.getOperand(), mapping, op.getDims());
  return success();
}

/// reshape(broadcast(scalar)) is a broadcast of the scalar.
static LogicalResult reshapeOfScalar(ReshapeOp op, PatternRewriter &rewriter) {
  auto broadcast = op.getOperand().getDefiningOp<BroadcastOp>();
  if (!broadcast || !broadcast.getMapping().empty())
    return failure();
  rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(),
                                           broadcast.getOperand(),
                                           ArrayRef<int64_t>(), op.getDims());
  return success();
}

static LogicalResult transposeOfBroadcast(TransposeOp op,
                                          PatternRewriter &rewriter) {
  auto broadcast = op.getOperand().getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return failure();
  SmallVector<int64_t> position(op.getPermutation().size()), mapping;
  for (auto [d, source] : llvm::enumerate(op.getPermutation()))
    position[source] = d;
  for (int64_t target : broadcast.getMapping())
    mapping.push_back(position[target]);
  // Sizes follow the order of the result's dimensions.
  SmallVector<Value> bySource(position.size()), dims;
  unsigned next = 0;
  for (int64_t d = 0; d < typeOf(broadcast).getRank(); ++d)
    if (typeOf(broadcast).isDynamicDim(d))
      bySource[d] = broadcast.getDims()[next++];
  for (int64_t source : op.getPermutation())
    if (bySource[source])
      dims.push_back(bySource[source]);
  rewriter.replaceOpWithNewOp<BroadcastOp>(
      op, op.getType(), broadcast.getOperand(), mapping, dims);
  return success();
}

/// A slice of a broadcast dimension that starts anywhere is a smaller
/// broadcast.
static LogicalResult sliceOfScalar(SliceOp op, PatternRewriter &rewriter) {
  auto broadcast = op.getOperand().getDefiningOp<BroadcastOp>();
  if (!broadcast || !broadcast.getMapping().empty())
    return failure();
  rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(),
                                           broadcast.getOperand(),
                                           ArrayRef<int64_t>(), op.getSizes());
  return success();
}

/// reshape(transpose(reshape(x))), where the outer reshape only splits
/// dimensions: transpose(reshape(x)). Heads that were merged with the batch
/// before a transpose come apart again without a copy.
static LogicalResult splitBeforeTranspose(ReshapeOp op,
                                          PatternRewriter &rewriter) {
  auto transpose = op.getOperand().getDefiningOp<TransposeOp>();
  if (!transpose || !transpose.getOperand().getDefiningOp<ReshapeOp>())
    return failure();
  DimAnalysis analysis;
  auto groups = reshapeGroups(analysis.dimsOf(op.getOperand()),
                              analysis.dimsOf(op.getResult()));
  if (!groups || llvm::any_of(*groups, [](const ReshapeGroup &group) {
        return group.from.size() != 1;
      }))
    return failure();
  SmallVector<int64_t> position(groups->size()), shape,
      permutation(typeOf(op).getRank());
  for (auto [d, source] : llvm::enumerate(transpose.getPermutation()))
    position[source] = d;
  SmallVector<Value> sizes(typeOf(op).getRank()), dims;
  unsigned next = 0;
  for (int64_t d = 0; d < typeOf(op).getRank(); ++d)
    if (typeOf(op).isDynamicDim(d))
      sizes[d] = op.getDims()[next++];
  for (int64_t group : position)
    for (int64_t d : (*groups)[group].to) {
      permutation[d] = shape.size();
      shape.push_back(typeOf(op).getDimSize(d));
      if (sizes[d])
        dims.push_back(sizes[d]);
    }
  Value split = rewriter.create<ReshapeOp>(op.getLoc(), typeOf(op).clone(shape),
                                           transpose.getOperand(), dims);
  rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(), split,
                                           permutation);
  return success();
}

/// Transposes a matmul by exchanging its operands: y . x instead of x . y.
/// Gradients of weights then need no transpose, and heads of attention one that
/// moves whole rows. Matmuls with parameters stay, since these are packed by
/// columns, unless nothing is left to transpose.
static LogicalResult exchangedOperands(TransposeOp op,
                                       PatternRewriter &rewriter) {
  auto dot = op.getOperand().getDefiningOp<DotGeneralOp>();
  if (!dot || !dot->hasOneUse())
    return failure();
  DotDimsAttr dims = dot.getDims();
  int64_t rank = typeOf(op).getRank(), batching = dims.getLhsBatching().size(),
          rows = typeOf(dot.getLhs()).getRank() - batching -
                 int64_t(dims.getLhsContracting().size()),
          columns = rank - batching - rows;
  int64_t last = -1; // of those that are more than one element long
  for (auto [size, source] :
       llvm::zip(typeOf(op).getShape(), op.getPermutation()))
    if (size != 1)
      last = source;
  if (columns == 0 || last < batching || last >= batching + rows)
    return failure();
  SmallVector<int64_t> permutation, shape(typeOf(op).getShape());
  for (auto [d, source] : llvm::enumerate(op.getPermutation())) {
    bool isRow = source >= batching && source < batching + rows;
    permutation.push_back(source < batching ? source
                          : isRow           ? source + columns
                                            : source - rows);
    shape[permutation.back()] = typeOf(op).getDimSize(d);
  }
  bool isInOrder =
      llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size()));
  if (!isInOrder && isMovedParameter(dot.getRhs()))
    return failure();
  auto exchanged = DotDimsAttr::get(
      op.getContext(), dims.getRhsBatching(), dims.getLhsBatching(),
      dims.getRhsContracting(), dims.getLhsContracting());
  Value exchangedDot =
      rewriter.create<DotGeneralOp>(dot.getLoc(), typeOf(op).clone(shape),
                                    dot.getRhs(), dot.getLhs(), exchanged);
  if (isInOrder)
    rewriter.replaceOp(op, exchangedDot);
  else
    rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(), exchangedDot,
                                             permutation);
  return success();
}

void addMovementPatterns(RewritePatternSet &patterns) {
  ReshapeOp::getCanonicalizationPatterns(patterns, patterns.getContext());
  TransposeOp::getCanonicalizationPatterns(patterns, patterns.getContext());
  patterns.add(mergeBroadcasts);
  patterns.add(broadcastPastUnitReshape);
  patterns.add(reshapeOfScalar);
  patterns.add(transposeOfBroadcast);
  patterns.add(transposeByReshape);
  patterns.add(sliceOfScalar);
  patterns.add(splitBeforeTranspose);
  patterns.add(exchangedOperands);
}

} // namespace zenith::simplify
