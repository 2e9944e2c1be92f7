// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact folds of the movement family: identities, compositions, and moves of
// small constants.

#include "ir/GraphOps.h"
#include "ir/ops/OpInference.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace zenith::graph {

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValueAttr(); }

static Attribute indexScalar(MLIRContext *context, int64_t value) {
  auto type = RankedTensorType::get({}, IntegerType::get(context, 64));
  return DenseElementsAttr::get(type, value);
}

/// The operand among `operands` that gives dynamic dimension `dim` of `type`.
static Value dimOperand(RankedTensorType type, ValueRange operands,
                        int64_t dim) {
  unsigned index =
      type.getShape().take_front(dim).size() -
      llvm::count_if(type.getShape().take_front(dim),
                     [](int64_t size) { return !ShapedType::isDynamic(size); });
  return index < operands.size() ? operands[index] : Value();
}

OpFoldResult DimOp::fold(FoldAdaptor) {
  auto type = tensorType(getOperand());
  int64_t dim = getDim();
  if (dim < 0 || dim >= type.getRank())
    return {};
  if (!type.isDynamicDim(dim))
    return indexScalar(getContext(), type.getDimSize(dim));
  Operation *source = getOperand().getDefiningOp();
  if (!source)
    return {};
  ValueRange sizes;
  if (auto broadcast = dyn_cast<BroadcastOp>(source))
    sizes = broadcast.getDims();
  else if (auto expand = dyn_cast<ExpandOp>(source))
    sizes = expand.getDims();
  else if (auto reshape = dyn_cast<ReshapeOp>(source))
    sizes = reshape.getDims();
  else if (auto iota = dyn_cast<IotaOp>(source))
    sizes = iota.getDims();
  else if (auto slice = dyn_cast<SliceOp>(source))
    sizes = slice.getSizes();
  if (Value size = dimOperand(type, sizes, dim))
    return size;
  // The same question to an earlier value.
  if (auto transpose = dyn_cast<TransposeOp>(source)) {
    setDim(transpose.getPermutation()[dim]);
    getOperandMutable().assign(transpose.getOperand());
    return getResult();
  }
  if (familyOf(source) == Family::Elementwise ||
      isa<ReverseOp, CumulativeOp, SoftmaxOp, LogSoftmaxOp, GeluOp>(source)) {
    getOperandMutable().assign(source->getOperand(0));
    return getResult();
  }
  return {};
}

/// The single element of a constant that has one value everywhere, as elements
/// of `type`.
static Attribute splatAs(Attribute attribute, RankedTensorType type) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(attribute);
  if (!elements || !elements.isSplat() || !type.hasStaticShape())
    return {};
  return elements.resizeSplat(type);
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  auto from = tensorType(getOperand()), to = tensorType(getResult());
  bool inOrder = llvm::is_sorted(getMapping());
  // Equal ranks and mapping in order: a dynamic dimension never repeats, a
  // static one is equal.
  if (from == to && inOrder)
    return getOperand();
  return splatAs(adaptor.getOperand(), to);
}

OpFoldResult ExpandOp::fold(FoldAdaptor adaptor) {
  if (getOperand().getType() == getType() && getType().hasStaticShape())
    return getOperand();
  return splatAs(adaptor.getOperand(), tensorType(getResult()));
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  auto from = tensorType(getOperand()), to = tensorType(getResult());
  bool sizesFollow =
      to.getNumDynamicDims() == 0 ||
      (to.getNumDynamicDims() == 1 && !llvm::is_contained(to.getShape(), 0));
  if (from == to && sizesFollow)
    return getOperand();
  auto elements = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand());
  if (elements && to.hasStaticShape() &&
      elements.getNumElements() == to.getNumElements())
    return elements.reshape(to);
  return {};
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (llvm::is_sorted(getPermutation()) && getOperand().getType() == getType())
    return getOperand();
  return splatAs(adaptor.getOperand(), tensorType(getResult()));
}

/// Calls `visit` with the row-major position in the operand of each element of
/// a static slice.
static void forEachSliceElement(SliceOp slice,
                                llvm::function_ref<void(int64_t)> visit) {
  auto from = tensorType(slice.getOperand());
  auto sizes = slice.getStaticSizes();
  SmallVector<int64_t> index(sizes.size(), 0);
  int64_t count = tensorType(slice.getResult()).getNumElements();
  for (int64_t i = 0; i < count; ++i) {
    int64_t position = 0;
    for (size_t dim = 0; dim < sizes.size(); ++dim)
      position = position * from.getDimSize(dim) +
                 slice.getStaticStarts()[dim] +
                 index[dim] * slice.getStrides()[dim];
    visit(position);
    for (size_t dim = sizes.size(); dim-- > 0;) {
      if (++index[dim] < sizes[dim])
        break;
      index[dim] = 0;
    }
  }
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  auto from = tensorType(getOperand()), to = tensorType(getResult());
  if (ShapedType::isDynamicShape(getStaticStarts()) || !to.hasStaticShape())
    return {};
  if (from == to)
    return getOperand();
  if (Attribute splat = splatAs(adaptor.getOperand(), to);
      splat && from.getNumElements() > 0)
    return splat;
  auto elements = dyn_cast_or_null<DenseElementsAttr>(adaptor.getOperand());
  if (!elements || to.getNumElements() > foldLimit ||
      isa<ComplexType>(to.getElementType()))
    return {};
  SmallVector<Attribute> values;
  auto source = elements.getValues<Attribute>();
  forEachSliceElement(
      *this, [&](int64_t position) { values.push_back(source[position]); });
  return DenseElementsAttr::get(to, values);
}

OpFoldResult ConcatOp::fold(FoldAdaptor adaptor) {
  if ((*this)->getNumOperands() == 1 &&
      (*this)->getOperand(0).getType() == getType())
    return (*this)->getOperand(0);
  auto to = tensorType(getResult());
  if (to.getRank() != 1 || !to.hasStaticShape() ||
      to.getNumElements() > foldLimit || isa<ComplexType>(to.getElementType()))
    return {};
  SmallVector<Attribute> values;
  for (Attribute operand : adaptor.getOperands()) {
    auto elements = dyn_cast_or_null<DenseElementsAttr>(operand);
    if (!elements)
      return {};
    llvm::append_range(values, elements.getValues<Attribute>());
  }
  return DenseElementsAttr::get(to, values);
}

/// reshape(reshape(x)) -> reshape(x).
static LogicalResult composeReshapes(ReshapeOp reshape,
                                     PatternRewriter &rewriter) {
  auto inner = reshape.getOperand().getDefiningOp<ReshapeOp>();
  if (!inner)
    return failure();
  rewriter.replaceOpWithNewOp<ReshapeOp>(reshape, reshape.getType(),
                                         inner.getOperand(), reshape.getDims());
  return success();
}

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *) {
  patterns.add(composeReshapes);
}

/// transpose(transpose(x, p), q) -> transpose(x, p[q]).
static LogicalResult composeTransposes(TransposeOp transpose,
                                       PatternRewriter &rewriter) {
  auto inner = transpose.getOperand().getDefiningOp<TransposeOp>();
  if (!inner)
    return failure();
  SmallVector<int64_t> permutation;
  for (int64_t dim : transpose.getPermutation())
    permutation.push_back(inner.getPermutation()[dim]);
  rewriter.replaceOpWithNewOp<TransposeOp>(transpose, transpose.getType(),
                                           inner.getOperand(), permutation);
  return success();
}

/// A transpose that moves dimensions of size 1 only keeps the order of
/// elements.
static LogicalResult transposeOfUnits(TransposeOp transpose,
                                      PatternRewriter &rewriter) {
  auto from = tensorType(transpose.getOperand()),
       to = tensorType(transpose.getResult());
  if (!from.hasStaticShape() || !to.hasStaticShape() ||
      llvm::is_sorted(transpose.getPermutation()))
    return failure();
  SmallVector<int64_t> moved;
  for (int64_t dim : transpose.getPermutation())
    if (from.getDimSize(dim) != 1)
      moved.push_back(dim);
  if (!llvm::is_sorted(moved))
    return failure();
  rewriter.replaceOpWithNewOp<ReshapeOp>(transpose, to, transpose.getOperand(),
                                         ValueRange());
  return success();
}

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *) {
  patterns.add(composeTransposes).add(transposeOfUnits);
}

} // namespace zenith::graph
