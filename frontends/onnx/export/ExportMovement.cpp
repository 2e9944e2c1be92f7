// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Export rules of the ops that rearrange elements. Shapes are constants
// wherever 0 (copy) and -1 (rest) allow it.
#include "frontends/onnx/export/ExportBuilder.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using llvm::SmallVector;

static void writeConstant(Operation *op, ExportBuilder &b, const ExportRow &) {
  b.bind(op->getResult(0), b.constant(cast<graph::ConstantOp>(op).getValue()));
}

static void writeDim(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto dim = cast<graph::DimOp>(op);
  b.bind(dim, b.sizeName(b.size(dim.getOperand(), dim.getDim())));
}

static void writeIota(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto iota = cast<graph::IotaOp>(op);
  auto type = cast<RankedTensorType>(iota.getType());
  SmallVector<Size> sizes = b.sizes(type, iota.getDims());
  int64_t dim = iota.getDim();
  if (b.failed())
    return;
  std::string indices =
      b.node("Range", {b.intScalar(0), b.sizeName(sizes[dim]), b.intScalar(1)});
  if (!type.getElementType().isSignlessInteger(64))
    indices = b.cast(indices, type.getElementType());
  if (type.getRank() > 1) {
    SmallVector<int64_t> inserted;
    for (int64_t i = dim + 1; i < type.getRank(); ++i)
      inserted.push_back(i - dim);
    if (!inserted.empty())
      indices = b.node("Unsqueeze", {indices, b.ints(inserted)});
    indices = b.node("Expand", {indices, b.shape(sizes)});
  }
  b.bind(iota, indices);
}

/// A broadcast is written by its readers.
static void writeBroadcast(Operation *, ExportBuilder &, const ExportRow &) {}

static void writeExpand(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto expand = cast<graph::ExpandOp>(op);
  auto type = cast<RankedTensorType>(expand.getType());
  std::string shape = b.shape(b.sizes(type, expand.getDims()));
  b.bind(expand, b.node("Expand", {b.name(expand.getOperand()), shape}));
}

static void writeReshape(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto reshape = cast<graph::ReshapeOp>(op);
  auto type = cast<RankedTensorType>(reshape.getType());
  graph::DimVector from = b.dims(reshape.getOperand()), to = b.dims(reshape);
  std::string operand = b.name(reshape.getOperand());
  bool hasZero = llvm::is_contained(type.getShape(), 0);
  SmallVector<int64_t> wanted;
  int open = 0, copied = 0;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    bool copies = dim < int64_t(from.size()) && from[dim] == to[dim] &&
                  type.isDynamicDim(dim);
    bool isOpen = type.isDynamicDim(dim) && !copies;
    open += isOpen;
    copied += copies;
    wanted.push_back(copies ? 0 : isOpen ? -1 : type.getDimSize(dim));
  }
  // There is no rest where a copied size may be 0.
  if (!hasZero && (open == 0 || (open == 1 && copied == 0)))
    return b.bind(reshape, b.node("Reshape", {operand, b.ints(wanted)}));
  b.bind(reshape, b.reshape(operand, b.sizes(type, reshape.getDims())));
}

static void writeTranspose(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto transpose = cast<graph::TransposeOp>(op);
  b.bind(transpose, b.transpose(b.name(transpose.getOperand()),
                                transpose.getPermutation()));
}

static void writeSlice(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto slice = cast<graph::SliceOp>(op);
  auto from = cast<RankedTensorType>(slice.getOperand().getType());
  SmallVector<Size> starts =
      b.mixed(slice.getStaticStarts(), slice.getStarts());
  SmallVector<Size> sizes = b.mixed(slice.getStaticSizes(), slice.getSizes());
  if (b.failed())
    return;
  SmallVector<Size> begins, ends;
  SmallVector<int64_t> axes, steps;
  for (int64_t dim = 0; dim < from.getRank(); ++dim) {
    int64_t stride = slice.getStrides()[dim];
    bool whole = starts[dim].value == 0 && stride == 1 && sizes[dim].value &&
                 *sizes[dim].value == from.getDimSize(dim);
    bool same = starts[dim].value == 0 && stride == 1 &&
                b.dims(slice.getOperand())[dim] == b.dims(slice)[dim];
    if (whole || same)
      continue;
    axes.push_back(dim);
    steps.push_back(stride);
    begins.push_back(starts[dim]);
    ends.push_back(
        b.sum(starts[dim], b.product({sizes[dim], Size{stride, ""}})));
  }
  std::string operand = b.name(slice.getOperand());
  if (axes.empty())
    return b.bind(slice, operand);
  ExportBuilder::Names inputs = {operand, b.shape(begins), b.shape(ends),
                                 b.ints(axes)};
  if (llvm::any_of(steps, [](int64_t step) { return step != 1; }))
    inputs.push_back(b.ints(steps));
  b.bind(slice, b.node("Slice", inputs));
}

static void writePad(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto pad = cast<graph::PadOp>(op);
  SmallVector<Size> pads = b.mixed(pad.getStaticLow(), pad.getLow());
  pads.append(b.mixed(pad.getStaticHigh(), pad.getHigh()));
  std::string operand = b.name(pad.getOperand()), shape = b.shape(pads),
              filler = b.name(pad.getValue());
  auto isApart = [](int64_t count) { return count != 0; };
  if (llvm::any_of(pad.getInterior(), isApart)) {
    SmallVector<Size> sizes = b.sizes(pad.getOperand());
    for (auto [dim, count] : llvm::enumerate(pad.getInterior()))
      operand = b.dilate(operand, sizes, dim, count + 1, filler);
  }
  b.bind(pad, b.node("Pad", {operand, shape, filler}));
}

static void writeConcat(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto concat = cast<graph::ConcatOp>(op);
  ExportBuilder::Names inputs;
  for (Value operand : concat.getOperands())
    inputs.push_back(b.name(operand));
  b.bind(concat, b.node("Concat", inputs, {makeInt("axis", concat.getDim())}));
}

static void writeReverse(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto reverse = cast<graph::ReverseOp>(op);
  size_t count = reverse.getDims().size();
  std::string operand = b.name(reverse.getOperand()),
              minusOne = b.ints(SmallVector<int64_t>(count, -1));
  std::string end =
      b.ints(SmallVector<int64_t>(count, INT64_MIN)); // past the first element
  b.bind(reverse, count ? b.node("Slice", {operand, minusOne, end,
                                           b.ints(reverse.getDims()), minusOne})
                        : operand);
}

llvm::ArrayRef<ExportRow> zenith::onnx::movementExports() {
  static const ExportRow rows[] = {
      {"graph.broadcast", writeBroadcast},
      {"graph.concat", writeConcat},
      {"graph.constant", writeConstant},
      {"graph.dim", writeDim},
      {"graph.expand", writeExpand},
      {"graph.iota", writeIota},
      {"graph.pad", writePad},
      {"graph.reshape", writeReshape},
      {"graph.reverse", writeReverse},
      {"graph.slice", writeSlice},
      {"graph.transpose", writeTranspose},
  };
  return rows;
}
