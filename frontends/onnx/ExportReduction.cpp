// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Export rules of reductions: over dimensions, over windows (as pooling),
// running sums.
#include "frontends/onnx/ExportBuilder.h"

#include "mlir/IR/TypeUtilities.h"
#include <numeric>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::ReduceKind;
using llvm::ArrayRef;
using llvm::SmallVector;

static void writeReduce(Operation *op, ExportBuilder &b, const ExportRow &) {
  auto reduce = cast<graph::ReduceOp>(op);
  std::string x = b.name(reduce.getOperand());
  mlir::Type element = getElementTypeOrSelf(reduce.getType());
  bool isBool = element.isInteger(1);
  auto fold = [&](const char *name) {
    return b.reduce(name, x, reduce.getDims(), /*keepDims=*/false);
  };
  switch (reduce.getKind()) {
  case ReduceKind::sum:
    return b.bind(reduce, fold("ReduceSum"));
  case ReduceKind::prod:
    return b.bind(reduce, fold("ReduceProd"));
  default:
    break;
  }
  bool isMax = reduce.getKind() == ReduceKind::max ||
               (isBool && reduce.getKind() == ReduceKind::any);
  bool isMin = reduce.getKind() == ReduceKind::min ||
               (isBool && reduce.getKind() == ReduceKind::all);
  if (!isMax && !isMin)
    return b.fail(unsupported("a bitwise reduction"));
  // ReduceMax and ReduceMin have no booleans before opset 20.
  if (isBool)
    x = b.cast(x, IntegerType::get(op->getContext(), 32));
  std::string result = fold(isMax ? "ReduceMax" : "ReduceMin");
  b.bind(reduce, isBool ? b.cast(result, element) : result);
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
    b.fail(unsupported("a dilated sum over windows needs opset 19"));
  attributes.push_back(makeInt("count_include_pad", 1));
  double taps = std::accumulate(window.begin(), window.end(), 1.0,
                                std::multiplies<double>());
  std::string mean = b.node("AveragePool", {x}, attributes);
  return b.node("Mul",
                {mean, b.scalar(getElementTypeOrSelf(op.getType()), taps)});
}

/// Pooling wants [batch, features, windowed...]; other windows are brought
/// there and back.
static void writeReduceWindow(Operation *op, ExportBuilder &b,
                              const ExportRow &) {
  auto reduce = cast<graph::ReduceWindowOp>(op);
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(reduce.getType()));
  bool isPooling = reduce.getKind() == ReduceKind::max ||
                   (reduce.getKind() == ReduceKind::sum && isFloat);
  if (!isPooling ||
      llvm::any_of(reduce.getBaseDilation(),
                   [](int64_t dilation) { return dilation != 1; }))
    return b.fail(unsupported("this fold over windows"));
  if (llvm::any_of(reduce.getLow(), [](int64_t pad) { return pad < 0; }) ||
      llvm::any_of(reduce.getHigh(), [](int64_t pad) { return pad < 0; }))
    return b.fail(unsupported("windows with negative padding"));
  int64_t rank = reduce.getWindow().size();
  std::string x = b.name(reduce.getOperand());
  SmallVector<int64_t> others, windowed, spatial;
  for (int64_t dim = 0; dim < rank; ++dim)
    (movesOver(reduce, dim) ? windowed : others).push_back(dim);
  for (int64_t dim = 2; dim < rank; ++dim)
    spatial.push_back(dim);
  if (windowed.empty())
    return b.bind(reduce, x);
  if (rank > 2 && windowed.front() >= 2)
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

static void writeCumulative(Operation *op, ExportBuilder &b,
                            const ExportRow &) {
  auto cumulative = cast<graph::CumulativeOp>(op);
  if (cumulative.getKind() != ReduceKind::sum)
    return b.fail(unsupported("a running fold other than a sum"));
  std::string x = b.name(cumulative.getOperand());
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
