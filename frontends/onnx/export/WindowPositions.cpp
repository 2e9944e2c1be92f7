// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A position is the sum of coordinates times strides: the coordinates of the
// corner are data, the coordinates of the batch and within the window are
// constants.
#include "frontends/onnx/export/WindowPositions.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using llvm::ArrayRef;
using llvm::SmallVector;

static int64_t strideOf(ArrayRef<int64_t> shape, int64_t dim) {
  int64_t stride = 1;
  for (int64_t size : shape.drop_front(dim + 1))
    stride *= size;
  return stride;
}

/// `count` multiples of a stride along dimension `dim` of `rank`.
static std::string multiples(ExportBuilder &b, Value like, int64_t rank,
                             int64_t dim, int64_t count, int64_t stride) {
  SmallVector<int64_t> shape(rank, 1), values;
  shape[dim] = count;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(i * stride);
  auto type =
      RankedTensorType::get(shape, IntegerType::get(like.getContext(), 64));
  return b.constant(DenseElementsAttr::get(type, ArrayRef<int64_t>(values)));
}

std::string zenith::onnx::corners(ExportBuilder &b,
                                  const WindowPositions &windows) {
  auto type = cast<RankedTensorType>(windows.indices.getType());
  int64_t rank = type.getRank();
  std::string at = b.name(windows.indices);
  if (!type.getElementType().isSignlessInteger(64))
    at = b.cast(at, IntegerType::get(type.getContext(), 64));
  if (windows.vectorDim == rank)
    return b.node("Unsqueeze", {at, b.ints({rank})});
  SmallVector<int64_t> order;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != windows.vectorDim)
      order.push_back(dim);
  order.push_back(windows.vectorDim);
  return b.transpose(at, order);
}

SmallVector<int64_t> zenith::onnx::lastCorner(const WindowPositions &windows) {
  return llvm::map_to_vector(windows.indexMap, [&](int64_t dim) {
    return windows.shape[dim] - windows.window[dim];
  });
}

std::string zenith::onnx::flatPositions(ExportBuilder &b,
                                        const WindowPositions &windows,
                                        const std::string &corners) {
  ArrayRef<int64_t> shape = windows.shape;
  int64_t cornerRank = windows.rank - int64_t(windows.windowDims.size());
  SmallVector<int64_t> strides = llvm::map_to_vector(
      windows.indexMap, [&](int64_t dim) { return strideOf(shape, dim); });
  std::string at =
      b.reduce("ReduceSum", b.node("Mul", {corners, b.ints(strides)}),
               {cornerRank}, /*keepDims=*/false);
  for (auto [dim, of] :
       llvm::zip(windows.operandBatching, windows.indicesBatching))
    at = b.node("Add", {at, multiples(b, windows.indices, cornerRank,
                                      of - (of > windows.vectorDim), shape[dim],
                                      strideOf(shape, dim))});
  if (!windows.windowDims.empty())
    at = b.node("Unsqueeze", {at, b.ints(windows.windowDims)});
  for (auto [indexDim, dim] :
       llvm::zip(windows.windowDims, windows.operandDims))
    at = b.node("Add",
                {at, multiples(b, windows.indices, windows.rank, indexDim,
                               windows.window[dim], strideOf(shape, dim))});
  return at;
}

bool zenith::onnx::areKnownPositions(Value indices, int64_t vectorDim,
                                     ArrayRef<int64_t> indexMap,
                                     ArrayRef<int64_t> shape) {
  DenseIntElementsAttr constant;
  if (!matchPattern(indices, m_Constant(&constant)))
    return false;
  ArrayRef<int64_t> sizes = constant.getType().getShape();
  int64_t inner =
      vectorDim < int64_t(sizes.size()) ? strideOf(sizes, vectorDim) : 1;
  for (auto [entry, index] :
       llvm::enumerate(constant.getValues<llvm::APInt>())) {
    int64_t size = shape[indexMap[entry / inner % indexMap.size()]];
    if (index.isNegative() || index.getActiveBits() > 63 ||
        ShapedType::isDynamic(size) || index.getSExtValue() >= size)
      return false;
  }
  return true;
}

static Value withoutBroadcast(Value value) {
  auto broadcast = value.getDefiningOp<graph::BroadcastOp>();
  return broadcast ? Value(broadcast.getOperand()) : value;
}

Value zenith::onnx::withoutWrap(Value indices) {
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
