// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of MaxPool, whose second result gives the positions of maxima,
// and of MaxUnpool, which puts values back at them.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/NodeReading.h"
#include "frontends/onnx/layers/WindowReading.h"

#include <cmath>
#include <fmt/format.h>
#include <numeric>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using llvm::ArrayRef;
using llvm::SmallVector;

static Value padded(ImportBuilder &b, Value x, const Window &window) {
  DimVector low(2, DimExpr(0)), high(2, DimExpr(0));
  for (size_t i = 0; i < window.size.size(); ++i) {
    low.push_back(window.lowPadding(i));
    high.push_back(window.addedHigh[i] + DimExpr(window.high[i]));
  }
  return b.pad(x, lowestValue(b, getElementTypeOrSelf(x.getType())), low, high);
}

/// Input position of tap `t` of a window in each dimension.
static SmallVector<int64_t> tapPosition(const Window &window, int64_t t) {
  SmallVector<int64_t> sizes = constantSize(window), tap(sizes.size());
  for (size_t i = tap.size(); i-- > 0; t /= sizes[i])
    tap[i] = t % sizes[i];
  return tap;
}

/// The elements of all windows: [batch, features, outputs..., taps].
static Value windowElements(ImportBuilder &b, Value x, const Window &window,
                            int64_t taps) {
  Value wide = padded(b, x, window);
  DimVector outer = b.dims(x), one(outer.begin(), outer.begin() + 2);
  one.append(window.outputDims.begin(), window.outputDims.end());
  one.push_back(DimExpr(1));
  SmallVector<Value> parts;
  for (int64_t t = 0; t < taps; ++t) {
    SmallVector<int64_t> tap = tapPosition(window, t), strides = {1, 1};
    DimVector starts(2, DimExpr(0)), sizes(one.begin(), one.end() - 1);
    for (size_t i = 0; i < tap.size(); ++i) {
      starts.push_back(DimExpr(tap[i] * window.dilations[i]));
      strides.push_back(window.strides[i]);
    }
    parts.push_back(b.reshape(b.slice(wide, starts, sizes, strides), one));
  }
  return b.concat(one.size() - 1, parts);
}

/// Flat positions of elements in the whole input, given the tap of each window.
static Value flatPositions(NodeReading &n, Value taps, const Window &window,
                           bool columnMajor) {
  ImportBuilder &b = n.b;
  Type i64 = b.builder.getI64Type();
  DimVector dims = n.dims(0), at = b.dims(taps);
  size_t count = window.size.size();
  SmallVector<DimExpr> step(count, DimExpr(1));
  DimExpr area(1);
  for (size_t i = 0; i < count; ++i) {
    size_t dim = columnMajor ? i : count - 1 - i;
    step[dim] = area;
    area = b.product({area, dims[2 + dim]});
  }
  auto times = [&](Value value, const DimExpr &by) {
    return b.binary<graph::MulOp>(value, b.scalar(by));
  };
  Value feature = b.binary<graph::AddOp>(times(b.iota(0, at, i64), dims[1]),
                                         b.iota(1, at, i64));
  Value flat = times(feature, area);
  Value rest = taps;
  for (size_t i = count; i-- > 0;) {
    double size = *window.size[i].constant();
    Value tap = b.binary<graph::RemOp>(rest, size);
    rest = b.binary<graph::DivOp>(rest, size);
    Value position = b.binary<graph::AddOp>(
        times(b.iota(2 + i, at, i64), DimExpr(window.strides[i])),
        times(tap, DimExpr(window.dilations[i])));
    position = b.binary<graph::SubOp>(position, b.scalar(window.lowPadding(i)));
    flat = b.binary<graph::AddOp>(flat, times(position, step[i]));
  }
  return flat;
}

static void importMaxPool(NodeReading &n) {
  auto window = poolingWindow(n);
  if (!window)
    return;
  ImportBuilder &b = n.b;
  Value x = n.input(0);
  n.result(0, reduceWindow(n, graph::ReduceKind::max, x, *window));
  if (!n.wants(1))
    return;
  constexpr int64_t mostTaps = 1 << 10;
  int64_t taps = 1, order = n.intAttribute("storage_order", 0);
  for (int64_t size : constantSize(*window))
    taps = std::min(taps * size, mostTaps + 1);
  if (taps > mostTaps)
    return n.fail(unsupported("indices of maxima of such large windows"));
  if (order != 0 && order != 1)
    return n.fail(
        invalid(fmt::format("attribute 'storage_order' is {}", order)));
  Value elements = windowElements(b, x, *window, taps);
  DimVector at = b.dims(elements);
  at.pop_back();
  Value tap = b.emit<graph::ArgReduceOp>(b.typeOf(at, b.builder.getI64Type()),
                                         graph::ReduceKind::max, elements,
                                         int64_t(at.size()), /*last=*/false);
  n.result(1, flatPositions(n, tap, *window, order == 1));
}

/// The input sizes from which a pooling with this window gives the node's input
/// sizes.
static DimVector unpooledDims(NodeReading &n) {
  DimVector dims = n.dims(0);
  size_t count = dims.size() - 2;
  SmallVector<int64_t> size = n.intsAttribute("kernel_shape"),
                       strides = positiveAttribute(n, "strides", count),
                       pads = n.intsAttribute(
                           "pads", SmallVector<int64_t>(2 * count, 0));
  if (size.size() != count || pads.size() != 2 * count)
    n.fail(invalid("kernel_shape or pads do not fit the input"));
  for (size_t i = 0; i < count && !n.failed(); ++i)
    dims[2 + i] = (dims[2 + i] - DimExpr(1)) * DimExpr(strides[i]) +
                  DimExpr(size[i] - pads[i] - pads[count + i]);
  return dims;
}

static void importMaxUnpool(NodeReading &n) {
  ImportBuilder &b = n.b;
  if (n.rank(0) < 3 || n.rank(1) != n.rank(0) ||
      !n.elementType(1).isSignlessInteger(64))
    return n.fail(invalid(
        "MaxUnpool needs an input of rank 3 or more and i64 indices like it"));
  DimVector dims = unpooledDims(n), wanted = dims;
  if (n.failed())
    return;
  if (n.has(2)) {
    wanted = n.elements(2, "the output shape");
    if (!n.failed() && wanted.size() != dims.size())
      n.fail(invalid("the output shape has another rank"));
    if (n.failed())
      return;
  }
  DimExpr total = b.product(dims), count = b.product(n.dims(0));
  Value x = b.reshape(n.input(0), {count}),
        at = b.reshape(n.input(1), {count, DimExpr(1)});
  Type element = n.elementType(0);
  auto dimsAttr = graph::ScatterDimsAttr::get(b.builder.getContext(), {}, {0},
                                              {}, {}, {0}, 1);
  Value flat = b.emit<graph::ScatterOp>(
      b.typeOf({total}, element), graph::ScatterKind::set,
      b.filled({total}, element, 0), at, x, dimsAttr, /*unique=*/false);
  Value result = b.reshape(flat, dims);
  DimVector zeros(dims.size(), DimExpr(0)), high;
  for (auto [from, to] : llvm::zip(dims, wanted))
    high.push_back(to - from);
  if (high != zeros)
    result = b.pad(result, b.scalarConstant(element, 0), zeros, high);
  n.result(result);
}

llvm::ArrayRef<OpRow> zenith::onnx::maxPoolRows() {
  static constexpr OpRow rows[] = {
      {"MaxPool", 1, newest, 1, 1, importMaxPool},
      {"MaxUnpool", 9, newest, 2, 3, importMaxUnpool},
  };
  return rows;
}
