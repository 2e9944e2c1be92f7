// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns explicit, SAME and VALID padding and ceil_mode into counts of padded
// elements at both ends.
#include "frontends/onnx/layers/WindowReading.h"

#include <cmath>
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

DimVector zenith::onnx::kernelSize(NodeReading &n, const DimVector &kernel) {
  DimVector size(kernel.begin() + 2, kernel.end());
  SmallVector<int64_t> declared = n.intsAttribute("kernel_shape");
  if (declared.empty())
    return size;
  if (declared.size() != size.size())
    n.fail(invalid("kernel_shape is not the kernel's shape"));
  for (auto [tap, wanted] : llvm::zip(size, declared)) {
    n.b.requireEqual(tap, DimExpr(wanted), "sizes of the kernel");
    tap = DimExpr(wanted);
  }
  return size;
}

bool Window::addsPadding() const {
  auto any = [](const DimVector &counts) {
    return llvm::any_of(
        counts, [](const DimExpr &count) { return !count.isConstant(0); });
  };
  return any(addedLow) || any(addedHigh);
}

/// Total padding of SAME: outputs = ceil(input / stride).
static DimExpr samePadding(const Window &window, size_t i,
                           const DimExpr &input) {
  DimExpr stride(window.strides[i]), reach = window.reach(i);
  if (stride.isConstant(1))
    return reach - DimExpr(1);
  DimExpr outputs = DimExpr::ceilDiv(input, stride);
  return DimExpr::max((outputs - DimExpr(1)) * stride + reach - input, 0);
}

/// Half of the padding of SAME comes before the input; of an odd count the
/// larger part at the end that the attribute names.
static void addSamePadding(Window &window, size_t i, const DimExpr &input,
                           bool upper) {
  DimExpr total = samePadding(window, i, input),
          smaller = DimExpr::floorDiv(total, DimExpr(2));
  DimExpr low = upper ? smaller : total - smaller, high = total - low;
  bool isKnown = low.constant() && high.constant();
  window.low[i] = isKnown ? *low.constant() : 0;
  window.high[i] = isKnown ? *high.constant() : 0;
  window.addedLow[i] = isKnown ? DimExpr(0) : low;
  window.addedHigh[i] = isKnown ? DimExpr(0) : high;
}

static void readPadding(NodeReading &n, Window &window,
                        ArrayRef<DimExpr> spatialDims) {
  size_t count = spatialDims.size();
  std::string automatic = n.stringAttribute("auto_pad", "NOTSET");
  window.low.assign(count, 0);
  window.high.assign(count, 0);
  window.addedLow.assign(count, DimExpr(0));
  window.addedHigh.assign(count, DimExpr(0));
  if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
    for (size_t i = 0; i < count; ++i)
      addSamePadding(window, i, spatialDims[i], automatic == "SAME_UPPER");
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

/// With ceil_mode the last window may begin in the input and end after the
/// padding, which then grows. Gives the outputs.
static DimExpr roundUp(Window &window, size_t i, const DimExpr &rest,
                       const DimExpr &begins) {
  DimExpr stride(window.strides[i]);
  // Padding for any remainder, where it is too short for one more window: it
  // needs no size of the input.
  auto reach = window.reach(i).constant();
  if (!rest.constant() && reach && window.addedHigh[i].isConstant(0) &&
      window.high[i] + window.strides[i] <= *reach) {
    window.high[i] += window.strides[i] - 1;
    return DimExpr::floorDiv(rest + stride - DimExpr(1), stride) + DimExpr(1);
  }
  // A window that would begin after the input and its low padding does not
  // count.
  DimExpr last = DimExpr::min(DimExpr::ceilDiv(rest, stride),
                              DimExpr::floorDiv(begins - DimExpr(1), stride));
  DimExpr more = DimExpr::max(last * stride - rest, 0);
  if (auto count = more.constant())
    window.high[i] += *count;
  else
    window.addedHigh[i] = window.addedHigh[i] + more;
  return last + DimExpr(1);
}

Window zenith::onnx::readWindow(NodeReading &n, ArrayRef<DimExpr> size,
                                ArrayRef<DimExpr> spatialDims) {
  Window window;
  size_t count = spatialDims.size();
  window.size.assign(size.begin(), size.end());
  if (size.size() != count || llvm::any_of(size, [](const DimExpr &value) {
        auto known = value.constant();
        return known && (*known < 1 || *known >= int64_t(1) << 31);
      })) {
    n.fail(invalid(fmt::format("the window needs {} positive sizes", count)));
    return window;
  }
  window.strides = positiveAttribute(n, "strides", count);
  window.dilations = positiveAttribute(n, "dilations", count);
  readPadding(n, window, spatialDims);
  bool ceil = n.intAttribute("ceil_mode", 0) != 0;
  for (size_t i = 0; i < count && !n.failed(); ++i) {
    DimExpr begins = spatialDims[i] + window.lowPadding(i),
            rest = begins + window.addedHigh[i] + DimExpr(window.high[i]) -
                   window.reach(i);
    if (auto known = rest.constant(); known && *known < 0)
      n.fail(invalid(
          fmt::format("the window reaches over {} elements where there are {}",
                      window.reach(i).str(), (rest + window.reach(i)).str())));
    else
      n.b.requireAtMost(window.reach(i), rest + window.reach(i),
                        "the reach of a window");
    DimExpr stride(window.strides[i]);
    window.outputDims.push_back(ceil && !stride.isConstant(1)
                                    ? roundUp(window, i, rest, begins)
                                    : DimExpr::floorDiv(rest, stride) +
                                          DimExpr(1));
  }
  return window;
}

SmallVector<int64_t> zenith::onnx::constantSize(const Window &window) {
  return llvm::map_to_vector(window.size, [](const DimExpr &size) {
    return size.constant().value_or(1);
  });
}

Value zenith::onnx::withAddedPadding(ImportBuilder &b, Value input, Value fill,
                                     const Window &window) {
  if (!window.addsPadding())
    return input;
  DimVector low(2, DimExpr(0)), high(2, DimExpr(0));
  low.append(window.addedLow);
  high.append(window.addedHigh);
  return b.pad(input, fill, low, high);
}

Value zenith::onnx::lowestValue(ImportBuilder &b, Type element) {
  auto type = RankedTensorType::get({}, element);
  if (isa<FloatType>(element))
    return b.scalarConstant(element, -INFINITY);
  unsigned width = element.getIntOrFloatBitWidth();
  llvm::APInt value = element.isUnsignedInteger()
                          ? llvm::APInt::getMinValue(width)
                          : llvm::APInt::getSignedMinValue(width);
  return b.constant(DenseElementsAttr::get(type, value));
}

Value zenith::onnx::reduceWindow(NodeReading &n, graph::ReduceKind kind,
                                 Value value, const Window &window) {
  Type element = getElementTypeOrSelf(value.getType());
  value = withAddedPadding(n.b, value,
                           kind == graph::ReduceKind::max
                               ? lowestValue(n.b, element)
                               : n.b.scalarConstant(element, 0),
                           window);
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
      withOuter(constantSize(window), 1), withOuter(window.strides, 1),
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
  SmallVector<int64_t> sizes = n.intsAttribute("kernel_shape");
  DimVector dims = n.dims(0), size(sizes.begin(), sizes.end());
  Window window = readWindow(n, size, ArrayRef(dims).drop_front(2));
  return n.failed() ? std::nullopt : std::optional(window);
}
