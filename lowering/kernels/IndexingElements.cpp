// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of ops that read at positions given by data: positions that all
// lanes share stay scalar, so rows stay contiguous.

#include "lowering/kernels/ElementEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

Value ElementEmitter::indexing(Operation *op, ArrayRef<Ix> index) {
  if (auto gatherOp = dyn_cast<graph::GatherOp>(op))
    return gather(gatherOp, index);
  if (auto slice = dyn_cast<graph::DynamicSliceOp>(op))
    return dynamicSlice(slice, index);
  if (auto update = dyn_cast<graph::DynamicUpdateSliceOp>(op))
    return dynamicUpdateSlice(update, index);
  return unsupported(op);
}

Ix ElementEmitter::clampedIndex(Value element, Type type, const DimExpr &size) {
  OpBuilder &b = kernel.b;
  if (size.isConstant(1))
    return Ix(0);
  unsigned width = isa<VectorType>(element.getType()) ? indices.width : 1;
  Value last = kernel.broadcast(kernel.size(size - 1), width);
  Type indexType = typeLike(b.getIndexType(), element.getType());
  Value i;
  if (type.isUnsignedInteger()) {
    i = b.create<arith::IndexCastUIOp>(kernel.loc, indexType, element);
    i = b.create<arith::MinUIOp>(kernel.loc, i, last);
  } else {
    i = b.create<arith::IndexCastOp>(kernel.loc, indexType, element);
    i = b.create<arith::MinSIOp>(kernel.loc, i, last);
    i = b.create<arith::MaxSIOp>(kernel.loc, i, kernel.integer(indexType, 0));
  }
  return width > 1 ? indices.scattered(i) : indices.scalar(i, size);
}

Value ElementEmitter::gather(graph::GatherOp op, ArrayRef<Ix> index) {
  auto dims = op.getDims();
  const graph::DimVector operandDims = dimsOf(op.getOperand());
  auto startsType = cast<RankedTensorType>(op.getStartIndices().getType());
  SmallVector<Ix> batch, offsets;
  for (auto [d, x] : llvm::enumerate(index))
    (llvm::is_contained(dims.getOffsetDims(), int64_t(d)) ? offsets : batch)
        .push_back(x);

  int64_t vectorDim = dims.getIndexVectorDim();
  auto startAt = [&](int64_t component) {
    SmallVector<Ix> at(batch);
    if (vectorDim < startsType.getRank())
      at.insert(at.begin() + vectorDim, Ix(component));
    return emit(op.getStartIndices(), at);
  };
  SmallVector<Ix> at;
  unsigned nextOffset = 0;
  for (int64_t d = 0; d < int64_t(operandDims.size()); ++d) {
    if (auto *known = llvm::find(dims.getOperandBatchingDims(), d);
        known != dims.getOperandBatchingDims().end()) {
      int64_t source = dims.getStartIndicesBatchingDims()
                           [known - dims.getOperandBatchingDims().begin()];
      at.push_back(batch[source > vectorDim ? source - 1 : source]);
      continue;
    }
    bool collapsed = llvm::is_contained(dims.getCollapsedSliceDims(), d);
    Ix x = collapsed ? Ix(0) : offsets[nextOffset++];
    int64_t slice = op.getSliceSizes()[d];
    if (auto *mapped = llvm::find(dims.getStartIndexMap(), d);
        mapped != dims.getStartIndexMap().end() && slice >= 0) {
      Value start = startAt(mapped - dims.getStartIndexMap().begin());
      if (!start)
        return {};
      x = indices.add(x, clampedIndex(start, startsType.getElementType(),
                                      operandDims[d] - slice + 1));
    }
    at.push_back(x);
  }
  return emit(op.getOperand(), at);
}

Value ElementEmitter::dynamicSlice(graph::DynamicSliceOp op,
                                   ArrayRef<Ix> index) {
  const graph::DimVector operandDims = dimsOf(op.getOperand()),
                         resultDims = dimsOf(op.getResult());
  SmallVector<Ix> at;
  for (auto [d, x] : llvm::enumerate(index)) {
    Value start = emit(op.getStarts()[d], {});
    if (!start)
      return {};
    Type type = getElementTypeOrSelf(op.getStarts()[d].getType());
    at.push_back(indices.add(
        x, clampedIndex(start, type, operandDims[d] - resultDims[d] + 1)));
  }
  return emit(op.getOperand(), at);
}

SmallVector<Ix> ElementEmitter::updatedIndex(graph::DynamicUpdateSliceOp op,
                                             ArrayRef<Ix> index) {
  const graph::DimVector operandDims = dimsOf(op.getOperand()),
                         updateDims = dimsOf(op.getUpdate());
  SmallVector<Ix> at;
  for (auto [d, x] : llvm::enumerate(index)) {
    if (operandDims[d] == updateDims[d]) {
      at.push_back(x);
      continue;
    }
    Value start = emit(op.getStarts()[d], {});
    if (!start)
      return {};
    Type type = getElementTypeOrSelf(op.getStarts()[d].getType());
    at.push_back(indices.add(
        x, clampedIndex(start, type, operandDims[d] - updateDims[d] + 1)));
  }
  return at;
}

Value ElementEmitter::dynamicUpdateSlice(graph::DynamicUpdateSliceOp op,
                                         ArrayRef<Ix> index) {
  const graph::DimVector operandDims = dimsOf(op.getOperand()),
                         updateDims = dimsOf(op.getUpdate());
  SmallVector<Ix> at;
  Conditions conditions;
  auto old = [&] { return emit(op.getOperand(), index); };
  for (auto [d, x] : llvm::enumerate(index)) {
    if (operandDims[d] == updateDims[d]) {
      at.push_back(x);
      continue;
    }
    Value start = emit(op.getStarts()[d], {});
    if (!start)
      return {};
    Type type = getElementTypeOrSelf(op.getStarts()[d].getType());
    Ix first = clampedIndex(start, type, operandDims[d] - updateDims[d] + 1);
    at.push_back(indices.add(x, indices.scale(first, -1)));
    if (!conditions.add(kernel, inside(at.back(), 0, updateDims[d])))
      return old();
  }
  return guarded(
      conditions, anyLanes(index), [&] { return emit(op.getUpdate(), at); },
      old);
}

} // namespace zenith::kernels
