// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Export rules of reductions: over dimensions, over windows (as pooling),
// running sums.
#include "frontends/onnx/ExportBuilder.h"

#include "mlir/IR/TypeUtilities.h"
#include <limits>
#include <numeric>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::ReduceKind;
using llvm::ArrayRef;
using llvm::SmallVector;

/// A fold of a kind over axes. Booleans and sums of narrow integers, which
/// wrap, travel in wider integers.
static std::string fold(ExportBuilder &b, ReduceKind kind, mlir::Type element,
                        const std::string &x, ArrayRef<int64_t> axes) {
  bool isBool = element.isInteger(1);
  bool isMax = kind == ReduceKind::max ||
               (isBool && (kind == ReduceKind::any || kind == ReduceKind::sum)),
       isMin =
           kind == ReduceKind::min ||
           (isBool && (kind == ReduceKind::all || kind == ReduceKind::prod)),
       isSum = kind == ReduceKind::sum, isProd = kind == ReduceKind::prod;
  if (!isMax && !isMin && !isSum && !isProd) {
    b.fail(unsupported("a bitwise reduction"));
    return x;
  }
  unsigned width = 0;
  if (isBool)
    width = 32; // ReduceMax and ReduceMin have no booleans before opset 20
  else if ((isSum || isProd) && element.isSignlessInteger() &&
           !element.isInteger(64))
    width = 64;
  const char *name = isMax   ? "ReduceMax"
                     : isMin ? "ReduceMin"
                     : isSum ? "ReduceSum"
                             : "ReduceProd";
  if (!width)
    return b.reduce(name, x, axes, /*keepDims=*/false);
  std::string wide = b.cast(x, IntegerType::get(element.getContext(), width));
  return b.cast(b.reduce(name, wide, axes, /*keepDims=*/false), element);
}

static void writeReduce(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto reduce = cast<graph::ReduceOp>(op);
  b.bind(reduce,
         fold(b, reduce.getKind(), getElementTypeOrSelf(reduce.getType()),
              b.name(reduce.getOperand()), reduce.getDims()));
}

static void writeArgReduce(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto reduce = cast<graph::ArgReduceOp>(op);
  std::string x = b.name(reduce.getOperand());
  if (getElementTypeOrSelf(reduce.getOperand().getType()).isInteger(1))
    x = b.cast(x, IntegerType::get(op->getContext(), 32));
  std::string result =
      b.node(reduce.getKind() == ReduceKind::max ? "ArgMax" : "ArgMin", {x},
             {makeInt("axis", reduce.getDim()), makeInt("keepdims", 0),
              makeInt("select_last_index", reduce.getLast())});
  mlir::Type element = getElementTypeOrSelf(reduce.getType());
  b.bind(reduce, element.isInteger(64) ? result : b.cast(result, element));
}

namespace {
/// A window over the last dimensions of [outer, 1, windowed...].
struct Pooling {
  SmallVector<int64_t> windowed,
      order; // order: other dimensions, then windowed ones
};
} // namespace

static bool movesOver(graph::ReduceWindowOp op, size_t dim) {
  return op.getWindow()[dim] != 1 || op.getStrides()[dim] != 1 ||
         op.getLow()[dim] != 0 || op.getHigh()[dim] != 0;
}

static SmallVector<int64_t> select(ArrayRef<int64_t> values,
                                   ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims, [&](int64_t dim) { return values[dim]; });
}

/// Pooling knows no dilation of sums before opset 19: a kernel of ones, for an
/// input of one feature.
static std::string sumByConv(graph::ReduceWindowOp op, ExportBuilder &b,
                             const std::string &x, ArrayRef<int64_t> window,
                             ExportBuilder::Attributes attributes) {
  SmallVector<int64_t> shape = {1, 1};
  shape.append(window.begin(), window.end());
  mlir::Type element = getElementTypeOrSelf(op.getType());
  auto type = RankedTensorType::get(shape, element);
  auto one = llvm::APFloat(1.0);
  bool inexact;
  one.convert(cast<FloatType>(element).getFloatSemantics(),
              llvm::APFloat::rmNearestTiesToEven, &inexact);
  return b.node("Conv", {x, b.constant(DenseElementsAttr::get(type, one))},
                std::move(attributes));
}

static std::string pool(graph::ReduceWindowOp op, ExportBuilder &b,
                        const std::string &x, ArrayRef<int64_t> windowed) {
  SmallVector<int64_t> window = select(op.getWindow(), windowed),
                       pads = select(op.getLow(), windowed);
  pads.append(select(op.getHigh(), windowed));
  ExportBuilder::Attributes attributes = {
      makeInts("kernel_shape", window),
      makeInts("strides", select(op.getStrides(), windowed)),
      makeInts("pads", pads)};
  SmallVector<int64_t> dilations = select(op.getDilation(), windowed);
  bool dilated =
      llvm::any_of(dilations, [](int64_t dilation) { return dilation != 1; });
  if (dilated)
    attributes.push_back(makeInts("dilations", dilations));
  if (op.getKind() == ReduceKind::max)
    return b.node("MaxPool", {x}, attributes);
  if (dilated && b.opset < 19)
    return sumByConv(op, b, x, window, attributes);
  attributes.push_back(makeInt("count_include_pad", 1));
  double taps = std::accumulate(window.begin(), window.end(), 1.0,
                                std::multiplies<double>());
  std::string mean = b.node("AveragePool", {x}, attributes);
  return b.node("Mul",
                {mean, b.scalar(getElementTypeOrSelf(op.getType()), taps)});
}

/// The neutral element of a fold, as a scalar constant; nothing for bitwise
/// ones.
static std::optional<std::string> neutralOf(ExportBuilder &b, ReduceKind kind,
                                            mlir::Type element) {
  bool isMax = kind == ReduceKind::max, isMin = kind == ReduceKind::min;
  if (kind == ReduceKind::sum || kind == ReduceKind::prod)
    return b.scalar(element, kind == ReduceKind::prod);
  if (!isMax && !isMin)
    return std::nullopt;
  double infinity = std::numeric_limits<double>::infinity();
  if (isa<FloatType>(element))
    return b.scalar(element, isMax ? -infinity : infinity);
  unsigned width = element.getIntOrFloatBitWidth();
  using llvm::APInt;
  APInt value =
      element.isUnsignedInteger() || width == 1
          ? (isMax ? APInt::getMinValue(width) : APInt::getMaxValue(width))
          : (isMax ? APInt::getSignedMinValue(width)
                   : APInt::getSignedMaxValue(width));
  return b.constant(
      DenseElementsAttr::get(RankedTensorType::get({}, element), value));
}

/// Elements that windows may have side by side in all.
static constexpr int64_t gatheredElements = int64_t(1) << 24;

/// Any fold: the elements of each window side by side, then a reduction.
static void writeByGathering(graph::ReduceWindowOp op, ExportBuilder &b,
                             ArrayRef<int64_t> windowed) {
  auto type = cast<RankedTensorType>(op.getType());
  mlir::Type element = type.getElementType();
  int64_t rank = type.getRank(), elements = 1;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (type.isDynamicDim(dim))
      return b.fail(unsupported("this fold over windows of a dynamic shape"));
    elements *= type.getDimSize(dim) * op.getWindow()[dim];
    if (elements > gatheredElements)
      return b.fail(unsupported("this fold over large windows"));
  }
  std::optional<std::string> neutral = neutralOf(b, op.getKind(), element);
  if (!neutral || element.isInteger(1))
    return b.fail(unsupported("this fold over windows"));
  std::string x = b.name(op.getOperand());
  SmallVector<int64_t> pads(op.getLow());
  pads.append(op.getHigh().begin(), op.getHigh().end());
  if (llvm::any_of(pads, [](int64_t pad) { return pad != 0; }))
    x = b.node("Pad", {x, b.ints(pads), *neutral});
  SmallVector<int64_t> axes;
  for (auto [number, dim] : llvm::enumerate(windowed))
    axes.push_back(dim + 1 + number);
  for (int64_t dim : llvm::reverse(windowed)) {
    int64_t count = type.getDimSize(dim), size = op.getWindow()[dim];
    SmallVector<int64_t> at;
    for (int64_t i = 0; i < count; ++i)
      for (int64_t k = 0; k < size; ++k)
        at.push_back(i * op.getStrides()[dim] + k * op.getDilation()[dim]);
    auto shape = RankedTensorType::get({count, size},
                                       IntegerType::get(op.getContext(), 64));
    x = b.node(
        "Gather",
        {x, b.constant(DenseElementsAttr::get(shape, ArrayRef<int64_t>(at)))},
        {makeInt("axis", dim)});
  }
  b.bind(op, fold(b, op.getKind(), element, x, axes));
}

/// Whether a pooling operator that runtimes have folds like this.
static bool isPooling(graph::ReduceWindowOp op) {
  mlir::Type element = getElementTypeOrSelf(op.getType());
  auto isNegative = [](int64_t pad) { return pad < 0; };
  if (llvm::any_of(op.getLow(), isNegative) ||
      llvm::any_of(op.getHigh(), isNegative))
    return false;
  return isa<FloatType>(element) &&
         (op.getKind() == ReduceKind::max ||
          (op.getKind() == ReduceKind::sum && !element.isF64()));
}

/// Pooling wants [batch, features, windowed...]; other windows are brought
/// there and back.
static void writeReduceWindow(Operation *op, ExportBuilder &b,
                              const ExportRow &) {
  auto reduce = cast<graph::ReduceWindowOp>(op);
  if (llvm::any_of(reduce.getBaseDilation(),
                   [](int64_t dilation) { return dilation != 1; }))
    return b.fail(unsupported("windows over a dilated value"));
  int64_t rank = reduce.getWindow().size();
  std::string x = b.name(reduce.getOperand());
  SmallVector<int64_t> others, windowed, spatial;
  for (int64_t dim = 0; dim < rank; ++dim)
    (movesOver(reduce, dim) ? windowed : others).push_back(dim);
  for (int64_t dim = 2; dim < rank; ++dim)
    spatial.push_back(dim);
  if (windowed.empty())
    return b.bind(reduce, x);
  if (!isPooling(reduce))
    return writeByGathering(reduce, b, windowed);
  bool byConv =
      reduce.getKind() == ReduceKind::sum && b.opset < 19 &&
      llvm::any_of(reduce.getDilation(), [](int64_t d) { return d != 1; });
  if (rank > 2 && windowed.front() >= 2 && !byConv)
    return b.bind(reduce, pool(reduce, b, x, spatial));
  SmallVector<int64_t> order(others), inverse(rank);
  order.append(windowed);
  for (auto [index, dim] : llvm::enumerate(order))
    inverse[dim] = index;
  SmallVector<Size> outer = llvm::map_to_vector(
      others, [&](int64_t dim) { return b.size(reduce.getOperand(), dim); });
  SmallVector<Size> flat = {b.product(outer), Size{1, ""}};
  for (int64_t dim : windowed)
    flat.push_back(b.size(reduce.getOperand(), dim));
  std::string result =
      pool(reduce, b, b.reshape(b.transpose(x, order), flat), windowed);
  b.bind(reduce, result); // for the sizes of the windowed dimensions, whose
                          // types are known
  auto type = cast<RankedTensorType>(reduce.getType());
  for (int64_t dim : windowed) {
    if (type.isDynamicDim(dim))
      return b.fail(
          unsupported("windows over a dynamic dimension in front of others"));
    outer.push_back({type.getDimSize(dim), ""});
  }
  b.bind(reduce, b.transpose(b.reshape(result, outer), inverse));
}

/// A Scan that carries what is folded so far.
static void writeRunningFold(graph::CumulativeOp op, ExportBuilder &b,
                             const std::string &x) {
  auto type = cast<RankedTensorType>(op.getType());
  auto neutral = neutralOf(b, op.getKind(), type.getElementType());
  if (!neutral)
    return b.fail(unsupported("this running fold"));
  const char *fold = op.getKind() == ReduceKind::prod  ? "Mul"
                     : op.getKind() == ReduceKind::max ? "Max"
                                                       : "Min";
  int64_t dim = op.getDim();
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + dim);
  auto slice = RankedTensorType::get(shape, type.getElementType());
  SmallVector<Size> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (i != dim)
      sizes.push_back(b.size(op.getOperand(), i));
  std::string name = b.nodeName,
              start = b.node("Expand", {*neutral, b.shape(sizes)});
  Graph body = b.subgraph(
      "fold", {slice, slice}, [&](Graph &graph) -> ExportBuilder::Names {
        graph.inputs.push_back(b.declare(b.fresh("so_far"), slice));
        graph.inputs.push_back(b.declare(b.fresh("next"), slice));
        std::string before = graph.inputs[0].name,
                    after = b.node(fold, {before, graph.inputs[1].name});
        return {after, op.getExclusive() ? before : after};
      });
  b.nodeName = name;
  auto list = [&](const char *key, int64_t value) {
    return makeInts(key, {value});
  };
  auto results = b.nodes(
      "Scan", {start, x},
      {makeGraph("body", std::move(body)), makeInt("num_scan_inputs", 1),
       list("scan_input_axes", dim), list("scan_output_axes", dim),
       list("scan_input_directions", op.getReverse()),
       list("scan_output_directions", op.getReverse())},
      2);
  b.bind(op, results[1]);
}

static void writeCumulative(Operation *op, ExportBuilder &b,
                            const ExportRow &) {
  auto cumulative = cast<graph::CumulativeOp>(op);
  std::string x = b.name(cumulative.getOperand());
  if (cumulative.getKind() != ReduceKind::sum)
    return writeRunningFold(cumulative, b, x);
  b.bind(cumulative, b.node("CumSum", {x, b.intScalar(cumulative.getDim())},
                            {makeInt("exclusive", cumulative.getExclusive()),
                             makeInt("reverse", cumulative.getReverse())}));
}

llvm::ArrayRef<ExportRow> zenith::onnx::reductionExports() {
  static const ExportRow rows[] = {
      {"graph.arg_reduce", writeArgReduce},
      {"graph.cumulative", writeCumulative},
      {"graph.reduce", writeReduce},
      {"graph.reduce_window", writeReduceWindow},
  };
  return rows;
}
