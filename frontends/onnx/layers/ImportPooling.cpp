// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of pooling: windows that move over the spatial dimensions, or
// span them.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/NodeReading.h"
#include "frontends/onnx/import/SampleReading.h"
#include "frontends/onnx/layers/WindowReading.h"

#include <cmath>
#include <fmt/format.h>
#include <numeric>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using llvm::ArrayRef;
using llvm::SmallVector;

/// The root of the sum of powers of a window's elements; summed in f32 or
/// wider.
static Value lpNorm(NodeReading &n, double p,
                    llvm::function_ref<Value(Value)> sum) {
  ImportBuilder &b = n.b;
  Type element = n.elementType(0);
  bool isNarrow = element.getIntOrFloatBitWidth() < 32;
  Value x = n.input(0);
  if (isNarrow)
    x = b.convert(x, b.builder.getF32Type());
  Value terms = p == 2   ? b.binary<graph::MulOp>(x, x)
                : p == 1 ? b.unary<graph::AbsOp>(x)
                         : b.binary<graph::PowOp>(b.unary<graph::AbsOp>(x), p);
  Value root = sum(terms);
  if (p == 2)
    root = b.unary<graph::SqrtOp>(root);
  else if (p != 1)
    root = b.binary<graph::PowOp>(root, 1 / p);
  return b.convert(root, element);
}

/// The order of the norm: a float at opset 1, an integer since.
static std::optional<double> readOrder(NodeReading &n) {
  double p =
      n.version < 2 ? n.floatAttribute("p", 2) : double(n.intAttribute("p", 2));
  if (!isa<FloatType>(n.elementType(0)))
    n.fail(invalid(fmt::format("{} needs floats", n.node.op)));
  else if (!(p > 0))
    n.fail(invalid(fmt::format("attribute 'p' is {}", p)));
  return n.failed() ? std::nullopt : std::optional(p);
}

static void importLpPool(NodeReading &n) {
  auto window = poolingWindow(n);
  auto p = readOrder(n);
  if (window && p)
    n.result(lpNorm(n, *p, [&](Value terms) {
      return reduceWindow(n, graph::ReduceKind::sum, terms, *window);
    }));
}

/// How many elements each window counts, by position along one dimension:
/// elements of the input and, if `padded`, of the padding that the node asks
/// for (not of the padding that ceil_mode adds after it).
static SmallVector<double> countsAlong(const Window &window, size_t i,
                                       int64_t size, bool padded,
                                       int64_t askedHigh) {
  SmallVector<double> counts;
  int64_t outputs = *window.outputDims[i].constant(),
          taps = *window.size[i].constant();
  int64_t begin = padded ? 0 : window.low[i],
          end = window.low[i] + size + (padded ? askedHigh : 0);
  for (int64_t output = 0; output < outputs; ++output) {
    int64_t count = 0;
    for (int64_t tap = 0; tap < taps; ++tap) {
      int64_t position = output * window.strides[i] + tap * window.dilations[i];
      count += begin <= position && position < end;
    }
    counts.push_back(count);
  }
  return counts;
}

/// Divisors as data of shape [1, 1, spatial...]: an outer product of the counts
/// along each dimension.
static Value windowCounts(NodeReading &n, const Window &window,
                          ArrayRef<int64_t> spatial, bool padded) {
  size_t count = spatial.size();
  SmallVector<int64_t> pads =
      n.intsAttribute("pads", SmallVector<int64_t>(2 * count, 0));
  bool explicitPads = pads.size() == 2 * count;
  SmallVector<double> counts = {1};
  SmallVector<int64_t> shape = {1, 1};
  for (size_t i = 0; i < count; ++i) {
    auto along = countsAlong(window, i, spatial[i], padded,
                             explicitPads ? pads[count + i] : window.high[i]);
    SmallVector<double> joined;
    for (double outer : counts)
      for (double inner : along)
        joined.push_back(outer * inner);
    counts = std::move(joined);
    shape.push_back(along.size());
  }
  SmallVector<llvm::APFloat> values;
  Type element = n.elementType(0);
  for (double value : counts)
    values.push_back(FloatAttr::get(element, value).getValue());
  return n.b.constant(
      DenseElementsAttr::get(RankedTensorType::get(shape, element), values));
}

/// The same by the position of each window: where it begins and ends, cut to
/// what counts.
static Value openCounts(NodeReading &n, const Window &window,
                        const DimVector &spatial, ArrayRef<int64_t> askedHigh) {
  ImportBuilder &b = n.b;
  bool padded = !askedHigh.empty();
  Type element = n.elementType(0), wide = wideFloat(b, element);
  Value counts;
  for (size_t i = 0; i < spatial.size(); ++i) {
    DimExpr begin = window.addedLow[i] + DimExpr(padded ? 0 : window.low[i]),
            end = window.lowPadding(i) + spatial[i] +
                  DimExpr(padded ? askedHigh[i] : 0);
    Value first = b.binary<graph::MulOp>(
        b.iota(0, {window.outputDims[i]}, b.builder.getI64Type()),
        double(window.strides[i]));
    Value last = b.binary<graph::MinOp>(
        b.binary<graph::AddOp>(first, b.scalar(window.size[i])), b.scalar(end));
    Value count = b.binary<graph::MaxOp>(
        b.binary<graph::SubOp>(last,
                               b.binary<graph::MaxOp>(first, b.scalar(begin))),
        0.0);
    DimVector dims(spatial.size() + 2, DimExpr(1));
    dims[2 + i] = window.outputDims[i];
    Value along = b.reshape(b.convert(count, wide), dims);
    counts = counts ? b.binary<graph::MulOp>(counts, along) : along;
  }
  return b.convert(counts, element);
}

/// The same, for windows with gaps by pooling ones: of the input and, if
/// `padded`, of the padding that the node asks for.
static Value countedElements(NodeReading &n, Window window,
                             const DimVector &spatial, bool padded) {
  bool isDense = llvm::all_of(window.dilations,
                              [](int64_t dilation) { return dilation == 1; });
  if (isDense) {
    SmallVector<int64_t> pads =
        n.intsAttribute("pads", SmallVector<int64_t>(2 * spatial.size(), 0));
    return openCounts(n, window, spatial,
                      ArrayRef(pads).take_back(padded ? spatial.size() : 0));
  }
  DimVector dims = {DimExpr(1), DimExpr(1)};
  dims.append(spatial);
  if (padded) {
    SmallVector<int64_t> pads =
        n.intsAttribute("pads", SmallVector<int64_t>(2 * spatial.size(), 0));
    for (size_t i = 0; i < spatial.size(); ++i) {
      int64_t high = pads[spatial.size() + i];
      dims[2 + i] = dims[2 + i] + DimExpr(window.low[i] + high);
      window.low[i] = 0;
      window.high[i] -= high;
    }
  }
  return reduceWindow(n, graph::ReduceKind::sum,
                      n.b.filled(dims, n.elementType(0), 1), window);
}

static void importAveragePool(NodeReading &n) {
  auto window = poolingWindow(n);
  if (!window)
    return;
  if (!isa<FloatType>(n.elementType(0)))
    return n.fail(invalid("AveragePool needs floats"));
  Value sum = reduceWindow(n, graph::ReduceKind::sum, n.input(0), *window);
  bool padded = n.intAttribute("count_include_pad", 0) != 0;
  bool hasPadding =
      window->addsPadding() ||
      llvm::any_of(window->low, [](int64_t pad) { return pad != 0; }) ||
      llvm::any_of(window->high, [](int64_t pad) { return pad != 0; });
  if (!hasPadding || (padded && !n.intAttribute("ceil_mode", 0))) {
    SmallVector<int64_t> size = constantSize(*window);
    double taps = std::accumulate(size.begin(), size.end(), 1.0,
                                  std::multiplies<double>());
    return n.result(n.b.binary<graph::DivOp>(sum, taps));
  }
  DimVector dims = n.dims(0), spatialDims(dims.begin() + 2, dims.end());
  constexpr int64_t maxCounts = 1 << 20;
  bool isStatic = llvm::all_of(spatialDims, [](const DimExpr &dim) {
    return dim.constant().has_value();
  });
  auto outputs = n.b.product(window->outputDims).constant();
  if (isStatic && outputs && *outputs <= maxCounts) {
    SmallVector<int64_t> spatial;
    for (const DimExpr &dim : spatialDims)
      spatial.push_back(*dim.constant());
    return n.result(n.b.binary<graph::DivOp>(
        sum, windowCounts(n, *window, spatial, padded)));
  }
  n.result(n.b.binary<graph::DivOp>(
      sum, countedElements(n, *window, spatialDims, padded)));
}

static SmallVector<int64_t> spatialDims(NodeReading &n) {
  SmallVector<int64_t> result;
  for (int64_t i = 2; i < n.rank(0); ++i)
    result.push_back(i);
  return result;
}

static void importGlobalMaxPool(NodeReading &n) {
  n.result(
      n.b.reduce(graph::ReduceKind::max, n.input(0), spatialDims(n), true));
}

static void importGlobalLpPool(NodeReading &n) {
  if (auto p = readOrder(n))
    n.result(lpNorm(n, *p, [&](Value terms) {
      return n.b.reduce(graph::ReduceKind::sum, terms, spatialDims(n), true);
    }));
}

static void importGlobalAveragePool(NodeReading &n) {
  n.result(n.b.mean(n.input(0), spatialDims(n), true));
}

/// x / (bias + alpha / size * sum of squares of `size` neighbouring features) ^
/// beta
static void importLRN(NodeReading &n) {
  int64_t size = n.intAttribute("size", 0), rank = n.rank(0);
  if (size < 1 || size >= int64_t(1) << 31 || rank < 2)
    return n.fail(
        invalid("LRN needs a positive size and an input of rank 2 or more"));
  SmallVector<int64_t> ones(rank, 1), low(rank, 0), high(rank, 0),
      window(rank, 1);
  window[1] = size;
  low[1] = (size - 1) / 2;
  high[1] = size - 1 - low[1];
  Value x = n.input(0);
  Value squares = n.b.emit<graph::ReduceWindowOp>(
      x.getType(), graph::ReduceKind::sum, n.b.binary<graph::MulOp>(x, x),
      window, ones, low, high, ones, ones);
  Value scaled = n.b.binary<graph::MulOp>(
      squares, n.floatAttribute("alpha", 0.0001f) / double(size));
  Value base = n.b.binary<graph::AddOp>(scaled, n.floatAttribute("bias", 1));
  n.result(n.b.binary<graph::DivOp>(
      x, n.b.binary<graph::PowOp>(base, n.floatAttribute("beta", 0.75))));
}

llvm::ArrayRef<OpRow> zenith::onnx::poolingRows() {
  static constexpr OpRow rows[] = {
      {"AveragePool", 1, newest, 1, 1, importAveragePool},
      {"GlobalAveragePool", 1, newest, 1, 1, importGlobalAveragePool},
      {"GlobalLpPool", 1, newest, 1, 1, importGlobalLpPool},
      {"GlobalMaxPool", 1, newest, 1, 1, importGlobalMaxPool},
      {"LRN", 1, newest, 1, 1, importLRN},
      {"LpPool", 1, newest, 1, 1, importLpPool},
  };
  return rows;
}
