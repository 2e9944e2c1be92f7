// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Export rules of the ops that read at data-dependent positions.
#include "frontends/onnx/export/WindowPositions.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Indices in ONNX's form: inside of the operand, since graph.gather clamps to
/// the nearest slice inside. `at` is `indices` in the operator's layout, with
/// the coordinates in the last dimension if there are several.
static std::string inside(graph::GatherOp op, ExportBuilder &b,
                          std::string at) {
  graph::GatherDimsAttr dims = op.getDims();
  Value indices = op.getStartIndices();
  auto type = cast<RankedTensorType>(op.getOperand().getType());
  if (withoutWrap(indices) != indices ||
      areKnownPositions(indices, dims.getIndexVectorDim(),
                        dims.getStartIndexMap(), type.getShape()))
    return at;
  SmallVector<Size> last;
  for (int64_t dim : dims.getStartIndexMap())
    last.push_back(b.sum(b.size(op.getOperand(), dim), Size{-1, ""}));
  std::string top = last.size() == 1 ? b.sizeName(last[0]) : b.shape(last);
  return b.node("Max", {b.node("Min", {at, top}), b.intScalar(0)});
}

/// The indices, as 64-bit integers; a wrap of negative ones is left to ONNX.
static std::string startIndices(graph::GatherOp op, ExportBuilder &b) {
  std::string at = b.name(withoutWrap(op.getStartIndices()));
  return getElementTypeOrSelf(op.getStartIndices().getType())
                 .isSignlessInteger(64)
             ? at
             : b.cast(at, IntegerType::get(op.getContext(), 64));
}

/// True if the slice takes the whole dimension.
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

/// One indexed dimension, indices unchanged: Gather.
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
  std::string operand = b.name(op.getOperand()), at = startIndices(op, b);
  if (trailing)
    at = b.node("Squeeze", {at, b.ints({indexRank - 1})});
  b.bind(op, b.node("Gather", {operand, inside(op, b, at)},
                    {makeInt("axis", axis)}));
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
              at = inside(op, b, startIndices(op, b));
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

/// The source of each dimension of the result.
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
              at = startIndices(op, b);
  if (vectorDim == indexRank)
    at = b.node("Unsqueeze", {at, b.ints({indexRank})});
  at = inside(op, b, b.transpose(at, indexOrder));
  std::string result =
      b.node("GatherND", {operand, at},
             {makeInt("batch_dims", int64_t(batching.size()))});
  // Indexed dimensions that the result keeps have size 1.
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

/// Each element from the flat operand.
static bool writeByPositions(graph::GatherOp op, ExportBuilder &b) {
  graph::GatherDimsAttr dims = op.getDims();
  auto operand = cast<RankedTensorType>(op.getOperand().getType());
  WindowPositions windows{op.getStartIndices(),
                          dims.getIndexVectorDim(),
                          dims.getStartIndexMap(),
                          dims.getOperandBatchingDims(),
                          dims.getStartIndicesBatchingDims(),
                          operand.getShape(),
                          {},
                          dims.getOffsetDims(),
                          {},
                          cast<RankedTensorType>(op.getType()).getRank()};
  if (!operand.hasStaticShape() || dims.getStartIndexMap().empty())
    return false;
  for (auto [dim, size] : llvm::enumerate(op.getSliceSizes())) {
    windows.window.push_back(size == -1 ? operand.getDimSize(dim) : size);
    if (!llvm::is_contained(dims.getCollapsedSliceDims(), int64_t(dim)) &&
        !llvm::is_contained(dims.getOperandBatchingDims(), int64_t(dim)))
      windows.operandDims.push_back(dim);
  }
  std::string flat = b.reshape(b.name(op.getOperand()), Size{-1, ""}),
              at = b.node("Min",
                          {corners(b, windows), b.ints(lastCorner(windows))});
  at = flatPositions(b, windows, b.node("Max", {at, b.intScalar(0)}));
  b.bind(op, b.node("Gather", {flat, at}, {makeInt("axis", 0)}));
  return true;
}

static void writeGather(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto gather = cast<graph::GatherOp>(op);
  if (!writeAsGather(gather, b) && !writeAsGatherND(gather, b) &&
      !writeByMoving(gather, b) && !writeByPositions(gather, b))
    b.fail(unsupported("a gather of slices of a dynamic operand"));
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
