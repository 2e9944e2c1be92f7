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
  SmallVector<int64_t> strides, dilations;
  DimVector reach, begin, end;

  /// Padding around the input with gaps.
  DimVector low() const;
  DimVector high() const;
};
} // namespace

static DimVector paddingFor(const DimVector &reach, const DimVector &cut) {
  DimVector result;
  for (auto [extent, count] : llvm::zip(reach, cut))
    result.push_back(extent - DimExpr(1) - count);
  return result;
}
DimVector Spread::low() const { return paddingFor(reach, begin); }
DimVector Spread::high() const { return paddingFor(reach, end); }

/// A part of `total` cut off at the begin; of an odd count the smaller one if
/// `smaller`.
static DimExpr cutAtBegin(const DimExpr &total, bool smaller) {
  DimExpr half = DimExpr::floorDiv(total, DimExpr(2));
  return smaller ? half : total - half;
}

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
    DimExpr natural = (spatial[i] - DimExpr(1)) * DimExpr(spread.strides[i]) +
                      spread.reach[i];
    DimExpr total =
        DimExpr::max(natural + DimExpr(extra[i] - wanted[i]), DimExpr(0));
    spread.begin[i] = cutAtBegin(total, upper);
    spread.end[i] = natural - spread.begin[i] - DimExpr(wanted[i]);
  }
}

static void readCuts(NodeReading &n, Spread &spread, DimVector spatial) {
  size_t count = spatial.size();
  SmallVector<int64_t> extra = naturals(n, "output_padding", count),
                       pads = naturals(n, "pads", 2 * count);
  spread.begin.assign(count, DimExpr(0));
  spread.end.assign(count, DimExpr(0));
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
      DimExpr rest = spread.reach[i] - DimExpr(spread.strides[i]);
      DimExpr total = DimExpr::max(rest + DimExpr(extra[i]), DimExpr(0));
      spread.begin[i] = cutAtBegin(total, automatic == "SAME_UPPER");
      spread.end[i] = rest - spread.begin[i];
      continue;
    }
    if (automatic != "VALID") {
      spread.begin[i] = DimExpr(pads[i]);
      spread.end[i] = DimExpr(pads[count + i]);
    }
    spread.end[i] = spread.end[i] - DimExpr(extra[i]);
  }
}

/// [inputs, outputs / groups, ...] with the dimension of inputs cut into groups
/// that move to the outputs: [inputs / groups, outputs, ...].
static Value groupedKernel(NodeReading &n, Value kernel, int64_t groups) {
  if (groups == 1)
    return kernel;
  DimVector dims = n.b.dims(kernel);
  DimExpr inputs = n.b.divided(dims[0], DimExpr(groups),
                               "the remainder of features by groups");
  DimVector split = {DimExpr(groups), inputs};
  split.append(dims.begin() + 1, dims.end());
  SmallVector<int64_t> order(split.size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[0], order[1]);
  DimVector joined = dims;
  joined[0] = inputs;
  joined[1] = dims[1] * DimExpr(groups);
  return n.b.reshape(n.b.transpose(n.b.reshape(kernel, split), order), joined);
}

static SmallVector<int64_t> constantsOf(const DimVector &values) {
  SmallVector<int64_t> result;
  for (const DimExpr &value : values)
    if (auto constant = value.constant())
      result.push_back(*constant);
  return result;
}

/// The input with gaps between its elements and padding around them.
static Value withGaps(ImportBuilder &b, Value x, const Spread &spread) {
  DimVector dims = b.dims(x);
  SmallVector<int64_t> zeros(dims.size(), 0), interior(dims.size(), 0);
  DimVector low(2, DimExpr(0)), high(2, DimExpr(0));
  for (auto [i, stride] : llvm::enumerate(spread.strides)) {
    interior[2 + i] = stride - 1;
    dims[2 + i] = (dims[2 + i] - DimExpr(1)) * DimExpr(stride) + DimExpr(1);
  }
  Type element = getElementTypeOrSelf(x.getType());
  Value zero = b.scalarConstant(element, 0);
  Value wide =
      b.emit<graph::PadOp>(b.typeOf(dims, element), x, zero, ValueRange(),
                           ValueRange(), zeros, zeros, interior);
  low.append(spread.low());
  high.append(spread.high());
  return b.pad(wide, zero, low, high);
}

static Value spreadOver(NodeReading &n, Value x, Value kernel,
                        const Spread &spread, int64_t groups) {
  DimVector input = n.b.dims(x), taps = n.b.dims(kernel);
  size_t count = input.size() - 2;
  SmallVector<int64_t> spatial(count), ones(count, 1);
  std::iota(spatial.begin(), spatial.end(), 2);
  DimVector result = {input[0], taps[1]};
  for (size_t i = 0; i < count; ++i)
    result.push_back((input[2 + i] - DimExpr(1)) * DimExpr(spread.strides[i]) +
                     spread.reach[i] - spread.begin[i] - spread.end[i]);
  Value turned = n.b.emit<graph::ReverseOp>(kernel.getType(), kernel, spatial);
  SmallVector<int64_t> low = constantsOf(spread.low()),
                       high = constantsOf(spread.high()), gaps = spread.strides;
  bool isKnown = low.size() == count && high.size() == count;
  if (constantsOf(spread.reach).size() != count) {
    SmallVector<int64_t> order = {1, 0};
    order.append(spatial);
    return convolveByGather(n.b, withGaps(n.b, x, spread),
                            n.b.transpose(turned, order), ones,
                            spread.dilations, groups);
  }
  if (!isKnown) {
    x = withGaps(n.b, x, spread);
    low.assign(count, 0);
    high.assign(count, 0);
    gaps = ones;
  }
  auto dimsAttr = graph::ConvDimsAttr::get(
      n.b.builder.getContext(), 0, 1, spatial, 0, 1, spatial, 0, 1, spatial);
  return n.b.emit<graph::ConvolutionOp>(
      n.b.typeOf(result, getElementTypeOrSelf(x.getType())), x, turned,
      dimsAttr, ones, low, high, gaps, spread.dilations, groups);
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
  DimVector size = kernelSize(n, kernel);
  for (size_t i = 0; i < count && !n.failed(); ++i) {
    if (auto known = size[i].constant(); known && *known < 1)
      return n.fail(invalid("a kernel of no elements"));
    spread.reach.push_back(
        (size[i] - DimExpr(1)) * DimExpr(spread.dilations[i]) + DimExpr(1));
  }
  if (!n.failed())
    readCuts(n, spread, DimVector(input.begin() + 2, input.end()));
  if (n.failed())
    return;
  Value x = n.input(0);
  DimVector known(kernel.begin(), kernel.begin() + 2);
  known.append(size);
  Value weights = groupedKernel(n, n.b.reshape(n.input(1), known), groups);
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
  SmallVector<int64_t> strides, dilations, pads;
  DimVector image, block, counts;
  DimExpr taps = 1, columns = 1;
};
} // namespace

static std::optional<Columns> readColumns(NodeReading &n) {
  Columns c;
  SmallVector<DimExpr> image = n.elements(1, "the shape of the image"),
                       block = n.elements(2, "the shape of the block");
  if (n.failed())
    return std::nullopt;
  size_t count = image.size();
  if (n.rank(0) != 3 || block.size() != count || count == 0) {
    n.fail(invalid("image_shape and block_shape differ in length, or the input "
                   "is not of rank 3"));
    return std::nullopt;
  }
  c.image.assign(image.begin(), image.end());
  c.block.assign(block.begin(), block.end());
  c.strides = positiveAttribute(n, "strides", count);
  c.dilations = positiveAttribute(n, "dilations", count);
  c.pads = naturals(n, "pads", 2 * count);
  for (size_t i = 0; i < count && !n.failed(); ++i) {
    for (const DimExpr &size : {c.image[i], c.block[i]}) {
      auto known = size.constant();
      if (known && (*known < 1 || *known >= int64_t(1) << 31))
        n.fail(invalid("a size of the image or the block is not positive"));
    }
    DimExpr reach =
        (c.block[i] - DimExpr(1)) * DimExpr(c.dilations[i]) + DimExpr(1);
    DimExpr whole = c.image[i] + DimExpr(c.pads[i] + c.pads[count + i]);
    n.b.requireAtMost(reach, whole, "the block");
    c.counts.push_back(n.b.shortened(
        DimExpr::floorDiv(whole - reach, DimExpr(c.strides[i])) + DimExpr(1)));
    c.columns = n.b.product({c.columns, c.counts.back()});
    c.taps = n.b.product({c.taps, c.block[i]});
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
    high.push_back(*c.image[i].constant() - low.back() -
                   ((*c.counts[i].constant() - 1) * c.strides[i] + 1));
    result.push_back(c.image[i]);
  }
  Type element = getElementTypeOrSelf(columns.getType());
  return n.b.emit<graph::PadOp>(n.b.typeOf(result, element), columns,
                                n.b.scalarConstant(element, 0), ValueRange(),
                                ValueRange(), low, high, interior);
}

/// Sum over the taps of columns [batch, features, taps, counts...] as padded
/// feature maps, for a block and an image of constant sizes.
static Value sumOfTaps(NodeReading &n, Value x, const Columns &c) {
  ImportBuilder &b = n.b;
  DimVector columnDims = b.dims(x);
  columnDims.erase(columnDims.begin() + 2);
  Value sum;
  SmallVector<int64_t> tap(c.block.size(), 0);
  for (int64_t t = 0; t < *c.taps.constant() && !n.failed(); ++t) {
    int64_t rest = t;
    for (size_t i = tap.size(); i-- > 0; rest /= *c.block[i].constant())
      tap[i] = rest % *c.block[i].constant();
    Value column =
        b.reshape(b.sliceDim(x, 2, DimExpr(t), DimExpr(1)), columnDims);
    Value spread = spreadColumn(n, column, c, tap);
    sum = sum ? b.binary<graph::AddOp>(sum, spread) : spread;
  }
  return sum;
}

/// The same as sums at computed positions of the padded image: [batch *
/// features, taps, counts...] scattered into [batch * features, padded image].
static Value sumAtPositions(NodeReading &n, Value x, const Columns &c) {
  ImportBuilder &b = n.b;
  Type i64 = b.builder.getI64Type(),
       element = getElementTypeOrSelf(x.getType());
  DimVector dims = b.dims(x), padded;
  size_t count = c.block.size();
  DimExpr rows = b.product({dims[0], dims[1]}), area(1);
  for (size_t i = 0; i < count; ++i) {
    padded.push_back(c.image[i] + DimExpr(c.pads[i] + c.pads[count + i]));
    area = b.product({area, padded.back()});
  }
  // [block..., counts...]: one position for each tap of each column.
  DimVector lattice = c.block;
  lattice.append(c.counts);
  Value flat = b.filled(lattice, i64, 0);
  for (size_t i = 0; i < count; ++i) {
    auto along = [&](size_t dim, int64_t step) {
      return b.binary<graph::MulOp>(b.iota(dim, lattice, i64),
                                    b.scalar(DimExpr(step)));
    };
    Value at = b.binary<graph::AddOp>(along(i, c.dilations[i]),
                                      along(count + i, c.strides[i]));
    flat = b.binary<graph::AddOp>(
        b.binary<graph::MulOp>(flat, b.scalar(padded[i])), at);
  }
  DimExpr points = b.product({c.taps, c.columns});
  Value updates = b.transpose(b.reshape(x, {rows, points}), {1, 0});
  auto numbers = graph::ScatterDimsAttr::get(b.builder.getContext(), {1}, {0},
                                             {}, {}, {0}, 1);
  Value sums = b.emit<graph::ScatterOp>(
      b.typeOf({area, rows}, element), graph::ScatterKind::sum,
      b.filled({area, rows}, element, 0), b.reshape(flat, {points, DimExpr(1)}),
      updates, numbers, /*unique=*/false);
  DimVector whole = {dims[0], dims[1]}, low(2, DimExpr(0)), high(2, DimExpr(0));
  whole.append(padded);
  for (size_t i = 0; i < count; ++i) {
    low.push_back(DimExpr(-c.pads[i]));
    high.push_back(DimExpr(-c.pads[count + i]));
  }
  return b.pad(b.reshape(b.transpose(sums, {1, 0}), whole),
               b.scalarConstant(element, 0), low, high);
}

static void importCol2Im(NodeReading &n) {
  auto c = readColumns(n);
  if (!c)
    return;
  ImportBuilder &b = n.b;
  DimVector dims = n.dims(0);
  DimExpr features =
      b.divided(dims[1], c->taps, "the remainder of rows by the block");
  b.requireEqual(dims[2], c->columns, "numbers of columns");
  bool isNarrow = isa<FloatType>(n.elementType(0)) &&
                  n.elementType(0).getIntOrFloatBitWidth() < 32;
  Value x =
      isNarrow ? b.convert(n.input(0), b.builder.getF32Type()) : n.input(0);
  DimVector split = {dims[0], features, c->taps};
  split.append(c->counts);
  x = b.reshape(x, split);
  constexpr int64_t mostTaps = 1 << 10;
  bool isKnown = c->taps.constant().value_or(mostTaps + 1) <= mostTaps &&
                 c->columns.constant();
  Value sum = isKnown ? sumOfTaps(n, x, *c) : sumAtPositions(n, x, *c);
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
