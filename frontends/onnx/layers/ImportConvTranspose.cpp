// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules that spread inputs over positions of the output: ConvTranspose
// is a convolution of the input with gaps between its elements, Col2Im a sum of
// such inputs.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/layers/ContractionReading.h"
#include "frontends/onnx/layers/WindowReading.h"

#include <fmt/format.h>
#include <numeric>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Entries of a list attribute, one per spatial dimension and below 2^31.
static SmallVector<int64_t> naturals(NodeReading &n, const char *name,
                                     size_t count) {
  SmallVector<int64_t> values =
      n.intsAttribute(name, SmallVector<int64_t>(count, 0));
  if (values.size() != count || llvm::any_of(values, [](int64_t value) {
        return value < 0 || value >= int64_t(1) << 31;
      }))
    n.fail(invalid(fmt::format(
        "attribute '{}' needs {} entries that are not negative", name, count)));
  values.resize(count, 0);
  return values;
}

namespace {
/// For each spatial dimension: the extent of a dilated filter, and how many
/// outputs are cut off at both ends (or added, if negative).
struct Spread {
  SmallVector<int64_t> strides, dilations, reach, begin, end;
};
} // namespace

/// The cut that gives the size that the node's output_shape asks for.
static void cutToShape(NodeReading &n, Spread &spread, DimVector spatial,
                       ArrayRef<int64_t> extra) {
  SmallVector<int64_t> wanted = n.intsAttribute("output_shape");
  size_t count = spatial.size();
  // Early exporters counted batch and features as well.
  if (wanted.size() == count + 2)
    wanted.erase(wanted.begin(), wanted.begin() + 2);
  if (wanted.size() != count ||
      llvm::any_of(wanted, [](int64_t size) { return size < 0; }))
    return n.fail(
        invalid(fmt::format("attribute 'output_shape' needs {} sizes", count)));
  bool upper = n.stringAttribute("auto_pad", "NOTSET") == "SAME_UPPER";
  for (size_t i = 0; i < count; ++i) {
    auto size = spatial[i].constant();
    if (!size)
      return n.fail(unsupported("output_shape over a dynamic dimension"));
    int64_t natural = (*size - 1) * spread.strides[i] + spread.reach[i];
    int64_t total = std::max<int64_t>(natural + extra[i] - wanted[i], 0);
    spread.begin[i] = upper ? total / 2 : total - total / 2;
    spread.end[i] = natural - spread.begin[i] - wanted[i];
  }
}

static void readCuts(NodeReading &n, Spread &spread, DimVector spatial) {
  size_t count = spatial.size();
  SmallVector<int64_t> extra = naturals(n, "output_padding", count),
                       pads = naturals(n, "pads", 2 * count);
  spread.begin.assign(count, 0);
  spread.end.assign(count, 0);
  if (n.failed())
    return;
  if (n.hasAttribute("output_shape"))
    return cutToShape(n, spread, spatial, extra);
  std::string automatic = n.stringAttribute("auto_pad", "NOTSET");
  bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  if (!same && automatic != "NOTSET" && automatic != "VALID" &&
      !automatic.empty())
    return n.fail(
        invalid(fmt::format("attribute 'auto_pad' is '{}'", automatic)));
  for (size_t i = 0; i < count; ++i) {
    if (same) {
      // Outputs are input * stride.
      int64_t total =
          std::max<int64_t>(spread.reach[i] + extra[i] - spread.strides[i], 0);
      spread.begin[i] =
          automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
      spread.end[i] = spread.reach[i] - spread.strides[i] - spread.begin[i];
      continue;
    }
    if (automatic != "VALID") {
      spread.begin[i] = pads[i];
      spread.end[i] = pads[count + i];
    }
    spread.end[i] -= extra[i];
  }
}

/// [inputs, outputs / groups, ...] with the dimension of inputs cut into groups
/// that move to the outputs: [inputs / groups, outputs, ...].
static Value groupedKernel(NodeReading &n, Value kernel, int64_t groups) {
  if (groups == 1)
    return kernel;
  DimVector dims = n.b.dims(kernel);
  auto inputs = dims[0].constant();
  if (!inputs || *inputs % groups) {
    n.fail(invalid(fmt::format("{} groups do not divide {} features", groups,
                               dims[0].str())));
    return kernel;
  }
  DimVector split = {DimExpr(groups), DimExpr(*inputs / groups)};
  split.append(dims.begin() + 1, dims.end());
  SmallVector<int64_t> order(split.size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[0], order[1]);
  DimVector joined = dims;
  joined[0] = DimExpr(*inputs / groups);
  joined[1] = dims[1] * DimExpr(groups);
  return n.b.reshape(n.b.transpose(n.b.reshape(kernel, split), order), joined);
}

static Value spreadOver(NodeReading &n, Value x, Value kernel,
                        const Spread &spread, int64_t groups) {
  DimVector input = n.b.dims(x), taps = n.b.dims(kernel);
  int64_t count = input.size() - 2;
  SmallVector<int64_t> spatial(count), ones(count, 1), low, high;
  std::iota(spatial.begin(), spatial.end(), 2);
  DimVector result = {input[0], taps[1]};
  for (int64_t i = 0; i < count; ++i) {
    low.push_back(spread.reach[i] - 1 - spread.begin[i]);
    high.push_back(spread.reach[i] - 1 - spread.end[i]);
    result.push_back(
        (input[2 + i] - DimExpr(1)) * DimExpr(spread.strides[i]) +
        DimExpr(spread.reach[i] - spread.begin[i] - spread.end[i]));
  }
  Value turned = n.b.emit<graph::ReverseOp>(kernel.getType(), kernel, spatial);
  auto dimsAttr = graph::ConvDimsAttr::get(
      n.b.builder.getContext(), 0, 1, spatial, 0, 1, spatial, 0, 1, spatial);
  return n.b.emit<graph::ConvolutionOp>(
      n.b.typeOf(result, getElementTypeOrSelf(x.getType())), x, turned,
      dimsAttr, ones, low, high, spread.strides, spread.dilations, groups);
}

static void importConvTranspose(NodeReading &n) {
  DimVector input = n.dims(0), kernel = n.dims(1);
  int64_t rank = input.size(), groups = n.intAttribute("group", 1);
  if (rank < 3 || int64_t(kernel.size()) != rank || groups < 1 ||
      groups > 1 << 20)
    return n.fail(invalid(
        fmt::format("input and kernel have ranks {} and {}, group is {}", rank,
                    kernel.size(), groups)));
  size_t count = rank - 2;
  Spread spread;
  spread.strides = positiveAttribute(n, "strides", count);
  spread.dilations = positiveAttribute(n, "dilations", count);
  SmallVector<int64_t> declared = n.intsAttribute("kernel_shape");
  for (size_t i = 0; i < count && !n.failed(); ++i) {
    auto size = kernel[2 + i].constant();
    if (!size || *size < 1)
      return n.fail(unsupported("a kernel of unknown size"));
    if (!declared.empty() && (declared.size() != count || declared[i] != *size))
      return n.fail(invalid("kernel_shape is not the kernel's shape"));
    spread.reach.push_back((*size - 1) * spread.dilations[i] + 1);
  }
  if (!n.failed())
    readCuts(n, spread, DimVector(input.begin() + 2, input.end()));
  if (n.failed())
    return;
  Value x = n.input(0);
  Value weights = groupedKernel(n, n.input(1), groups);
  Value value = spreadOver(n, x, weights, spread, groups);
  if (n.has(2) && !n.failed()) {
    Value bias = n.b.broadcast(n.input(2), {1}, n.b.dims(value));
    value = n.b.binary<graph::AddOp>(value, bias);
  }
  n.result(value);
}

//===----------------------------------------------------------------------===//
// Col2Im
//===----------------------------------------------------------------------===//

namespace {
struct Columns {
  SmallVector<int64_t> image, block, strides, dilations, pads, counts;
  int64_t taps = 1, columns = 1;
};
} // namespace

static std::optional<Columns> readColumns(NodeReading &n) {
  Columns c;
  auto image = n.constantInts("image_shape", 1),
       block = n.constantInts("block_shape", 2);
  if (n.failed())
    return std::nullopt;
  size_t count = image->size();
  if (n.rank(0) != 3 || block->size() != count || count == 0) {
    n.fail(invalid("image_shape and block_shape differ in length, or the input "
                   "is not of rank 3"));
    return std::nullopt;
  }
  c.image = *image;
  c.block = *block;
  c.strides = positiveAttribute(n, "strides", count);
  c.dilations = positiveAttribute(n, "dilations", count);
  c.pads = naturals(n, "pads", 2 * count);
  constexpr int64_t largest = int64_t(1) << 31;
  for (size_t i = 0; i < count && !n.failed(); ++i) {
    if (c.image[i] < 1 || c.image[i] >= largest || c.block[i] < 1 ||
        c.block[i] >= largest) {
      n.fail(invalid("a size of the image or the block is not positive"));
      break;
    }
    int64_t rest = c.image[i] + c.pads[i] + c.pads[count + i] -
                   ((c.block[i] - 1) * c.dilations[i] + 1);
    if (rest < 0)
      n.fail(invalid("the block is larger than the image"));
    c.counts.push_back(rest / c.strides[i] + 1);
    c.columns *= c.counts.back();
    c.taps *= c.block[i];
    constexpr int64_t mostTaps = 1 << 10;
    if (c.taps > mostTaps || c.columns >= largest)
      n.fail(unsupported("Col2Im of such large blocks"));
  }
  return n.failed() ? std::nullopt : std::optional(c);
}

/// The columns of one position of the block, spread over the output feature
/// map.
static Value spreadColumn(NodeReading &n, Value columns, const Columns &c,
                          ArrayRef<int64_t> tap) {
  SmallVector<int64_t> low = {0, 0}, high = {0, 0}, interior = {0, 0};
  DimVector dims = n.b.dims(columns), result = {dims[0], dims[1]};
  for (size_t i = 0; i < tap.size(); ++i) {
    low.push_back(tap[i] * c.dilations[i] - c.pads[i]);
    interior.push_back(c.strides[i] - 1);
    high.push_back(c.image[i] - low.back() -
                   ((c.counts[i] - 1) * c.strides[i] + 1));
    result.push_back(DimExpr(c.image[i]));
  }
  Type element = getElementTypeOrSelf(columns.getType());
  return n.b.emit<graph::PadOp>(n.b.typeOf(result, element), columns,
                                n.b.scalarConstant(element, 0), ValueRange(),
                                ValueRange(), low, high, interior);
}

static void importCol2Im(NodeReading &n) {
  auto c = readColumns(n);
  if (!c)
    return;
  ImportBuilder &b = n.b;
  DimVector dims = n.dims(0);
  auto features = dims[1].constant();
  if (!features || *features % c->taps || !dims[2].isConstant(c->columns))
    return n.fail(invalid(fmt::format(
        "input dimensions {} and {} do not hold blocks of {} in {} columns",
        dims[1].str(), dims[2].str(), c->taps, c->columns)));
  bool isNarrow = isa<FloatType>(n.elementType(0)) &&
                  n.elementType(0).getIntOrFloatBitWidth() < 32;
  Value x =
      isNarrow ? b.convert(n.input(0), b.builder.getF32Type()) : n.input(0);
  DimVector split = {dims[0], DimExpr(*features / c->taps), DimExpr(c->taps)};
  for (int64_t size : c->counts)
    split.push_back(DimExpr(size));
  x = b.reshape(x, split);
  DimVector columnDims = split;
  columnDims.erase(columnDims.begin() + 2);
  Value sum;
  SmallVector<int64_t> tap(c->block.size(), 0);
  for (int64_t t = 0; t < c->taps && !n.failed(); ++t) {
    int64_t rest = t;
    for (size_t i = tap.size(); i-- > 0; rest /= c->block[i])
      tap[i] = rest % c->block[i];
    Value column =
        b.reshape(b.sliceDim(x, 2, DimExpr(t), DimExpr(1)), columnDims);
    Value spread = spreadColumn(n, column, *c, tap);
    sum = sum ? b.binary<graph::AddOp>(sum, spread) : spread;
  }
  if (!n.failed())
    n.result(b.convert(sum, n.elementType(0)));
}

llvm::ArrayRef<OpRow> zenith::onnx::convTransposeRows() {
  static constexpr OpRow rows[] = {
      {"Col2Im", 18, newest, 3, 3, importCol2Im},
      {"ConvTranspose", 1, newest, 2, 3, importConvTranspose},
  };
  return rows;
}
