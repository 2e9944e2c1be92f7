// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules that read data-dependent regions: RoiAlign, MaxRoiPool and
// DeformConv.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/NodeReading.h"
#include "frontends/onnx/import/SampleReading.h"
#include "frontends/onnx/layers/WindowReading.h"

#include <cmath>
#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using graph::ReduceKind;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Column `at` of [regions, columns], as [regions, 1, ...] of `rank`.
static ScalarValue column(ImportBuilder &b, Value regions, int64_t at,
                          int64_t rank) {
  DimVector dims(rank, DimExpr(1));
  dims[0] = b.dims(regions)[0];
  return {b, b.reshape(b.sliceDim(regions, 1, DimExpr(at), DimExpr(1)), dims)};
}

static DimVector alongDim(int64_t rank, int64_t dim, const DimExpr &size) {
  DimVector dims(rank, DimExpr(1));
  dims[dim] = size;
  return dims;
}

//===----------------------------------------------------------------------===//
// RoiAlign
//===----------------------------------------------------------------------===//

namespace {
/// Points of one dimension of all regions: bins and samples in each of them, in
/// the dimensions that they have in the outer product.
struct RegionAxis {
  ScalarValue start, extent;
  int64_t bins, binDim, sampleDim;
  DimExpr samples;       // of the region with the most samples
  ScalarValue perRegion; // samples of each region
  DimExpr size;
  Type index; // type of element indices
};
} // namespace

/// How many samples each bin of a region takes: a constant, or about one per
/// element.
static std::pair<DimExpr, ScalarValue> samplesOfBins(ScalarValue extent,
                                                     ImportBuilder &b,
                                                     int64_t bins,
                                                     int64_t ratio) {
  if (ratio > 0)
    return {DimExpr(ratio), extent.constant(double(ratio))};
  ScalarValue count = (extent / double(bins)).apply<graph::CeilOp>().max(0.0);
  // A region of more samples is meaningless.
  count = count.min(double(1 << 10));
  DimVector dims = b.dims(count);
  SmallVector<int64_t> all;
  for (size_t i = 0; i < dims.size(); ++i)
    all.push_back(i);
  ScalarValue most(b, b.reduce(ReduceKind::max, count, all, false));
  Value whole = most.max(1.0).to(b.builder.getI64Type());
  return {b.nameCount(whole), count};
}

/// Neighbours of the points; points more than 1 outside count as zeros, others
/// are clamped.
static SmallVector<SampleTap> regionTaps(ImportBuilder &b,
                                         const RegionAxis &axis,
                                         const DimVector &points, Type type) {
  constexpr int64_t rank = 5;
  ScalarValue bin(
      b, b.iota(axis.binDim, alongDim(rank, axis.binDim, axis.bins), type)),
      sample(b, b.iota(axis.sampleDim,
                       alongDim(rank, axis.sampleDim, axis.samples), type));
  ScalarValue step = axis.extent / double(axis.bins);
  ScalarValue at =
      axis.start + bin * step + (sample + 0.5) * step / axis.perRegion.max(1.0);
  ScalarValue size = floatSize(b, axis.size, type), last = size - 1.0;
  Value inside = b.binary<graph::AndOp>(at.compare(CompareDirection::ge, -1.0),
                                        at.compare(CompareDirection::le, size));
  if (!axis.samples.constant())
    inside = b.binary<graph::AndOp>(
        inside, sample.compare(CompareDirection::lt, axis.perRegion));
  at = at.max(0.0).min(last);
  ScalarValue base = at.floor(), fraction = at - base;
  auto full = [&](Value value) { return b.broadcastTo(value, points); };
  Value known = full(inside);
  return {{full(base.to(axis.index)), full(1.0 - fraction), known},
          {full((base + 1.0).min(last).to(axis.index)), full(fraction), known}};
}

static std::optional<bool> readHalfPixel(NodeReading &n) {
  std::string mode =
      n.stringAttribute("coordinate_transformation_mode",
                        n.version < 16 ? "output_half_pixel" : "half_pixel");
  if (mode == "half_pixel" || mode == "output_half_pixel")
    return mode == "half_pixel";
  n.fail(invalid(
      fmt::format("attribute 'coordinate_transformation_mode' is '{}'", mode)));
  return std::nullopt;
}

/// The largest of the weighted neighbours of each point.
static Value largestTerm(ImportBuilder &b, Value featureMap,
                         ArrayRef<SmallVector<SampleTap>> taps,
                         Value batchIndices) {
  Value best;
  for (const SampleTap &y : taps[0])
    for (const SampleTap &x : taps[1]) {
      SmallVector<SmallVector<SampleTap>> one = {{y}, {x}};
      Value term = sampleSum(b, featureMap, one, batchIndices);
      best = best ? b.binary<graph::MaxOp>(best, term) : term;
    }
  return best;
}

static bool checkRegions(NodeReading &n) {
  if (n.rank(0) != 4 || n.rank(1) != 2 || n.rank(2) != 1 ||
      n.dims(1)[1].constant().value_or(4) != 4 ||
      !isa<FloatType>(n.elementType(0)) || !isa<FloatType>(n.elementType(1)))
    n.fail(invalid("RoiAlign needs feature maps of rank 4, regions of 4 "
                   "coordinates and a vector of batch indices"));
  else
    n.b.requireEqual(n.dims(1)[1], DimExpr(4), "numbers of coordinates");
  return !n.failed();
}

static void importRoiAlign(NodeReading &n) {
  ImportBuilder &b = n.b;
  auto halfPixel = readHalfPixel(n);
  int64_t height = n.intAttribute("output_height", 1),
          width = n.intAttribute("output_width", 1),
          samples = n.intAttribute("sampling_ratio", 0);
  std::string mode = n.stringAttribute("mode", "avg");
  if (n.failed() || !checkRegions(n))
    return;
  constexpr int64_t most = 1 << 12;
  if (height < 1 || width < 1 || height > most || width > most ||
      samples > most || (mode != "avg" && mode != "max"))
    return n.fail(invalid("an attribute of RoiAlign is out of its range"));
  if (samples < 1 && mode == "max")
    return n.fail(unsupported("RoiAlign of maxima with a sampling_ratio that "
                              "depends on the regions (0)"));
  Type wide = wideFloat(b, n.elementType(0));
  Value featureMap = n.input(0), regions = b.convert(n.input(1), wide);
  DimVector dims = n.dims(0);
  Type index = indexType(b, dims);
  ScalarValue batchIndices(b, b.convert(n.input(2), b.builder.getI64Type()));
  if (index.isInteger(32)) // points outside stay outside
    batchIndices = batchIndices.max(0.0).min(double(INT32_MAX)).to(index);
  double scale = n.floatAttribute("spatial_scale", 1),
         offset = *halfPixel ? 0.5 : 0;
  auto axis = [&](int64_t first, int64_t bins, int64_t dim) {
    ScalarValue start = column(b, regions, first, 5) * scale - offset,
                end = column(b, regions, first + 2, 5) * scale - offset;
    ScalarValue extent = end - start;
    if (!*halfPixel)
      extent = extent.max(1.0);
    auto [most, perRegion] = samplesOfBins(extent, b, bins, samples);
    return RegionAxis{start, extent,    bins,          1 + dim, 3 + dim,
                      most,  perRegion, dims[2 + dim], index};
  };
  RegionAxis rows = axis(1, height, 0), columns = axis(0, width, 1);
  DimVector points = {n.dims(1)[0], DimExpr(height), DimExpr(width),
                      rows.samples, columns.samples};
  SmallVector<SmallVector<SampleTap>> taps = {
      regionTaps(b, rows, points, wide), regionTaps(b, columns, points, wide)};
  if (mode == "max") {
    Value values = largestTerm(b, featureMap, taps, batchIndices);
    return n.result(b.convert(b.reduce(ReduceKind::max, values, {4, 5}, false),
                              n.elementType(0)));
  }
  ScalarValue sum(b, b.reduce(ReduceKind::sum,
                              sampleSum(b, featureMap, taps, batchIndices),
                              {4, 5}, false));
  // One batch index per region, or one for all.
  ScalarValue count = (rows.perRegion * columns.perRegion).max(1.0);
  if (samples < 1)
    count = {b, b.reshape(count, alongDim(4, 0, n.dims(1)[0]))};
  if (!n.failed())
    n.result(b.convert(sum / count, n.elementType(0)));
}

//===----------------------------------------------------------------------===//
// MaxRoiPool
//===----------------------------------------------------------------------===//

/// Which positions belong to which bin along one dimension: booleans of
/// [regions, bins, size].
static Value binMembers(ImportBuilder &b, ScalarValue start, ScalarValue end,
                        int64_t bins, const DimExpr &size) {
  Type f32 = b.builder.getF32Type();
  ScalarValue extent = (end - start + 1.0).max(1.0),
              step = extent / double(bins);
  ScalarValue bin(b, b.iota(1, alongDim(3, 1, bins), f32));
  DimVector positions = {DimExpr(1), DimExpr(1), size};
  ScalarValue position(b, b.iota(2, positions, f32));
  ScalarValue low = (bin * step).floor() + start,
              high = ((bin + 1.0) * step).apply<graph::CeilOp>() + start;
  return b.binary<graph::AndOp>(position.compare(CompareDirection::ge, low),
                                position.compare(CompareDirection::lt, high));
}

/// The maximum over the elements of each bin, one dimension after the other.
static Value maxOfBins(ImportBuilder &b, Value values, Value members,
                       int64_t dim) {
  // Values [regions, features, ...] with `dim` replaced by bins.
  DimVector from = b.dims(values), bins = b.dims(members), wide = from;
  wide.insert(wide.begin() + dim, bins[1]);
  SmallVector<int64_t> mapping;
  for (int64_t i = 0; i < int64_t(from.size()); ++i)
    mapping.push_back(i < dim ? i : i + 1);
  Type element = getElementTypeOrSelf(values.getType());
  Value chosen = b.select(b.broadcast(members, {0, dim, dim + 1}, wide),
                          b.broadcast(values, mapping, wide),
                          b.scalarConstant(element, -INFINITY));
  return b.reduce(ReduceKind::max, chosen, {dim + 1}, false);
}

static void importMaxRoiPool(NodeReading &n) {
  ImportBuilder &b = n.b;
  SmallVector<int64_t> shape = n.intsAttribute("pooled_shape");
  constexpr int64_t most = 1 << 12;
  if (n.rank(0) != 4 || n.rank(1) != 2 || !n.dims(1)[1].isConstant(5) ||
      shape.size() != 2 || shape[0] < 1 || shape[1] < 1 || shape[0] > most ||
      shape[1] > most || !isa<FloatType>(n.elementType(0)))
    return n.fail(invalid("MaxRoiPool needs feature maps of rank 4, regions of "
                          "a batch index and 4 coordinates, and two sizes"));
  Type i64 = b.builder.getI64Type();
  double scale = n.floatAttribute("spatial_scale", 1);
  Value featureMap = n.input(0);
  Value regions = b.convert(n.input(1), b.builder.getF32Type());
  DimVector dims = n.dims(0);
  Value batchIndices =
      b.reshape(b.convert(b.sliceDim(regions, 1, DimExpr(0), DimExpr(1)), i64),
                {n.dims(1)[0], DimExpr(1)});
  auto edge = [&](int64_t at) {
    return (column(b, regions, at, 3) * scale).apply<graph::RoundAwayOp>();
  };
  Value rows = binMembers(b, edge(2), edge(4), shape[0], dims[2]);
  Value columns = binMembers(b, edge(1), edge(3), shape[1], dims[3]);
  SmallVector<int64_t> sizes = {1};
  for (const DimExpr &dim : ArrayRef(dims).drop_front())
    sizes.push_back(dim.constant().value_or(-1));
  DimVector chosen = dims;
  chosen[0] = n.dims(1)[0];
  auto dimsAttr = graph::GatherDimsAttr::get(b.builder.getContext(), {1, 2, 3},
                                             {0}, {}, {}, {0}, 1);
  Value values =
      b.emit<graph::GatherOp>(b.typeOf(chosen, n.elementType(0)), featureMap,
                              batchIndices, dimsAttr, sizes);
  values = maxOfBins(b, values, rows, 2);
  values = maxOfBins(b, values, columns, 3);
  // An empty bin gives 0.
  Value lowest = b.scalarConstant(n.elementType(0), -INFINITY);
  Value isEmpty = b.compare(CompareDirection::eq, values, lowest);
  n.result(b.select(isEmpty, b.scalarConstant(n.elementType(0), 0), values));
}

//===----------------------------------------------------------------------===//
// DeformConv
//===----------------------------------------------------------------------===//

namespace {
struct Deformed {
  Window window;
  int64_t groups = 1, offsetGroups = 1, taps = 1;
  DimExpr batch, features, outputs; // dimensions
};
} // namespace

static std::optional<Deformed> readDeformed(NodeReading &n) {
  Deformed d;
  DimVector dims = n.dims(0), kernel = n.dims(1);
  d.groups = n.intAttribute("group", 1);
  d.offsetGroups = n.intAttribute("offset_group", 1);
  if (n.rank(0) != 4 || n.rank(1) != 4 || n.rank(2) != 4 ||
      (n.has(4) && n.rank(4) != 4) || d.groups < 1 || d.offsetGroups < 1 ||
      !isa<FloatType>(n.elementType(0))) {
    n.fail(unsupported("DeformConv that is not of 2 dimensions"));
    return std::nullopt;
  }
  DimVector size = kernelSize(n, kernel);
  for (const DimExpr &dim : size)
    if (!dim.constant()) {
      n.fail(unsupported("a kernel of unknown size"));
      return std::nullopt;
    }
  d.window = readWindow(n, size, ArrayRef(dims).drop_front(2));
  for (int64_t taps : constantSize(d.window))
    d.taps *= taps;
  d.batch = dims[0];
  d.features = dims[1];
  d.outputs = kernel[0];
  auto fits = [](const DimExpr &dim, int64_t by) {
    return dim.constant() && *dim.constant() % by == 0;
  };
  if (!n.failed() && (!fits(dims[1], d.groups) || !fits(kernel[0], d.groups) ||
                      !fits(dims[1], d.offsetGroups)))
    n.fail(invalid("groups do not divide the features"));
  return n.failed() ? std::nullopt : std::optional(d);
}

/// Positions that the taps read along dimension `i`: [batch * offset groups,
/// taps, outputs...].
static ScalarValue deformedPositions(NodeReading &n, const Deformed &d,
                                     Value offsets, size_t i, Type type) {
  ImportBuilder &b = n.b;
  DimVector points = b.dims(offsets);
  SmallVector<float> tapOffsets;
  for (int64_t t = 0; t < d.taps; ++t) {
    int64_t columns = *d.window.size[1].constant();
    int64_t tap = i == 0 ? t / columns : t % columns;
    tapOffsets.push_back(tap * d.window.dilations[i] - d.window.low[i]);
  }
  Value taps = b.convert(
      b.constant(DenseElementsAttr::get(
          RankedTensorType::get({1, d.taps, 1, 1}, b.builder.getF32Type()),
          ArrayRef<float>(tapOffsets))),
      type);
  DimVector line = {DimExpr(1), DimExpr(1), DimExpr(1), DimExpr(1)};
  line[2 + i] = points[2 + i];
  ScalarValue output(b, b.iota(2 + i, line, type));
  return ScalarValue(b, offsets) + output * double(d.window.strides[i]) +
         ScalarValue(b, taps);
}

static void importDeformConv(NodeReading &n) {
  ImportBuilder &b = n.b;
  auto d = readDeformed(n);
  if (!d)
    return;
  Type wide = wideFloat(b, n.elementType(0));
  const DimVector &out = d->window.outputDims;
  DimExpr rows = d->batch * DimExpr(d->offsetGroups), taps(d->taps);
  Value featureMap =
      b.reshape(b.convert(n.input(0), wide),
                {rows, *d->features.exactDiv(DimExpr(d->offsetGroups)),
                 n.dims(0)[2], n.dims(0)[3]});
  Value offsets = b.reshape(b.convert(n.input(2), wide),
                            {rows, taps, DimExpr(2), out[0], out[1]});
  SmallVector<SmallVector<SampleTap>> neighbours;
  for (int64_t i = 0; i < 2; ++i) {
    Value along = b.reshape(b.sliceDim(offsets, 2, DimExpr(i), DimExpr(1)),
                            {rows, taps, out[0], out[1]});
    neighbours.push_back(linearTaps(b, deformedPositions(n, *d, along, i, wide),
                                    n.dims(0)[2 + i], indexType(b, n.dims(0))));
  }
  // [rows, features / offset groups, taps, outputs...]
  Value columns = sampleSum(b, featureMap, neighbours);
  if (n.has(4) && !n.failed()) {
    Value mask = b.reshape(b.convert(n.input(4), wide),
                           {rows, DimExpr(1), taps, out[0], out[1]});
    columns = b.binary<graph::MulOp>(columns, mask);
  }
  DimExpr perGroup = *d->features.exactDiv(DimExpr(d->groups)) * taps,
          groups(d->groups), results = *d->outputs.exactDiv(groups),
          positions = b.product(out);
  columns = b.reshape(columns, {d->batch, groups, perGroup, positions});
  Value kernel =
      b.reshape(b.convert(n.input(1), wide), {groups, results, perGroup});
  auto dimsAttr =
      graph::DotDimsAttr::get(b.builder.getContext(), {0}, {1}, {2}, {2});
  Value sums = b.emit<graph::DotGeneralOp>(
      b.typeOf({groups, results, d->batch, positions}, wide), kernel, columns,
      dimsAttr);
  Value value = b.reshape(b.transpose(sums, {2, 0, 1, 3}),
                          {d->batch, d->outputs, out[0], out[1]});
  if (n.has(3)) {
    Value bias = b.broadcast(b.convert(n.input(3), wide), {1}, b.dims(value));
    value = b.binary<graph::AddOp>(value, bias);
  }
  if (!n.failed())
    n.result(b.convert(value, n.elementType(0)));
}

llvm::ArrayRef<OpRow> zenith::onnx::regionRows() {
  static constexpr OpRow rows[] = {
      {"DeformConv", 19, newest, 3, 5, importDeformConv},
      {"MaxRoiPool", 1, newest, 2, 2, importMaxRoiPool},
      {"RoiAlign", 10, newest, 3, 3, importRoiAlign},
  };
  return rows;
}
