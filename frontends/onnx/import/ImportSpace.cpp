// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules that add or remove borders, or exchange features for positions.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/IndexReading.h"
#include "frontends/onnx/import/NodeReading.h"
#include "frontends/onnx/import/OpenAxes.h"

#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Borders
//===----------------------------------------------------------------------===//

namespace {
/// Elements to add per dimension; negative ones are taken away.
struct Borders {
  SmallVector<int64_t> low, high;
};
} // namespace

/// A wider border means a damaged model, and sizes could overflow.
constexpr int64_t widestBorder = int64_t(1) << 32;
/// A border that repeats elements is a list of indices.
constexpr int64_t maxIndices = int64_t(1) << 22;

static Borders readBorders(NodeReading &n) {
  int64_t rank = n.rank(0);
  auto pads = n.constantInts("pads", 1);
  SmallVector<int64_t> axes;
  if (n.has(3)) {
    axes = n.constantInts("axes", 3).value_or(SmallVector<int64_t>());
    for (int64_t &axis : axes)
      axis = n.axis(axis, rank);
    n.axes(axes, rank); // refuses repeated ones
  } else {
    for (int64_t i = 0; i < rank; ++i)
      axes.push_back(i);
  }
  Borders borders{SmallVector<int64_t>(rank, 0), SmallVector<int64_t>(rank, 0)};
  if (!n.failed() && (!pads || pads->size() != 2 * axes.size()))
    n.fail(invalid("pads needs two entries per dimension"));
  if (n.failed())
    return borders;
  for (auto [index, axis] : llvm::enumerate(axes)) {
    borders.low[axis] = (*pads)[index];
    borders.high[axis] = (*pads)[index + axes.size()];
    for (int64_t width : {borders.low[axis], borders.high[axis]})
      if (width > widestBorder || width < -widestBorder)
        n.fail(invalid("a border is too wide"));
  }
  return borders;
}

/// The position inside of [0, size) from which the element at `position`,
/// inside or outside of it, is copied.
static int64_t sourceOf(int64_t position, int64_t size, llvm::StringRef mode) {
  auto floorMod = [](int64_t value, int64_t by) {
    return (value % by + by) % by;
  };
  if (mode == "edge")
    return std::clamp<int64_t>(position, 0, size - 1);
  if (mode == "wrap")
    return floorMod(position, size);
  if (size == 1)
    return 0;
  int64_t inPeriod = floorMod(position, 2 * (size - 1));
  return std::min(inPeriod, 2 * (size - 1) - inPeriod);
}

static Value padCopies(NodeReading &n, llvm::StringRef mode,
                       const Borders &borders) {
  Value x = n.input(0);
  DimVector dims = n.dims(0);
  for (auto [axis, dim] : llvm::enumerate(dims)) {
    int64_t low = borders.low[axis], high = borders.high[axis];
    if (low == 0 && high == 0)
      continue;
    auto size = dim.constant();
    if (!size || *size < 1 || *size + low + high < 0 ||
        *size + low + high > maxIndices) {
      n.fail(unsupported(
          fmt::format("a border of kind {} around a dimension of {}",
                      mode.str(), dim.str())));
      return x;
    }
    SmallVector<int64_t> sources;
    for (int64_t i = -low; i < *size + high; ++i)
      sources.push_back(sourceOf(i, *size, mode));
    x = readAlong(n.b, x, axis, sources);
  }
  return x;
}

static std::pair<DimVector, DimVector> bordersOfOpenAxes(NodeReading &n,
                                                         const OpenAxes &axes) {
  std::pair<DimVector, DimVector> borders;
  auto pads = n.elements(1, "a border");
  if (!n.failed() && pads.size() != 2 * axes.size())
    n.fail(invalid("pads needs two entries per dimension"));
  for (int64_t dim = 0; dim < n.rank(0) && !n.failed(); ++dim) {
    borders.first.push_back(
        axes.valueFor(dim, ArrayRef(pads).take_front(axes.size()), DimExpr(0)));
    borders.second.push_back(
        axes.valueFor(dim, ArrayRef(pads).drop_front(axes.size()), DimExpr(0)));
  }
  return borders;
}

/// Low and high borders that are known at run time only; nothing if they are
/// constants.
static std::optional<std::pair<DimVector, DimVector>>
openBorders(NodeReading &n) {
  if (n.hasAttribute("pads") || (!isOpen(n, 1) && !isOpen(n, 3)))
    return std::nullopt;
  int64_t rank = n.rank(0);
  if (isOpen(n, 3))
    return bordersOfOpenAxes(n, OpenAxes(n, 3, rank));
  SmallVector<int64_t> axes;
  for (int64_t i = 0; i < rank; ++i)
    axes.push_back(i);
  if (n.has(3))
    axes = n.axes(n.constantInts("axes", 3).value_or(axes), rank);
  auto pads = n.elements(1, "a border");
  if (!n.failed() && pads.size() != 2 * axes.size())
    n.fail(invalid("pads needs two entries per dimension"));
  DimVector low(rank, DimExpr(0)), high(rank, DimExpr(0));
  for (auto [index, axis] : llvm::enumerate(axes))
    if (!n.failed()) {
      low[axis] = pads[index];
      high[axis] = pads[index + axes.size()];
    }
  return std::pair(low, high);
}

/// Positions inside of [0, size) from which elements at `at`, inside or outside
/// of it, are copied.
static Value sourcesOf(ImportBuilder &b, llvm::StringRef mode, Value at,
                       const DimExpr &size) {
  DimExpr last = size - DimExpr(1), period = last * DimExpr(2);
  if (mode == "edge")
    return b.binary<graph::MinOp>(b.binary<graph::MaxOp>(at, 0.0),
                                  b.scalar(last));
  if (mode == "wrap")
    return b.binary<graph::FloorModOp>(at, b.scalar(size));
  at = b.binary<graph::FloorModOp>(at,
                                   b.scalar(DimExpr::max(period, DimExpr(1))));
  return b.binary<graph::MinOp>(at,
                                b.binary<graph::SubOp>(b.scalar(period), at));
}

/// The same for one position.
static DimExpr openSourceOf(llvm::StringRef mode, const DimExpr &at,
                            const DimExpr &size) {
  DimExpr period = (size - DimExpr(1)) * DimExpr(2);
  if (mode == "wrap")
    return DimExpr::mod(at, DimExpr::max(size, DimExpr(1)));
  DimExpr source = DimExpr::mod(at, DimExpr::max(period, DimExpr(1)));
  return DimExpr::min(source, period - source);
}

/// `count` copies that start at position `first`, before or after `size`
/// elements. The host computes the position of a single copy.
static Value borderOf(ImportBuilder &b, llvm::StringRef mode, Value x,
                      int64_t axis, const DimExpr &first, int64_t count) {
  DimVector dims = b.dims(x);
  DimExpr size = dims[axis];
  if (mode != "edge" && count == 1) {
    Value at = b.scalar(openSourceOf(mode, first, size));
    return gatherAlong(b, x, axis, b.reshape(at, {DimExpr(1)}));
  }
  if (mode != "edge") {
    Value at = b.iota(0, {DimExpr(count)}, b.builder.getI64Type());
    at = b.binary<graph::AddOp>(at, b.scalar(first));
    return gatherAlong(b, x, axis, sourcesOf(b, mode, at, size));
  }
  bool isLow = first.constant().value_or(0) < 0;
  Value end = b.sliceDim(x, axis, isLow ? DimExpr(0) : size - DimExpr(1), 1);
  SmallVector<int64_t> mapping;
  for (size_t d = 0; d < dims.size(); ++d)
    mapping.push_back(int64_t(d));
  dims[axis] = DimExpr(count);
  return b.broadcast(end, mapping, dims);
}

/// Borders of copied elements where sizes are known at run time only: a border
/// of known width is joined to what it surrounds, else all positions are
/// computed.
static Value copyOpen(ImportBuilder &b, llvm::StringRef mode, Value x,
                      ArrayRef<DimExpr> low, ArrayRef<DimExpr> high) {
  DimVector dims = b.dims(x);
  for (auto [axis, size] : llvm::enumerate(dims)) {
    if (low[axis].isConstant(0) && high[axis].isConstant(0))
      continue;
    auto before = low[axis].constant(), after = high[axis].constant();
    if (before && after && *before >= 0 && *after >= 0) {
      SmallVector<Value> parts;
      if (*before)
        parts.push_back(borderOf(b, mode, x, axis, DimExpr(-*before), *before));
      parts.push_back(x);
      if (*after)
        parts.push_back(borderOf(b, mode, x, axis, size, *after));
      x = b.concat(axis, parts);
      continue;
    }
    Value at = b.binary<graph::SubOp>(
        b.iota(0, {size + low[axis] + high[axis]}, b.builder.getI64Type()),
        b.scalar(low[axis]));
    x = gatherAlong(b, x, axis, sourcesOf(b, mode, at, size));
  }
  return x;
}

static void importPad(NodeReading &n) {
  std::string mode = n.stringAttribute("mode", "constant");
  bool copies = mode != "constant";
  if (copies && mode != "edge" && mode != "reflect" && mode != "wrap")
    return n.fail(invalid(fmt::format("attribute 'mode' is '{}'", mode)));
  auto open = openBorders(n);
  if (n.failed())
    return;
  if (open && copies)
    return n.result(copyOpen(n.b, mode, n.input(0), open->first, open->second));
  Borders borders;
  if (!open)
    borders = readBorders(n);
  if (n.failed())
    return;
  DimVector low(borders.low.begin(), borders.low.end()),
      high(borders.high.begin(), borders.high.end());
  if (copies) {
    bool isStatic = n.type(0).hasStaticShape();
    return n.result(isStatic ? padCopies(n, mode, borders)
                             : copyOpen(n.b, mode, n.input(0), low, high));
  }
  Value value = n.has(2)
                    ? n.b.reshape(n.input(2), {})
                    : n.b.scalarConstant(
                          n.elementType(0),
                          n.version < 11 ? n.floatAttribute("value", 0) : 0);
  n.result(n.b.pad(n.input(0), value, open ? open->first : low,
                   open ? open->second : high));
}

/// Cuts or fills both sides alike; an odd remainder goes to the far side.
static void importCenterCropPad(NodeReading &n) {
  int64_t rank = n.rank(0);
  SmallVector<int64_t> axes = n.intsAttribute("axes");
  if (!n.hasAttribute("axes"))
    for (int64_t i = 0; i < rank; ++i)
      axes.push_back(i);
  for (int64_t &axis : axes)
    axis = n.axis(axis, rank);
  n.axes(axes, rank); // refuses repeated ones
  SmallVector<DimExpr> shape = n.elements(1, "the shape");
  DimVector dims = n.dims(0);
  if (!n.failed() && shape.size() != axes.size())
    n.fail(invalid("the shape does not fit the axes"));
  if (n.failed())
    return;
  DimVector low(rank, DimExpr(0)), high(rank, DimExpr(0));
  for (auto [axis, wanted] : llvm::zip(axes, shape)) {
    if (auto size = wanted.constant();
        size && (*size < 0 || *size > widestBorder))
      return n.fail(invalid(fmt::format("size {} in the shape", *size)));
    n.b.requireAtMost(DimExpr(0), wanted, "a size in the shape");
    DimExpr more = wanted - dims[axis];
    auto half = [](const DimExpr &count) {
      return DimExpr::floorDiv(DimExpr::max(count, DimExpr(0)), DimExpr(2));
    };
    low[axis] = half(more) - half(DimExpr(0) - more);
    high[axis] = more - low[axis];
  }
  n.result(
      n.b.pad(n.input(0), n.b.scalarConstant(n.elementType(0), 0), low, high));
}

//===----------------------------------------------------------------------===//
// Features and positions
//===----------------------------------------------------------------------===//

static std::optional<int64_t> readBlock(NodeReading &n) {
  int64_t block = n.intAttribute("blocksize", 0);
  if (n.rank(0) != 4 || block < 1 || block > 1 << 15) {
    n.fail(invalid(fmt::format("{} needs a positive blocksize and an input of "
                               "rank 4",
                               n.node.op)));
    return std::nullopt;
  }
  return block;
}

static void importDepthToSpace(NodeReading &n) {
  auto block = readBlock(n);
  std::string mode = n.stringAttribute("mode", "DCR");
  if (block && mode != "DCR" && mode != "CRD")
    n.fail(
        invalid(fmt::format("attribute 'mode' is '{}', not DCR or CRD", mode)));
  if (n.failed())
    return;
  DimVector dims = n.dims(0);
  bool depthFirst = mode == "CRD";
  DimExpr b(*block),
      left = n.b.divided(dims[1], b * b, "the remainder of features by blocks");
  DimVector split = {dims[0], b, b, left, dims[2], dims[3]};
  if (depthFirst)
    split = {dims[0], left, b, b, dims[2], dims[3]};
  SmallVector<int64_t> order = {0, 3, 4, 1, 5, 2};
  if (depthFirst)
    order = {0, 1, 4, 2, 5, 3};
  Value x = n.b.transpose(n.b.reshape(n.input(0), split), order);
  n.result(n.b.reshape(x, {dims[0], left, dims[2] * b, dims[3] * b}));
}

static void importSpaceToDepth(NodeReading &n) {
  auto block = readBlock(n);
  if (!block)
    return;
  DimVector dims = n.dims(0);
  DimExpr b(*block);
  DimExpr rows = n.b.divided(dims[2], b, "the remainder of rows by blocks"),
          columns =
              n.b.divided(dims[3], b, "the remainder of columns by blocks");
  // Sizes that the blocks fill are all there is, and are split without dividing
  // an index.
  Value x = n.input(0);
  for (const auto &[dim, size] :
       {std::pair(2, rows * b), std::pair(3, columns * b)})
    if (size != dims[dim])
      x = n.b.sliceDim(x, dim, DimExpr(0), size);
  x = n.b.reshape(x, {dims[0], dims[1], rows, b, columns, b});
  x = n.b.transpose(x, {0, 3, 5, 1, 2, 4});
  n.result(n.b.reshape(x, {dims[0], dims[1] * b * b, rows, columns}));
}

llvm::ArrayRef<OpRow> zenith::onnx::spaceRows() {
  static constexpr OpRow rows[] = {
      {"CenterCropPad", 18, newest, 2, 2, importCenterCropPad},
      {"DepthToSpace", 1, newest, 1, 1, importDepthToSpace},
      {"Pad", 2, newest, 1, 4, importPad},
      {"SpaceToDepth", 1, newest, 1, 1, importSpaceToDepth},
  };
  return rows;
}
