// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns explicit, SAME and VALID padding and ceil_mode into counts of padded
// elements at both ends.
#include "frontends/onnx/layers/WindowReading.h"

#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using llvm::ArrayRef;
using llvm::SmallVector;

SmallVector<int64_t> zenith::onnx::positiveAttribute(NodeReading &n,
                                                     const char *name,
                                                     size_t count) {
  SmallVector<int64_t> values =
      n.intsAttribute(name, SmallVector<int64_t>(count, 1));
  constexpr int64_t limit = int64_t(1)
                            << 31; // keeps the products below within 64 bits
  bool good =
      values.size() == count && llvm::all_of(values, [&](int64_t value) {
        return value > 0 && value < limit;
      });
  if (!good)
    n.fail(invalid(
        fmt::format("attribute '{}' needs {} positive entries", name, count)));
  values.resize(count, 1);
  return values;
}

/// Total padding of SAME: outputs = ceil(input / stride).
static int64_t samePadding(NodeReading &n, const Window &window, size_t index,
                           const DimExpr &input) {
  int64_t stride = window.strides[index],
          reach = (window.size[index] - 1) * window.dilations[index] + 1;
  if (auto size = input.constant()) {
    int64_t outputs = (*size + stride - 1) / stride;
    return std::max<int64_t>((outputs - 1) * stride + reach - *size, 0);
  }
  if (stride == 1)
    return reach - 1;
  n.fail(unsupported(fmt::format("auto_pad with stride {} over dimension '{}'",
                                 stride, input.str())));
  return 0;
}

static void readPadding(NodeReading &n, Window &window,
                        ArrayRef<DimExpr> spatialDims) {
  size_t count = spatialDims.size();
  std::string automatic = n.stringAttribute("auto_pad", "NOTSET");
  window.low.assign(count, 0);
  window.high.assign(count, 0);
  if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
    for (size_t i = 0; i < count; ++i) {
      int64_t total = samePadding(n, window, i, spatialDims[i]);
      int64_t smaller = total / 2;
      window.low[i] = automatic == "SAME_UPPER" ? smaller : total - smaller;
      window.high[i] = total - window.low[i];
    }
  } else if (automatic == "NOTSET" || automatic.empty()) {
    SmallVector<int64_t> pads =
        n.intsAttribute("pads", SmallVector<int64_t>(2 * count, 0));
    constexpr int64_t limit = int64_t(1) << 31;
    if (pads.size() != 2 * count || llvm::any_of(pads, [&](int64_t pad) {
          return pad < 0 || pad >= limit;
        }))
      return n.fail(invalid(
          fmt::format("attribute 'pads' needs {} entries that are not negative",
                      2 * count)));
    window.low.assign(pads.begin(), pads.begin() + count);
    window.high.assign(pads.begin() + count, pads.end());
  } else if (automatic != "VALID") {
    n.fail(invalid(fmt::format("attribute 'auto_pad' is '{}'", automatic)));
  }
}

Window zenith::onnx::readWindow(NodeReading &n, ArrayRef<int64_t> size,
                                ArrayRef<DimExpr> spatialDims) {
  Window window;
  size_t count = spatialDims.size();
  window.size.assign(size.begin(), size.end());
  if (size.size() != count || llvm::any_of(size, [](int64_t value) {
        return value < 1 || value >= int64_t(1) << 31;
      })) {
    n.fail(invalid(fmt::format("the window needs {} positive sizes", count)));
    return window;
  }
  window.strides = positiveAttribute(n, "strides", count);
  window.dilations = positiveAttribute(n, "dilations", count);
  readPadding(n, window, spatialDims);
  if (n.failed())
    return window;
  bool roundUp = n.intAttribute("ceil_mode", 0) != 0;
  for (size_t i = 0; i < count; ++i) {
    int64_t stride = window.strides[i],
            reach = (window.size[i] - 1) * window.dilations[i] + 1;
    DimExpr padded =
        spatialDims[i] + DimExpr(window.low[i] + window.high[i] - reach);
    if (auto rest = padded.constant(); rest && *rest < 0) {
      n.fail(invalid(
          fmt::format("the window reaches over {} elements where there are {}",
                      reach, *rest + reach)));
      return window;
    }
    if (roundUp && stride > 1) {
      auto rest = padded.constant();
      if (!rest) {
        n.fail(unsupported(fmt::format("ceil_mode over dimension '{}'",
                                       spatialDims[i].str())));
        return window;
      }
      int64_t outputs = (*rest + stride - 1) / stride + 1;
      // A window that would begin after the input and its low padding does not
      // count.
      int64_t input = *rest + reach - window.high[i];
      if ((outputs - 1) * stride >= input)
        --outputs;
      window.high[i] += std::max<int64_t>((outputs - 1) * stride - *rest, 0);
      window.outputDims.push_back(DimExpr(outputs));
      continue;
    }
    window.outputDims.push_back(DimExpr::floorDiv(padded, DimExpr(stride)) +
                                DimExpr(1));
  }
  return window;
}

Value zenith::onnx::reduceWindow(NodeReading &n, graph::ReduceKind kind,
                                 Value value, const Window &window) {
  auto withOuter = [](ArrayRef<int64_t> spatial, int64_t outer) {
    SmallVector<int64_t> result = {outer, outer};
    result.append(spatial.begin(), spatial.end());
    return result;
  };
  DimVector dims = n.b.dims(value), result(dims.begin(), dims.begin() + 2);
  result.append(window.outputDims.begin(), window.outputDims.end());
  SmallVector<int64_t> ones(dims.size(), 1);
  return n.b.emit<graph::ReduceWindowOp>(
      n.b.typeOf(result, getElementTypeOrSelf(value.getType())), kind, value,
      withOuter(window.size, 1), withOuter(window.strides, 1),
      withOuter(window.low, 0), withOuter(window.high, 0), ones,
      withOuter(window.dilations, 1));
}

std::optional<Window> zenith::onnx::poolingWindow(NodeReading &n) {
  int64_t rank = n.rank(0);
  if (rank < 3) {
    n.fail(invalid(
        fmt::format("pooling needs an input of rank 3 or more, not {}", rank)));
    return std::nullopt;
  }
  SmallVector<int64_t> size = n.intsAttribute("kernel_shape");
  DimVector dims = n.dims(0);
  Window window = readWindow(n, size, ArrayRef(dims).drop_front(2));
  return n.failed() ? std::nullopt : std::optional(window);
}
