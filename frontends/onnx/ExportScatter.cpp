// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Export rules of the ops that write at positions given by data.
#include "frontends/onnx/ExportBuilder.h"

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

/// Tuples of leading coordinates with whole slices behind them: ScatterND,
/// which knows no positions outside of the operand.
static void writeScatter(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto scatter = cast<graph::ScatterOp>(op);
  graph::ScatterDimsAttr dims = scatter.getDims();
  auto indices = cast<RankedTensorType>(scatter.getIndices().getType());
  auto updates = cast<RankedTensorType>(scatter.getUpdates().getType());
  int64_t tuple = dims.getIndexMap().size(),
          rank = cast<RankedTensorType>(scatter.getType()).getRank();
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
    return b.fail(unsupported("a scatter of windows that ScatterND does not "
                              "take"));
  const char *reduction = nullptr;
  switch (scatter.getKind()) {
  case graph::ScatterKind::set:
    break;
  case graph::ScatterKind::sum:
    reduction = "add";
    break;
  case graph::ScatterKind::prod:
    reduction = "mul";
    break;
  case graph::ScatterKind::max:
    reduction = "max";
    break;
  case graph::ScatterKind::min:
    reduction = "min";
    break;
  }
  bool ordered = scatter.getKind() == graph::ScatterKind::max ||
                 scatter.getKind() == graph::ScatterKind::min;
  int64_t needed = ordered ? 18 : 16;
  if (reduction && b.opset < needed)
    return b.fail(unsupported(
        fmt::format("a scatter that joins elements needs opset {}", needed)));
  std::string operand = b.name(scatter.getOperand()),
              at = b.name(scatter.getIndices());
  if (!indices.getElementType().isSignlessInteger(64))
    at = b.cast(at, IntegerType::get(op->getContext(), 64));
  ExportBuilder::Attributes attributes;
  if (reduction)
    attributes.push_back(makeString("reduction", reduction));
  b.bind(scatter,
         b.node("ScatterND", {operand, at, b.name(scatter.getUpdates())},
                attributes));
}

/// Start of an update along a dimension, clamped so that it lies inside.
static std::string clampedStart(graph::DynamicUpdateSliceOp op,
                                ExportBuilder &b, int64_t dim) {
  std::string start = b.cast(b.name(op.getStarts()[dim]),
                             IntegerType::get(op.getContext(), 64));
  Size size = b.size(op.getOperand(), dim), part = b.size(op.getUpdate(), dim);
  std::string last = part.number && size.number
                         ? b.intScalar(*size.number - *part.number)
                         : b.node("Sub", {b.sizeName(size), b.sizeName(part)});
  return b.node("Max", {b.node("Min", {start, last}), b.intScalar(0)});
}

/// Rows of dimension 0 by ScatterND where the update is whole otherwise; else
/// each element from the update where its position lies in it.
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
