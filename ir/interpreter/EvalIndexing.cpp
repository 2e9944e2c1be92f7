// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meaning of the Indexing family: starts are data and are clamped.

#include "ir/GraphOps.h"
#include "ir/interpreter/StridedCopy.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::interpreter;
using llvm::Expected;

static int64_t clampStart(int64_t start, int64_t size, int64_t part) {
  return std::max<int64_t>(0, std::min(start, size - part));
}

// Sizes of the slices of a gather.
static Shape sliceSizes(graph::GatherOp op, ArrayRef<int64_t> extents) {
  Shape sizes(op.getSliceSizes());
  for (auto [size, extent] : llvm::zip(sizes, extents))
    if (size < 0)
      size = extent;
  return sizes;
}

// An operand without room for a slice is an error where there is a slice.
static llvm::Error checkSlices(const OpEvaluation &e, ArrayRef<int64_t> sizes) {
  for (auto [i, size] : llvm::enumerate(sizes))
    if (int64_t extent = e.operand(0).shape()[i]; size > extent)
      return e.fail("slice size " + Twine(size) + " exceeds dimension " +
                    Twine(i) + " of the operand, " + Twine(extent) +
                    " at run time");
  return llvm::Error::success();
}

// Result shape of a gather: offset dimensions are slice dimensions, the others
// are those of the start indices without the index vector's.
static Shape gatherShape(graph::GatherDimsAttr dims, ArrayRef<int64_t> sizes,
                         ArrayRef<int64_t> starts, int64_t rank) {
  Shape offsets, batch, shape;
  for (auto [i, size] : llvm::enumerate(sizes))
    if (!llvm::is_contained(dims.getCollapsedSliceDims(), int64_t(i)) &&
        !llvm::is_contained(dims.getOperandBatchingDims(), int64_t(i)))
      offsets.push_back(size);
  for (auto [i, size] : llvm::enumerate(starts))
    if (int64_t(i) != dims.getIndexVectorDim())
      batch.push_back(size);
  auto nextOffset = offsets.begin();
  auto nextBatch = batch.begin();
  for (int64_t i = 0; i < rank; ++i)
    shape.push_back(llvm::is_contained(dims.getOffsetDims(), i) ? *nextOffset++
                                                                : *nextBatch++);
  return shape;
}

// Start of the slice at one position of the start indices.
static Shape sliceStart(graph::GatherDimsAttr dims, ArrayRef<int64_t> indices,
                        ArrayRef<int64_t> startShape,
                        ArrayRef<int64_t> position, ArrayRef<int64_t> extents,
                        ArrayRef<int64_t> sizes) {
  Shape strides = stridesOf(startShape), start(extents.size(), 0);
  int64_t vectorDim = dims.getIndexVectorDim(), base = 0, step = 0;
  Shape full;
  size_t next = 0;
  for (int64_t i = 0, rank = startShape.size(); i < rank; ++i)
    full.push_back(i == vectorDim ? 0 : position[next++]);
  for (auto [i, at] : llvm::enumerate(full))
    base += at * strides[i];
  if (vectorDim < int64_t(startShape.size()))
    step = strides[vectorDim];
  for (auto [k, dim] : llvm::enumerate(dims.getStartIndexMap()))
    start[dim] =
        clampStart(indices[base + int64_t(k) * step], extents[dim], sizes[dim]);
  for (auto [dim, startDim] : llvm::zip(dims.getOperandBatchingDims(),
                                        dims.getStartIndicesBatchingDims()))
    start[dim] = clampStart(full[startDim], extents[dim], 1);
  return start;
}

static Expected<Tensor> evaluateGather(graph::GatherOp op,
                                       const OpEvaluation &e) {
  auto dims = op.getDims();
  const Tensor &operand = e.operand(0), &starts = e.operand(1);
  Shape sizes = sliceSizes(op, operand.shape());
  for (auto [dim, startDim] : llvm::zip(dims.getOperandBatchingDims(),
                                        dims.getStartIndicesBatchingDims()))
    if (operand.shape()[dim] != starts.shape()[startDim])
      return e.fail("batching dimensions " + Twine(dim) + " and " +
                    Twine(startDim) + " are " + Twine(operand.shape()[dim]) +
                    " and " + Twine(starts.shape()[startDim]) + " at run time");
  Shape shape =
      gatherShape(dims, sizes, starts.shape(), e.resultType().getRank());
  Expected<Tensor> result = e.allocate(shape);
  if (!result || result->size() == 0)
    return result;
  if (llvm::Error error = checkSlices(e, sizes))
    return std::move(error);
  SmallVector<int64_t> indices = integersOf(starts);
  Shape from = stridesOf(operand.shape()), to = stridesOf(shape), box, boxTo,
        boxFrom, batch, batchTo;
  auto offsetDim = dims.getOffsetDims().begin();
  for (auto [i, size] : llvm::enumerate(sizes))
    if (!llvm::is_contained(dims.getCollapsedSliceDims(), int64_t(i)) &&
        !llvm::is_contained(dims.getOperandBatchingDims(), int64_t(i))) {
      box.push_back(size);
      boxFrom.push_back(from[i]);
      boxTo.push_back(to[*offsetDim++]);
    }
  for (auto [i, size] : llvm::enumerate(shape))
    if (!llvm::is_contained(dims.getOffsetDims(), int64_t(i))) {
      batch.push_back(size);
      batchTo.push_back(to[i]);
    }
  Shape position(batch.size(), 0);
  char *target = result->writable();
  do {
    Shape start = sliceStart(dims, indices, starts.shape(), position,
                             operand.shape(), sizes);
    int64_t source = 0, offset = 0;
    for (auto [at, stride] : llvm::zip(start, from))
      source += at * stride;
    for (auto [at, stride] : llvm::zip(position, batchTo))
      offset += at * stride;
    copyStrided(target, {offset, boxTo}, operand.bytes(), {source, boxFrom},
                box, elementBytes(e.resultElement()));
  } while (stepPosition(position, batch));
  return result;
}

// Start of a part of `sizes`, from the scalar operands from `first` on.
static Expected<int64_t> startOffset(const OpEvaluation &e, unsigned first,
                                     ArrayRef<int64_t> sizes) {
  ArrayRef<int64_t> extents = e.operand(0).shape();
  Shape strides = stridesOf(extents);
  int64_t offset = 0;
  for (size_t i = 0; i < extents.size(); ++i) {
    if (sizes[i] > extents[i])
      return e.fail("a part of " + Twine(sizes[i]) + " exceeds dimension " +
                    Twine(i) + " of size " + Twine(extents[i]));
    offset +=
        clampStart(integerOf(e.operand(first + i)), extents[i], sizes[i]) *
        strides[i];
  }
  return offset;
}

static Expected<Tensor> evaluateDynamicSlice(const OpEvaluation &e) {
  ArrayRef<int64_t> sizes = e.resultType().getShape();
  Expected<int64_t> offset = startOffset(e, 1, sizes);
  if (!offset)
    return offset.takeError();
  Expected<Tensor> result = e.allocate(sizes);
  if (result)
    copyStrided(result->writable(), {0, stridesOf(sizes)}, e.operand(0).bytes(),
                {*offset, stridesOf(e.operand(0).shape())}, sizes,
                elementBytes(e.resultElement()));
  return result;
}

static Expected<Tensor> evaluateDynamicUpdateSlice(const OpEvaluation &e) {
  const Tensor &operand = e.operand(0), &update = e.operand(1);
  Expected<int64_t> offset = startOffset(e, 2, update.shape());
  if (!offset)
    return offset.takeError();
  if (llvm::Error error = e.checkShape(operand.shape()))
    return std::move(error);
  Tensor result = e.take(0);
  copyStrided(result.writable(), {*offset, stridesOf(result.shape())},
              update.bytes(), {0, stridesOf(update.shape())}, update.shape(),
              elementBytes(e.resultElement()));
  return result;
}

Expected<Tensor> zenith::interpreter::evaluateIndexing(const OpEvaluation &e) {
  if (auto gather = dyn_cast<graph::GatherOp>(e.op))
    return evaluateGather(gather, e);
  if (isa<graph::DynamicSliceOp>(e.op))
    return evaluateDynamicSlice(e);
  if (isa<graph::DynamicUpdateSliceOp>(e.op))
    return evaluateDynamicUpdateSlice(e);
  return e.fail("has no meaning in the interpreter", ErrorCode::Unsupported);
}
