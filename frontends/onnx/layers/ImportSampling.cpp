// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Import rules of sampling grids: GridSample reads a feature map at the points
// of a grid, AffineGrid makes one.
#include "frontends/onnx/ONNXOpTable.h"
#include "frontends/onnx/import/NodeReading.h"
#include "frontends/onnx/import/SampleReading.h"

#include <fmt/format.h>

using namespace mlir;
using namespace zenith;
using namespace zenith::onnx;
using graph::CompareDirection;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {
enum class Interpolation { Nearest, Linear, Cubic };
enum class Outside { Zeros, Border, Reflection };

/// How positions along one dimension become elements.
struct Axis {
  ImportBuilder &b;
  Interpolation mode;
  Outside outside;
  ScalarValue size, low, high; // reflection is about low and high
  Type index;                  // type of element indices
};
} // namespace

/// Mirrors positions at both ends until they lie between them.
static ScalarValue reflect(const Axis &axis, ScalarValue x) {
  ScalarValue range = axis.high - axis.low, period = range * 2.0;
  ScalarValue phase = (x - axis.low).floorMod(period);
  ScalarValue mirrored =
      axis.low +
      phase.where(phase.compare(CompareDirection::le, range), period - phase);
  return mirrored.where(range.compare(CompareDirection::gt, 0.0), axis.low);
}

/// An integral position as an element.
static SampleTap tapAt(const Axis &axis, ScalarValue at, Value weight) {
  ImportBuilder &b = axis.b;
  ScalarValue last = axis.size - 1.0;
  Value inside;
  if (axis.outside == Outside::Zeros)
    inside = b.binary<graph::AndOp>(at.compare(CompareDirection::ge, 0.0),
                                    at.compare(CompareDirection::le, last));
  if (axis.outside == Outside::Reflection)
    at = reflect(axis, at);
  return {at.max(0.0).min(last).to(axis.index), weight, inside};
}

/// Weights of the four elements around a position, `x` after the second one.
static SmallVector<ScalarValue> cubicWeights(ScalarValue x) {
  constexpr double a = -0.75;
  auto near = [&](ScalarValue d) {
    return ((a + 2) * d - (a + 3)) * d * d + 1.0;
  };
  auto far = [&](ScalarValue d) {
    return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  };
  return {far(x + 1.0), near(x), near(1.0 - x), far(2.0 - x)};
}

static SmallVector<SampleTap> tapsOf(const Axis &axis, ScalarValue x) {
  if (axis.mode == Interpolation::Nearest)
    return {tapAt(axis, x.apply<graph::RoundEvenOp>(), {})};
  // Cubic reads go beyond the border from both sides of it.
  if (axis.outside == Outside::Border && axis.mode == Interpolation::Linear)
    x = x.max(0.0).min(axis.size - 1.0);
  if (axis.outside == Outside::Reflection)
    x = reflect(axis, x);
  ScalarValue base = x.floor(), fraction = x - base;
  SmallVector<SampleTap> taps;
  if (axis.mode == Interpolation::Linear)
    return {tapAt(axis, base, 1.0 - fraction),
            tapAt(axis, base + 1.0, fraction)};
  for (auto [index, weight] : llvm::enumerate(cubicWeights(fraction)))
    taps.push_back(tapAt(axis, base + (double(index) - 1), weight));
  return taps;
}

static std::optional<std::pair<Interpolation, Outside>>
readModes(NodeReading &n) {
  std::string mode = n.stringAttribute("mode", "linear"),
              padding = n.stringAttribute("padding_mode", "zeros");
  auto interpolation = llvm::StringSwitch<std::optional<Interpolation>>(mode)
                           .Case("nearest", Interpolation::Nearest)
                           .Cases("linear", "bilinear", Interpolation::Linear)
                           .Cases("cubic", "bicubic", Interpolation::Cubic)
                           .Default(std::nullopt);
  auto outside = llvm::StringSwitch<std::optional<Outside>>(padding)
                     .Case("zeros", Outside::Zeros)
                     .Case("border", Outside::Border)
                     .Case("reflection", Outside::Reflection)
                     .Default(std::nullopt);
  if (!interpolation || !outside) {
    n.fail(invalid(fmt::format("attributes 'mode' and 'padding_mode' are '{}' "
                               "and '{}'",
                               mode, padding)));
    return std::nullopt;
  }
  return std::pair(*interpolation, *outside);
}

static void importGridSample(NodeReading &n) {
  ImportBuilder &b = n.b;
  auto modes = readModes(n);
  int64_t rank = n.rank(0), count = rank - 2;
  if (n.failed())
    return;
  auto entries = rank > 0 && n.rank(1) == rank ? n.dims(1)[rank - 1].constant()
                                               : std::nullopt;
  if (count < 1 || n.rank(1) != rank || entries.value_or(count) != count ||
      !isa<FloatType>(n.elementType(1)) || isa<ComplexType>(n.elementType(0)))
    return n.fail(invalid("the grid does not fit the input"));
  if (count > 3)
    return n.fail(unsupported("a grid of more than 3 dimensions"));
  Type wide = wideFloat(b, n.elementType(1));
  if (n.elementType(0).isF64())
    wide = n.elementType(0);
  bool corners = n.intAttribute("align_corners", 0) != 0;
  Value x = n.input(0), grid = b.convert(n.input(1), wide);
  DimVector dims = n.dims(0), points = n.dims(1);
  points.back() = DimExpr(count);
  points.front() = dims.front();
  grid = b.withShape(grid, points);
  points.pop_back();
  SmallVector<SmallVector<SampleTap>> taps;
  for (int64_t i = 0; i < count; ++i) {
    // The grid names the innermost dimension first.
    ScalarValue u(b, b.reshape(b.sliceDim(grid, rank - 1,
                                          DimExpr(count - 1 - i), DimExpr(1)),
                               points));
    ScalarValue size = floatSize(b, dims[2 + i], wide),
                low = size.constant(corners ? 0 : -0.5),
                high = corners ? size - 1.0 : size - 0.5;
    ScalarValue position = corners ? (u + 1.0) / 2.0 * (size - 1.0)
                                   : ((u + 1.0) * size - 1.0) / 2.0;
    Axis axis{b,
              modes->first,
              modes->second,
              size,
              low,
              high,
              indexType(b, ArrayRef(dims).drop_front(2))};
    taps.push_back(tapsOf(axis, position));
  }
  n.result(b.convert(sampleSum(b, x, taps), n.elementType(0)));
}

//===----------------------------------------------------------------------===//
// AffineGrid
//===----------------------------------------------------------------------===//

/// Evenly spaced positions from -1 to 1 along one dimension of `dims`.
static ScalarValue spacedPositions(ImportBuilder &b, int64_t dim,
                                   const DimVector &dims, Type type,
                                   bool corners) {
  ScalarValue i(b, b.iota(dim, dims, type)),
      size = floatSize(b, dims[dim], type);
  if (!corners)
    return (i * 2.0 + 1.0) / size - 1.0;
  // A single position is the middle.
  Value single = size.compare(CompareDirection::le, 1.0);
  return i.constant(0).where(single, i * 2.0 / (size - 1.0).max(1.0) - 1.0);
}

static void importAffineGrid(NodeReading &n) {
  ImportBuilder &b = n.b;
  SmallVector<DimExpr> size = n.elements(1, "the size");
  if (n.failed())
    return;
  int64_t count = int64_t(size.size()) - 2;
  auto mayBe = [&](int64_t dim, int64_t wanted) {
    return n.dims(0)[dim].constant().value_or(wanted) == wanted;
  };
  if ((count != 2 && count != 3) || n.rank(0) != 3 || !mayBe(1, count) ||
      !mayBe(2, count + 1) || !isa<FloatType>(n.elementType(0)))
    return n.fail(invalid("theta is not [batch, 2, 3] for a size of 4 entries, "
                          "or [batch, 3, 4] for 5"));
  Type wide = wideFloat(b, n.elementType(0));
  bool corners = n.intAttribute("align_corners", 0) != 0;
  DimVector coefficients = {size[0], DimExpr(count), DimExpr(count + 1)};
  Value theta = b.convert(b.withShape(n.input(0), coefficients), wide);
  DimVector spatial(size.begin() + 2, size.end()),
      column(count + 2, DimExpr(1));
  column[0] = size[0];
  auto coefficient = [&](int64_t row, int64_t at) {
    Value part = b.sliceDim(b.sliceDim(theta, 1, DimExpr(row), DimExpr(1)), 2,
                            DimExpr(at), DimExpr(1));
    return ScalarValue(b, b.reshape(part, column));
  };
  SmallVector<Value> rows;
  for (int64_t row = 0; row < count && !n.failed(); ++row) {
    ScalarValue sum = coefficient(row, count);
    for (int64_t i = 0; i < count; ++i) {
      // Coordinates are x, y, z: the innermost dimension first.
      ScalarValue position =
          spacedPositions(b, count - 1 - i, spatial, wide, corners);
      DimVector shape = {DimExpr(1)};
      shape.append(spatial);
      shape.push_back(DimExpr(1));
      sum = sum +
            coefficient(row, i) * ScalarValue(b, b.reshape(position, shape));
    }
    rows.push_back(sum);
  }
  if (!n.failed())
    n.result(b.convert(b.concat(count + 1, rows), n.elementType(0)));
}

llvm::ArrayRef<OpRow> zenith::onnx::samplingRows() {
  static constexpr OpRow rows[] = {
      {"AffineGrid", 20, newest, 2, 2, importAffineGrid},
      {"GridSample", 16, newest, 2, 2, importGridSample},
  };
  return rows;
}
