// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Export rules of matmuls and convolutions: MatMul if the dimensions are in its
// order, Gemm if a transposed operand saves a node, else transposes and
// reshapes around MatMul.
#include "frontends/onnx/export/ExportBuilder.h"

#include "mlir/IR/TypeUtilities.h"
#include <numeric>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {
/// One operand of a dot_general: which dimensions batch, contract, or are free.
struct Side {
  Value value;
  std::string name;
  SmallVector<int64_t> batching, contracting, free;
};
} // namespace

static Side sideOf(Value value, std::string name, ArrayRef<int64_t> batching,
                   ArrayRef<int64_t> contracting) {
  Side side{value,
            std::move(name),
            SmallVector<int64_t>(batching),
            SmallVector<int64_t>(contracting),
            {}};
  for (int64_t dim = 0; dim < cast<RankedTensorType>(value.getType()).getRank();
       ++dim)
    if (!llvm::is_contained(batching, dim) &&
        !llvm::is_contained(contracting, dim))
      side.free.push_back(dim);
  return side;
}

static SmallVector<Size> sizesOf(ExportBuilder &b, Value value,
                                 ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims,
                             [&](int64_t dim) { return b.size(value, dim); });
}

/// The operand as [batch..., first, second] with one dimension each for the
/// latter two.
static std::string asMatrix(ExportBuilder &b, const Side &side,
                            ArrayRef<int64_t> first, ArrayRef<int64_t> second) {
  SmallVector<int64_t> order(side.batching);
  order.append(first.begin(), first.end());
  order.append(second.begin(), second.end());
  std::string result = b.transpose(side.name, order);
  if (first.size() == 1 && second.size() == 1)
    return result;
  SmallVector<Size> sizes = sizesOf(b, side.value, side.batching);
  sizes.push_back(b.product(sizesOf(b, side.value, first)));
  sizes.push_back(b.product(sizesOf(b, side.value, second)));
  return b.reshape(result, sizes);
}

static bool isIdentity(ArrayRef<int64_t> dims) {
  for (auto [index, dim] : llvm::enumerate(dims))
    if (dim != int64_t(index))
      return false;
  return true;
}

/// Operands of a wider result, and of types that MatMul lacks, are converted
/// first.
static std::string converted(ExportBuilder &b, Value value,
                             mlir::Type element) {
  std::string name = b.name(value);
  return getElementTypeOrSelf(value.getType()) == element
             ? name
             : b.cast(name, element);
}

static void writeDotGeneral(Operation *op, ExportBuilder &b,
                            const ExportRow &) {
  auto dot = cast<graph::DotGeneralOp>(op);
  graph::DotDimsAttr dims = dot.getDims();
  mlir::Type element = getElementTypeOrSelf(dot.getType());
  Side lhs = sideOf(dot.getLhs(), converted(b, dot.getLhs(), element),
                    dims.getLhsBatching(), dims.getLhsContracting());
  Side rhs = sideOf(dot.getRhs(), converted(b, dot.getRhs(), element),
                    dims.getRhsBatching(), dims.getRhsContracting());
  int64_t batch = lhs.batching.size();
  bool one = lhs.contracting.size() == 1;
  int64_t lhsRank = cast<RankedTensorType>(dot.getLhs().getType()).getRank();
  int64_t rhsRank = cast<RankedTensorType>(dot.getRhs().getType()).getRank();
  // The left operand may have any free dimensions first if the right one is a
  // matrix or vector.
  if (one && batch == 0 && lhs.contracting[0] == lhsRank - 1 &&
      rhs.contracting[0] == 0 && rhsRank <= 2)
    return b.bind(dot, b.node("MatMul", {lhs.name, rhs.name}));
  if (one && batch == 0 && lhsRank == 2 && rhsRank == 2 &&
      isa<FloatType>(element))
    return b.bind(dot, b.node("Gemm", {lhs.name, rhs.name},
                              {makeInt("transA", lhs.contracting[0] == 0),
                               makeInt("transB", rhs.contracting[0] == 1)}));
  bool inOrder = isIdentity(lhs.batching) && isIdentity(rhs.batching);
  if (one && inOrder && lhs.free.size() == 1 && rhs.free.size() == 1 &&
      lhs.contracting[0] == batch + 1 && rhs.contracting[0] == batch)
    return b.bind(dot, b.node("MatMul", {lhs.name, rhs.name}));
  std::string left = asMatrix(b, lhs, lhs.free, lhs.contracting),
              right = asMatrix(b, rhs, rhs.contracting, rhs.free);
  std::string result = b.node("MatMul", {left, right});
  if (lhs.free.size() != 1 || rhs.free.size() != 1) {
    SmallVector<Size> sizes = sizesOf(b, dot.getLhs(), lhs.batching);
    sizes.append(sizesOf(b, dot.getLhs(), lhs.free));
    sizes.append(sizesOf(b, dot.getRhs(), rhs.free));
    result = b.reshape(result, sizes);
  }
  b.bind(dot, result);
}

/// Batch, features and spatial dimensions as a permutation to channels-first
/// order.
static SmallVector<int64_t> channelsFirst(int64_t first, int64_t second,
                                          ArrayRef<int64_t> spatial) {
  SmallVector<int64_t> order = {first, second};
  order.append(spatial.begin(), spatial.end());
  return order;
}

namespace {
/// A convolution whose operands are in channels-first order.
struct Channels {
  std::string input, kernel;
  SmallVector<Size> sizes; // of the input
  SmallVector<int64_t> low, high;
};
} // namespace

static bool anyAbove(ArrayRef<int64_t> values, int64_t limit) {
  return llvm::any_of(values, [&](int64_t value) { return value > limit; });
}

static bool anyBelow(ArrayRef<int64_t> values, int64_t limit) {
  return llvm::any_of(values, [&](int64_t value) { return value < limit; });
}

/// ConvTranspose is a convolution of an input with gaps; it reverses the taps
/// and swaps inputs and outputs. Empty if that does not fit.
static std::string writeAsTransposed(graph::ConvolutionOp conv,
                                     ExportBuilder &b, const Channels &c) {
  graph::ConvDimsAttr dims = conv.getDims();
  auto type = cast<RankedTensorType>(conv.getKernel().getType());
  if (!type.hasStaticShape() || anyAbove(conv.getStrides(), 1))
    return "";
  SmallVector<int64_t> begin, end, more, taps, axes;
  for (auto [index, dim] : llvm::enumerate(dims.getKernelSpatial())) {
    int64_t last = (type.getDimSize(dim) - 1) * conv.getKernelDilation()[index];
    begin.push_back(last - c.low[index]);
    end.push_back(last - c.high[index]);
    more.push_back(std::max<int64_t>(-end.back(), 0));
    end.back() = std::max<int64_t>(end.back(), 0);
    taps.push_back(type.getDimSize(dim));
    axes.push_back(index + 2);
    if (begin.back() < 0 || more.back() >= conv.getInputDilation()[index])
      return "";
  }
  int64_t groups = conv.getGroups(),
          outputs = type.getDimSize(dims.getKernelOutput()) / groups,
          inputs = type.getDimSize(dims.getKernelInput());
  auto shaped = [&](ArrayRef<int64_t> front) {
    SmallVector<Size> shape;
    for (int64_t size : front)
      shape.push_back({size, ""});
    for (int64_t size : taps)
      shape.push_back({size, ""});
    return shape;
  };
  SmallVector<int64_t> order(taps.size() + 3);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[1], order[2]);
  std::string kernel = b.reshape(c.kernel, shaped({groups, outputs, inputs}));
  kernel =
      b.reshape(b.transpose(kernel, order), shaped({groups * inputs, outputs}));
  std::string minusOne = b.ints(SmallVector<int64_t>(taps.size(), -1)),
              start = b.ints(SmallVector<int64_t>(taps.size(), INT64_MIN));
  kernel = b.node("Slice", {kernel, minusOne, start, b.ints(axes), minusOne});
  begin.append(end);
  return b.node("ConvTranspose", {c.input, kernel},
                {makeInts("strides", conv.getInputDilation()),
                 makeInts("dilations", conv.getKernelDilation()),
                 makeInts("pads", begin), makeInts("output_padding", more),
                 makeInt("group", groups)});
}

/// Gaps and borders that Conv lacks, inserted into its input.
static void prepareInput(graph::ConvolutionOp conv, ExportBuilder &b,
                         Channels &c, mlir::Type element) {
  std::string zero = b.scalar(element, 0);
  for (auto [index, factor] : llvm::enumerate(conv.getInputDilation()))
    c.input = b.dilate(c.input, c.sizes, index + 2, factor, zero);
  if (!anyBelow(c.low, 0) && !anyBelow(c.high, 0))
    return;
  SmallVector<int64_t> pads = {0, 0};
  pads.append(c.low);
  pads.append({0, 0});
  pads.append(c.high);
  c.input = b.node("Pad", {c.input, b.ints(pads), zero});
  c.low.assign(c.low.size(), 0);
  c.high.assign(c.high.size(), 0);
}

static void writeConvolution(Operation *op, ExportBuilder &b,
                             const ExportRow &) {
  auto conv = cast<graph::ConvolutionOp>(op);
  graph::ConvDimsAttr dims = conv.getDims();
  if (dims.getInputSpatial().empty())
    return b.fail(unsupported("a convolution without spatial dimensions"));
  mlir::Type element = getElementTypeOrSelf(conv.getType());
  if (!isa<FloatType>(element))
    return b.fail(unsupported("a convolution of integers"));
  SmallVector<int64_t> order = channelsFirst(
      dims.getInputBatch(), dims.getInputFeature(), dims.getInputSpatial());
  Channels c;
  c.input = b.transpose(converted(b, conv.getInput(), element), order);
  c.kernel =
      b.transpose(converted(b, conv.getKernel(), element),
                  channelsFirst(dims.getKernelOutput(), dims.getKernelInput(),
                                dims.getKernelSpatial()));
  c.low.assign(conv.getLow().begin(), conv.getLow().end());
  c.high.assign(conv.getHigh().begin(), conv.getHigh().end());
  std::string result;
  if (anyAbove(conv.getInputDilation(), 1))
    result = writeAsTransposed(conv, b, c);
  if (result.empty()) {
    if (anyAbove(conv.getInputDilation(), 1) || anyBelow(c.low, 0) ||
        anyBelow(c.high, 0)) {
      for (int64_t dim : order)
        c.sizes.push_back(b.size(conv.getInput(), dim));
      prepareInput(conv, b, c, element);
    }
    SmallVector<int64_t> pads = c.low;
    pads.append(c.high);
    result =
        b.node("Conv", {c.input, c.kernel},
               {makeInts("strides", conv.getStrides()), makeInts("pads", pads),
                makeInts("dilations", conv.getKernelDilation()),
                makeInt("group", conv.getGroups())});
  }
  SmallVector<int64_t> back = channelsFirst(
      dims.getOutputBatch(), dims.getOutputFeature(), dims.getOutputSpatial());
  SmallVector<int64_t> inverse(back.size());
  for (auto [index, dim] : llvm::enumerate(back))
    inverse[dim] = index;
  b.bind(conv, b.transpose(result, inverse));
}

llvm::ArrayRef<ExportRow> zenith::onnx::contractionExports() {
  static const ExportRow rows[] = {
      {"graph.convolution", writeConvolution},
      {"graph.dot_general", writeDotGeneral},
  };
  return rows;
}
