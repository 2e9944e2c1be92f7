// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Export rules of the ops that read at positions given by data.
#include "frontends/onnx/ExportBuilder.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using llvm::ArrayRef;
using llvm::SmallVector;

static Value withoutBroadcast(Value value) {
  auto broadcast = value.getDefiningOp<graph::BroadcastOp>();
  return broadcast ? Value(broadcast.getOperand()) : value;
}

/// ONNX indices may be negative, so the import's `i < 0 ? i + size : i` is i
/// again.
static Value withoutWrap(Value indices) {
  auto select = indices.getDefiningOp<graph::SelectOp>();
  if (!select)
    return indices;
  auto compare = select.getPred().getDefiningOp<graph::CompareOp>();
  auto add = select.getOnTrue().getDefiningOp<graph::AddOp>();
  bool wraps = compare && add &&
               compare.getDirection() == graph::CompareDirection::lt &&
               compare.getLhs() == select.getOnFalse() &&
               llvm::is_contained(add.getOperands(), select.getOnFalse()) &&
               matchPattern(withoutBroadcast(compare.getRhs()), m_Zero());
  return wraps ? Value(select.getOnFalse()) : indices;
}

/// True where the slice takes the dimension whole.
static bool isWhole(graph::GatherOp op, int64_t dim) {
  int64_t size = op.getSliceSizes()[dim];
  return size == -1 ||
         size ==
             cast<RankedTensorType>(op.getOperand().getType()).getDimSize(dim);
}

static bool isRange(ArrayRef<int64_t> dims, int64_t from) {
  for (auto [index, dim] : llvm::enumerate(dims))
    if (dim != from + int64_t(index))
      return false;
  return true;
}

/// One indexed dimension, indices as they are: Gather.
static bool writeAsGather(graph::GatherOp op, ExportBuilder &b) {
  graph::GatherDimsAttr dims = op.getDims();
  auto indices = cast<RankedTensorType>(op.getStartIndices().getType());
  int64_t rank = op.getSliceSizes().size(),
          vectorDim = dims.getIndexVectorDim(), indexRank = indices.getRank();
  bool trailing = vectorDim == indexRank - 1 && indexRank > 0 &&
                  indices.getDimSize(vectorDim) == 1;
  if (dims.getStartIndexMap().size() != 1 ||
      dims.getCollapsedSliceDims() != dims.getStartIndexMap() ||
      !dims.getOperandBatchingDims().empty() ||
      (vectorDim != indexRank && !trailing))
    return false;
  int64_t axis = dims.getStartIndexMap()[0],
          batch = trailing ? indexRank - 1 : indexRank;
  SmallVector<int64_t> offset;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim != axis && !isWhole(op, dim))
      return false;
    if (dim != axis)
      offset.push_back(dim < axis ? dim : dim - 1 + batch);
  }
  if (ArrayRef<int64_t>(offset) != dims.getOffsetDims())
    return false;
  std::string operand = b.name(op.getOperand()),
              at = b.name(withoutWrap(op.getStartIndices()));
  if (trailing)
    at = b.node("Squeeze", {at, b.ints({indexRank - 1})});
  if (!indices.getElementType().isSignlessInteger(64) &&
      !indices.getElementType().isSignlessInteger(32))
    at = b.cast(at, IntegerType::get(op.getContext(), 64));
  b.bind(op, b.node("Gather", {operand, at}, {makeInt("axis", axis)}));
  return true;
}

/// Leading dimensions indexed by the last dimension of the indices: GatherND.
static bool writeAsGatherND(graph::GatherOp op, ExportBuilder &b) {
  graph::GatherDimsAttr dims = op.getDims();
  auto indices = cast<RankedTensorType>(op.getStartIndices().getType());
  int64_t batch = dims.getOperandBatchingDims().size(),
          count = dims.getStartIndexMap().size();
  int64_t rank = op.getSliceSizes().size(),
          resultRank = cast<RankedTensorType>(op.getType()).getRank();
  bool ordered = isRange(dims.getOperandBatchingDims(), 0) &&
                 isRange(dims.getStartIndicesBatchingDims(), 0) &&
                 isRange(dims.getStartIndexMap(), batch) &&
                 dims.getCollapsedSliceDims() == dims.getStartIndexMap() &&
                 dims.getIndexVectorDim() == indices.getRank() - 1 &&
                 isRange(dims.getOffsetDims(),
                         resultRank - int64_t(dims.getOffsetDims().size()));
  for (int64_t dim = batch + count; dim < rank; ++dim)
    ordered &= isWhole(op, dim);
  if (!ordered || count == 0)
    return false;
  std::string operand = b.name(op.getOperand()),
              at = b.name(withoutWrap(op.getStartIndices()));
  if (!indices.getElementType().isSignlessInteger(64))
    at = b.cast(at, IntegerType::get(op.getContext(), 64));
  b.bind(op, b.node("GatherND", {operand, at}, {makeInt("batch_dims", batch)}));
  return true;
}

namespace {
/// A dimension of a gather's result: one of the indices or one of the operand.
struct Origin {
  bool ofIndices;
  int64_t dim;
  bool operator==(const Origin &other) const {
    return ofIndices == other.ofIndices && dim == other.dim;
  }
};
} // namespace

/// What each dimension of the result comes from.
static SmallVector<Origin> originsOf(graph::GatherOp op) {
  graph::GatherDimsAttr dims = op.getDims();
  int64_t rank = cast<RankedTensorType>(op.getType()).getRank(), index = 0,
          operand = 0;
  SmallVector<Origin> origins;
  for (int64_t position = 0; position < rank; ++position) {
    if (llvm::is_contained(dims.getOffsetDims(), position)) {
      while (llvm::is_contained(dims.getCollapsedSliceDims(), operand) ||
             llvm::is_contained(dims.getOperandBatchingDims(), operand))
        ++operand;
      origins.push_back({false, operand++});
    } else {
      index += index == dims.getIndexVectorDim();
      origins.push_back({true, index++});
    }
  }
  return origins;
}

/// GatherND with dimensions moved before and after it.
static bool writeByMoving(graph::GatherOp op, ExportBuilder &b) {
  graph::GatherDimsAttr dims = op.getDims();
  int64_t rank = op.getSliceSizes().size(),
          indexRank =
              cast<RankedTensorType>(op.getStartIndices().getType()).getRank(),
          vectorDim = dims.getIndexVectorDim();
  ArrayRef<int64_t> indexed = dims.getStartIndexMap(),
                    batching = dims.getOperandBatchingDims(),
                    indexBatching = dims.getStartIndicesBatchingDims();
  SmallVector<int64_t> order(batching), indexOrder(indexBatching);
  order.append(indexed.begin(), indexed.end());
  SmallVector<Origin> origins;
  for (int64_t dim : indexBatching)
    origins.push_back({true, dim});
  for (int64_t dim = 0; dim < indexRank; ++dim)
    if (dim != vectorDim && !llvm::is_contained(indexBatching, dim)) {
      indexOrder.push_back(dim);
      origins.push_back({true, dim});
    }
  indexOrder.push_back(vectorDim);
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (llvm::is_contained(indexed, dim)) {
      if (op.getSliceSizes()[dim] != 1)
        return false;
    } else if (!llvm::is_contained(batching, dim)) {
      if (!isWhole(op, dim))
        return false;
      order.push_back(dim);
      origins.push_back({false, dim});
    }
  }
  if (indexed.empty())
    return false;
  std::string operand = b.transpose(b.name(op.getOperand()), order),
              at = b.name(withoutWrap(op.getStartIndices()));
  if (vectorDim == indexRank)
    at = b.node("Unsqueeze", {at, b.ints({indexRank})});
  at = b.transpose(at, indexOrder);
  if (!getElementTypeOrSelf(op.getStartIndices().getType())
           .isSignlessInteger(64))
    at = b.cast(at, IntegerType::get(op.getContext(), 64));
  std::string result =
      b.node("GatherND", {operand, at},
             {makeInt("batch_dims", int64_t(batching.size()))});
  // Indexed dimensions that the result keeps have one position.
  SmallVector<int64_t> kept, permutation;
  SmallVector<Origin> wanted = originsOf(op);
  for (const Origin &origin : wanted)
    if (!llvm::is_contained(origins, origin)) {
      kept.push_back(origins.size());
      origins.push_back(origin);
    }
  if (!kept.empty())
    result = b.node("Unsqueeze", {result, b.ints(kept)});
  for (const Origin &origin : wanted)
    permutation.push_back(llvm::find(origins, origin) - origins.begin());
  b.bind(op, b.transpose(result, permutation));
  return true;
}

static void writeGather(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto gather = cast<graph::GatherOp>(op);
  if (!writeAsGather(gather, b) && !writeAsGatherND(gather, b) &&
      !writeByMoving(gather, b))
    b.fail(unsupported(
        "a gather of slices that neither Gather nor GatherND takes"));
}

/// Starts clamped into [0, size - part].
static void writeDynamicSlice(Operation *op, ExportBuilder &b,
                              const ExportRow &) {
  auto slice = cast<graph::DynamicSliceOp>(op);
  auto type = cast<RankedTensorType>(slice.getType());
  ExportBuilder::Names starts;
  SmallVector<int64_t> parts(type.getShape()), axes;
  SmallVector<Size> tops;
  for (auto [dim, start] : llvm::enumerate(slice.getStarts())) {
    axes.push_back(dim);
    tops.push_back(b.sum(b.size(slice.getOperand(), dim),
                         Size{-type.getDimSize(dim), ""}));
    starts.push_back(
        b.reshape(b.cast(b.name(start), IntegerType::get(op->getContext(), 64)),
                  Size{1, ""}));
  }
  std::string operand = b.name(slice.getOperand());
  if (axes.empty())
    return b.bind(slice, operand);
  std::string start = starts.size() == 1
                          ? starts[0]
                          : b.node("Concat", starts, {makeInt("axis", 0)});
  start = b.node("Max", {b.node("Min", {start, b.shape(tops)}),
                         b.ints(SmallVector<int64_t>(axes.size(), 0))});
  std::string end = b.node("Add", {start, b.ints(parts)});
  b.bind(slice, b.node("Slice", {operand, start, end, b.ints(axes)}));
}

llvm::ArrayRef<ExportRow> zenith::onnx::indexingExports() {
  static const ExportRow rows[] = {
      {"graph.dynamic_slice", writeDynamicSlice},
      {"graph.gather", writeGather},
  };
  return rows;
}
