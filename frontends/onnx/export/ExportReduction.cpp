// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Export rules of reductions: over dimensions, over windows (as pooling), and
// scans.
#include "frontends/onnx/export/RegionReductionExport.h"

#include "mlir/IR/TypeUtilities.h"
#include <limits>
#include <numeric>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::ReduceKind;
using llvm::ArrayRef;
using llvm::SmallVector;

/// A reduction over axes that is not bitwise. Booleans and sums of narrow
/// integers, which wrap, are computed in wider integers.
static std::string reduceAxes(ExportBuilder &b, ReduceKind kind,
                              mlir::Type element, const std::string &x,
                              ArrayRef<int64_t> axes) {
  bool isBool = element.isInteger(1);
  bool isMax = kind == ReduceKind::max ||
               (isBool && (kind == ReduceKind::any || kind == ReduceKind::sum)),
       isMin =
           kind == ReduceKind::min ||
           (isBool && (kind == ReduceKind::all || kind == ReduceKind::prod)),
       isSum = kind == ReduceKind::sum, isProd = kind == ReduceKind::prod;
  unsigned width = 0;
  if (isBool)
    width = 32; // ReduceMax and ReduceMin have no booleans before opset 20
  else if ((isSum || isProd) && element.isInteger() &&
           element.getIntOrFloatBitWidth() < 64)
    width = 64; // no narrow integers; the overflow is cut off afterwards
  const char *name = isMax   ? "ReduceMax"
                     : isMin ? "ReduceMin"
                     : isSum ? "ReduceSum"
                             : "ReduceProd";
  if (!width)
    return b.reduce(name, x, axes, /*keepDims=*/false);
  mlir::Type wide = IntegerType::get(element.getContext(), width);
  std::string result = b.reduce(name, b.cast(x, wide), axes,
                                /*keepDims=*/false);
  // The largest of no elements is the smallest integer, which is not 0.
  return isBool ? b.node("Greater", {result, b.scalar(wide, 0)})
                : b.cast(result, element);
}

/// Bit by bit, by the steps of a Scan.
static void writeBitwise(graph::ReduceOp op, ExportBuilder &b) {
  auto type = cast<RankedTensorType>(op.getType());
  mlir::Type element = type.getElementType();
  bool isBool = element.isInteger(1);
  if (!type.hasStaticShape() || (!isBool && b.opset < 18))
    return b.fail(unsupported("this bitwise reduction"));
  std::string name = op.getKind() == ReduceKind::all   ? "And"
                     : op.getKind() == ReduceKind::any ? "Or"
                                                       : "Xor";
  double neutral = op.getKind() == ReduceKind::all ? -1 : 0;
  std::string start =
      b.node("Expand", {b.scalar(element, neutral), b.ints(type.getShape())});
  std::string first = reducedDimsFirst(b, b.name(op.getOperand()),
                                       b.sizes(op.getOperand()), op.getDims());
  b.bind(op, reduceSteps(
                 b, type, {start}, {first},
                 [&](ArrayRef<std::string> soFar, ArrayRef<std::string> next) {
                   return ExportBuilder::Names{b.node(
                       (isBool ? "" : "Bitwise") + name, {soFar[0], next[0]})};
                 })[0]);
}

/// True if a NaN shows anyway: the largest element is subtracted from all
/// elements before an exponential, as softmax does.
static bool isShift(Operation *op, Value operand) {
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    // JAX bounds the largest element by -inf before it broadcasts it.
    if (isa<graph::BroadcastOp, graph::MaxOp>(user))
      return isShift(user, operand);
    return isa<graph::SubOp>(user) && user->getOperand(0) == operand &&
           llvm::all_of(user->getUsers(), [](Operation *next) {
             return isa<graph::ExpOp>(next);
           });
  });
}

/// Runtimes differ in whether ReduceMax and ReduceMin propagate NaN. The sum of
/// all NaN is added: it is 0 if there is none.
static std::string addNaN(graph::ReduceOp op, ExportBuilder &b,
                          const std::string &x, const std::string &result) {
  std::string zero = b.scalar(getElementTypeOrSelf(op.getType()), 0),
              onlyNaN = b.node("Where", {b.node("IsNaN", {x}), x, zero});
  return b.node("Add", {result, b.reduce("ReduceSum", onlyNaN, op.getDims(),
                                         /*keepDims=*/false)});
}

static void writeReduce(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto reduce = cast<graph::ReduceOp>(op);
  mlir::Type element = getElementTypeOrSelf(reduce.getType());
  ReduceKind kind = reduce.getKind();
  bool isOrder = kind == ReduceKind::max || kind == ReduceKind::min,
       isLogic = kind == ReduceKind::any || kind == ReduceKind::all;
  if (!isOrder && kind != ReduceKind::sum && kind != ReduceKind::prod &&
      !(isLogic && element.isInteger(1)))
    return writeBitwise(reduce, b);
  std::string x = b.name(reduce.getOperand());
  std::string result = reduceAxes(b, kind, element, x, reduce.getDims());
  if (isOrder && isa<FloatType>(element) &&
      !isShift(reduce, reduce.getOperand()))
    result = addNaN(reduce, b, x, result);
  b.bind(reduce, result);
}

/// If any element is NaN, search the NaN mask instead, so that the first NaN is
/// found: runtimes skip NaN in ArgMax.
static std::string preferNaN(graph::ArgReduceOp op, ExportBuilder &b,
                             const std::string &x) {
  MLIRContext *context = op.getContext();
  bool isMax = op.getKind() == ReduceKind::max;
  std::string isNaN = b.node("IsNaN", {x});
  std::string any =
      b.reduce("ReduceMax", b.cast(isNaN, IntegerType::get(context, 32)),
               {int64_t(op.getDim())}, /*keepDims=*/true);
  std::string key = b.cast(isMax ? isNaN : b.node("Not", {isNaN}),
                           getElementTypeOrSelf(op.getOperand().getType()));
  return b.node("Where", {b.cast(any, IntegerType::get(context, 1)), key, x});
}

static void writeArgReduce(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto reduce = cast<graph::ArgReduceOp>(op);
  std::string x = b.name(reduce.getOperand());
  mlir::Type compared = getElementTypeOrSelf(reduce.getOperand().getType());
  if (compared.isInteger(1))
    x = b.cast(x, IntegerType::get(op->getContext(), 32));
  else if (isa<FloatType>(compared))
    x = preferNaN(reduce, b, x);
  std::string result =
      b.node(reduce.getKind() == ReduceKind::max ? "ArgMax" : "ArgMin", {x},
             {makeInt("axis", reduce.getDim()), makeInt("keepdims", 0),
              makeInt("select_last_index", reduce.getLast())});
  mlir::Type element = getElementTypeOrSelf(reduce.getType());
  b.bind(reduce, element.isInteger(64) ? result : b.cast(result, element));
}

static SmallVector<int64_t> select(ArrayRef<int64_t> values,
                                   ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims, [&](int64_t dim) { return values[dim]; });
}

/// Sum pooling has no dilation before opset 19: a convolution with a filter of
/// ones replaces it, for an input of one feature.
static std::string sumByConv(graph::ReduceWindowOp op, ExportBuilder &b,
                             const std::string &x, ArrayRef<int64_t> window,
                             ExportBuilder::Attributes attributes) {
  SmallVector<int64_t> shape = {1, 1};
  shape.append(window.begin(), window.end());
  mlir::Type element = getElementTypeOrSelf(op.getType());
  auto type = RankedTensorType::get(shape, element);
  llvm::APFloat one = mlir::FloatAttr::get(element, 1).getValue();
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

/// The neutral element of a reduction, as a scalar constant; nothing for
/// bitwise ones.
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

/// Any reduction: the elements of each window in dimensions of their own, then
/// a reduction over these dimensions.
static void writeSideBySide(graph::ReduceWindowOp op, ExportBuilder &b) {
  mlir::Type element = getElementTypeOrSelf(op.getType());
  std::optional<std::string> neutral = neutralOf(b, op.getKind(), element);
  if (!neutral || element.isInteger(1))
    return b.fail(unsupported("this reduction over windows"));
  Windows windows = windowsOf(op, op.getType());
  std::string apart = sideBySide(b, windows, op.getOperand(), *neutral);
  b.bind(op,
         reduceAxes(b, op.getKind(), element, apart, sideBySideDims(windows)));
}

/// Whether runtimes have a pooling operator for this reduction.
static bool isPooling(graph::ReduceWindowOp op) {
  mlir::Type element = getElementTypeOrSelf(op.getType());
  auto isNegative = [](int64_t pad) { return pad < 0; };
  auto isGap = [](int64_t dilation) { return dilation != 1; };
  if (llvm::any_of(op.getLow(), isNegative) ||
      llvm::any_of(op.getHigh(), isNegative) ||
      llvm::any_of(op.getBaseDilation(), isGap))
    return false;
  return isa<FloatType>(element) &&
         (op.getKind() == ReduceKind::max ||
          (op.getKind() == ReduceKind::sum && !element.isF64()));
}

/// Pooling takes [batch, features, windowed...]; other operands are transposed
/// to that order and back.
static void writeReduceWindow(Operation *op, ExportBuilder &b,
                              const ExportRow &) {
  auto reduce = cast<graph::ReduceWindowOp>(op);
  int64_t rank = reduce.getWindow().size();
  std::string x = b.name(reduce.getOperand());
  SmallVector<int64_t> windowed =
                           windowedDims(windowsOf(reduce, reduce.getType())),
                       others, spatial;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(windowed, dim))
      others.push_back(dim);
  for (int64_t dim = 2; dim < rank; ++dim)
    spatial.push_back(dim);
  if (windowed.empty())
    return b.bind(reduce, x);
  if (!isPooling(reduce))
    return writeSideBySide(reduce, b);
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

/// A scan as an ONNX Scan whose state is the reduction so far.
static void writeScan(graph::CumulativeOp op, ExportBuilder &b,
                      const std::string &x) {
  auto type = cast<RankedTensorType>(op.getType());
  auto neutral = neutralOf(b, op.getKind(), type.getElementType());
  if (!neutral)
    return b.fail(unsupported("this scan"));
  const char *combine = op.getKind() == ReduceKind::prod  ? "Mul"
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
                    after = b.node(combine, {before, graph.inputs[1].name});
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
    return writeScan(cumulative, b, x);
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
