// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Export rules of the ops that write at data-dependent positions.
#include "frontends/onnx/export/WindowPositions.h"

#include "mlir/IR/TypeUtilities.h"
#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using Names = ExportBuilder::Names;
using llvm::ArrayRef;
using llvm::SmallVector;

static bool isRange(ArrayRef<int64_t> dims, int64_t from) {
  for (auto [index, dim] : llvm::enumerate(dims))
    if (dim != from + int64_t(index))
      return false;
  return true;
}

/// The reduction of updates of one element; nothing if the last update wins.
/// Sums of booleans are "or", products "and".
static const char *reductionOf(graph::ScatterKind kind, bool isBool) {
  switch (kind) {
  case graph::ScatterKind::set:
    return nullptr;
  case graph::ScatterKind::sum:
    return isBool ? "max" : "add";
  case graph::ScatterKind::prod:
    return isBool ? "min" : "mul";
  case graph::ScatterKind::max:
    return "max";
  case graph::ScatterKind::min:
    return "min";
  }
  llvm_unreachable("all kinds are named");
}

/// True if indices are concatenated from wrapped ones and from iotas.
static bool isWrapped(Value indices) {
  Operation *op = indices.getDefiningOp();
  if (withoutWrap(indices) != indices || isa_and_nonnull<graph::IotaOp>(op))
    return true;
  if (isa_and_nonnull<graph::ConcatOp>(op))
    return llvm::all_of(op->getOperands(), isWrapped);
  return isa_and_nonnull<graph::BroadcastOp, graph::ConvertOp, graph::ReshapeOp,
                         graph::TransposeOp>(op) &&
         isWrapped(op->getOperand(0));
}

/// Tuples of leading coordinates with whole slices after them, which ScatterND
/// takes. ScatterND refuses positions outside of the operand, so they must be
/// known to lie inside (or to wrap, as in ONNX).
static bool isScatterND(graph::ScatterOp scatter, ExportBuilder &b) {
  graph::ScatterDimsAttr dims = scatter.getDims();
  auto indices = cast<RankedTensorType>(scatter.getIndices().getType());
  auto updates = cast<RankedTensorType>(scatter.getUpdates().getType());
  auto operand = cast<RankedTensorType>(scatter.getType());
  int64_t tuple = dims.getIndexMap().size(), rank = operand.getRank();
  bool isTuples = dims.getIndexVectorDim() == indices.getRank() - 1 &&
                  isRange(dims.getIndexMap(), 0) &&
                  dims.getInsertedWindowDims() == dims.getIndexMap() &&
                  dims.getInputBatchingDims().empty() &&
                  isRange(dims.getUpdateWindowDims(), indices.getRank() - 1) &&
                  updates.getRank() == indices.getRank() - 1 + rank - tuple;
  graph::DimVector whole = b.dims(scatter.getOperand()),
                   parts = b.dims(scatter.getUpdates());
  for (int64_t dim = tuple; isTuples && dim < rank; ++dim)
    isTuples = whole[dim] == parts[indices.getRank() - 1 + dim - tuple];
  if (!isTuples)
    return false;
  if (!operand.hasStaticShape())
    return isWrapped(scatter.getIndices());
  return withoutWrap(scatter.getIndices()) != scatter.getIndices() ||
         areKnownPositions(scatter.getIndices(), dims.getIndexVectorDim(),
                           dims.getIndexMap(), operand.getShape());
}

/// The windows of a scatter; nothing where a size is dynamic.
static std::optional<WindowPositions> windowsOf(graph::ScatterOp scatter) {
  graph::ScatterDimsAttr dims = scatter.getDims();
  auto operand = cast<RankedTensorType>(scatter.getType());
  auto updates = cast<RankedTensorType>(scatter.getUpdates().getType());
  if (!operand.hasStaticShape() || !updates.hasStaticShape() ||
      dims.getIndexMap().empty())
    return std::nullopt;
  WindowPositions windows{scatter.getIndices(),
                          dims.getIndexVectorDim(),
                          dims.getIndexMap(),
                          dims.getInputBatchingDims(),
                          dims.getIndicesBatchingDims(),
                          operand.getShape(),
                          SmallVector<int64_t>(operand.getRank(), 1),
                          dims.getUpdateWindowDims(),
                          {},
                          updates.getRank()};
  for (int64_t dim = 0; dim < operand.getRank(); ++dim)
    if (!llvm::is_contained(dims.getInsertedWindowDims(), dim) &&
        !llvm::is_contained(dims.getInputBatchingDims(), dim)) {
      windows.window[dim] = updates.getDimSize(
          dims.getUpdateWindowDims()[windows.operandDims.size()]);
      windows.operandDims.push_back(dim);
    }
  return windows;
}

/// Each element into the flat operand with one more position, which receives
/// the windows that are not inside. `values` are the operand and the updates.
static std::string scatterFlat(graph::ScatterOp op, ExportBuilder &b,
                               const WindowPositions &windows,
                               mlir::Type element, Names values,
                               const ExportBuilder::Attributes &attributes) {
  MLIRContext *context = op.getContext();
  std::string at = corners(b, windows);
  std::string fits =
      b.node("And", {b.node("GreaterOrEqual", {at, b.intScalar(0)}),
                     b.node("LessOrEqual", {at, b.ints(lastCorner(windows))})});
  int64_t cornerRank = windows.rank - int64_t(windows.windowDims.size());
  fits = b.reduce("ReduceMin", b.cast(fits, IntegerType::get(context, 32)),
                  {cornerRank}, /*keepDims=*/false);
  fits = b.cast(fits, IntegerType::get(context, 1));
  if (!windows.windowDims.empty())
    fits = b.node("Unsqueeze", {fits, b.ints(windows.windowDims)});
  int64_t count = cast<RankedTensorType>(op.getType()).getNumElements();
  at = b.node("Where",
              {fits, flatPositions(b, windows, at), b.intScalar(count)});
  Size all{-1, ""};
  std::string spare = b.reshape(b.scalar(element, 0), Size{1, ""}),
              flat = b.node("Concat", {b.reshape(values[0], all), spare},
                            {makeInt("axis", 0)});
  std::string result =
      b.node("ScatterElements",
             {flat, b.reshape(at, all), b.reshape(values[1], all)}, attributes);
  result = b.node("Slice", {result, b.ints({0}), b.ints({count}), b.ints({0})});
  return b.reshape(result, b.sizes(op.getOperand()));
}

static void writeScatter(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto scatter = cast<graph::ScatterOp>(op);
  mlir::Type element = getElementTypeOrSelf(scatter.getType()), type = element;
  const char *reduction = reductionOf(scatter.getKind(), element.isInteger(1));
  StringRef joins = reduction ? reduction : "";
  int64_t needed = joins == "max" || joins == "min" ? 18 : 16;
  if (reduction && b.opset < needed)
    return b.fail(unsupported(
        fmt::format("a scatter that joins elements needs opset {}", needed)));
  ExportBuilder::Attributes attributes;
  if (reduction)
    attributes.push_back(makeString("reduction", reduction));
  Names values = {b.name(scatter.getOperand()), b.name(scatter.getUpdates())};
  auto give = [&](const std::string &result) {
    b.bind(scatter, type == element ? result : b.cast(result, element));
  };
  if (reduction && element.isInteger(1)) {
    type = IntegerType::get(op->getContext(), 32);
    for (std::string &value : values)
      value = b.cast(value, type);
  }
  if (isScatterND(scatter, b)) {
    std::string at = b.name(scatter.getIndices());
    if (!getElementTypeOrSelf(scatter.getIndices().getType())
             .isSignlessInteger(64))
      at = b.cast(at, IntegerType::get(op->getContext(), 64));
    return b.bind(scatter,
                  b.node("ScatterND", {values[0], at, values[1]}, attributes));
  }
  std::optional<WindowPositions> windows = windowsOf(scatter);
  if (!windows)
    return b.fail(unsupported("a scatter of windows of dynamic size"));
  give(scatterFlat(scatter, b, *windows, type, values, attributes));
}

/// Start of an update along a dimension, clamped so that it lies inside.
static std::string clampedStart(graph::DynamicUpdateSliceOp op,
                                ExportBuilder &b, int64_t dim) {
  std::string start = b.cast(b.name(op.getStarts()[dim]),
                             IntegerType::get(op.getContext(), 64));
  Size size = b.size(op.getOperand(), dim), part = b.size(op.getUpdate(), dim);
  std::string last = part.value && size.value
                         ? b.intScalar(*size.value - *part.value)
                         : b.node("Sub", {b.sizeName(size), b.sizeName(part)});
  return b.node("Max", {b.node("Min", {start, last}), b.intScalar(0)});
}

/// Rows of dimension 0 by ScatterND if the update spans the other dimensions;
/// else each element from the update if its position lies in it.
static void writeDynamicUpdateSlice(Operation *op, ExportBuilder &b,
                                    const ExportRow &) {
  auto update = cast<graph::DynamicUpdateSliceOp>(op);
  int64_t rank = cast<RankedTensorType>(update.getType()).getRank();
  graph::DimVector whole = b.dims(update.getOperand()),
                   part = b.dims(update.getUpdate());
  SmallVector<int64_t> moved;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (whole[dim] != part[dim])
      moved.push_back(dim);
  std::string operand = b.name(update.getOperand()),
              values = b.name(update.getUpdate());
  if (moved.empty())
    return b.bind(update, values);
  auto positions = [&](const Size &count) {
    return b.node("Range", {b.intScalar(0), b.sizeName(count), b.intScalar(1)});
  };
  if (moved.size() == 1 && moved[0] == 0) {
    std::string rows = b.node("Add", {positions(b.size(update.getUpdate(), 0)),
                                      clampedStart(update, b, 0)});
    return b.bind(
        update,
        b.node("ScatterND",
               {operand, b.node("Unsqueeze", {rows, b.ints({1})}), values}));
  }
  std::string inside;
  for (int64_t dim : moved) {
    Size count = b.size(update.getUpdate(), dim);
    std::string local =
        b.node("Sub", {positions(b.size(update.getOperand(), dim)),
                       clampedStart(update, b, dim)});
    std::string last = b.node("Sub", {b.sizeName(count), b.intScalar(1)});
    std::string taken =
        b.node("Max", {b.node("Min", {local, last}), b.intScalar(0)});
    std::string fits = b.node("Equal", {local, taken});
    SmallVector<int64_t> behind;
    for (int64_t i = dim + 1; i < rank; ++i)
      behind.push_back(i - dim);
    if (!behind.empty())
      fits = b.node("Unsqueeze", {fits, b.ints(behind)});
    inside = inside.empty() ? fits : b.node("And", {inside, fits});
    values = b.node("Gather", {values, taken}, {makeInt("axis", dim)});
  }
  b.bind(update, b.node("Where", {inside, values, operand}));
}

llvm::ArrayRef<ExportRow> zenith::onnx::scatterExports() {
  static const ExportRow rows[] = {
      {"graph.dynamic_update_slice", writeDynamicUpdateSlice},
      {"graph.scatter", writeScatter},
  };
  return rows;
}
