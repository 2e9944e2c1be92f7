// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Points and coefficients of transformed windows, and how a convolution says
// that it has one.

#include "ir/encodings/Winograd.h"

using namespace mlir;

namespace zenith::graph {

/// With points 11/16 and 3/2 results of 512 channels are off by 2e-6 of the
/// largest one; with 1 and 2 it would be 8e-6, and 3e-7 without a transform.
WinogradTransform::WinogradTransform(int64_t tile)
    : tile(tile), taps(tile == 1 ? 1 : 3), size(tile + taps - 1) {
  if (tile == 2)
    points = {1.0};
  if (tile == 4)
    points = {0.6875, 1.5};
}

std::vector<double> WinogradTransform::evenPolynomial(int without) const {
  std::vector<double> product{1.0};
  for (auto [number, point] : llvm::enumerate(points)) {
    if (int(number) == without)
      continue;
    std::vector<double> next(product.size() + 1, 0.0);
    for (auto [power, factor] : llvm::enumerate(product)) {
      next[power] -= factor * point * point;
      next[power + 1] += factor;
    }
    product = std::move(next);
  }
  return product;
}

std::vector<std::vector<double>> WinogradTransform::window() const {
  if (taps == 1)
    return {{1.0}};
  std::vector<std::vector<double>> rows{{1.0 / evenPolynomial().front(), 0, 0}};
  for (auto [number, point] : llvm::enumerate(points)) {
    double square = point * point, others = 0, power = 1;
    for (double factor : evenPolynomial(int(number))) {
      others += factor * power;
      power *= square;
    }
    double scale = 1.0 / (2 * square * others);
    rows.push_back({scale, scale * point, scale * square});
    rows.push_back({scale, -scale * point, scale * square});
  }
  rows.push_back({0, 0, 1});
  return rows;
}

std::optional<WinogradFilter> winogradFilter(ConvolutionOp op, int64_t tile) {
  auto kernel = cast<RankedTensorType>(op.getKernel().getType());
  int64_t spatial = kernel.getRank() - 2;
  ConvDimsAttr dims = op.getDims();
  bool last =
      dims.getKernelInput() == spatial &&
      dims.getKernelOutput() == spatial + 1 &&
      llvm::equal(dims.getKernelSpatial(), llvm::seq<int64_t>(0, spatial));
  if (!last || spatial < 1 || spatial > 3 || (tile != 2 && tile != 4))
    return std::nullopt;
  WinogradFilter points{WinogradTransform(spatial == 1 ? 1 : tile),
                        WinogradTransform(tile),
                        spatial == 3 ? kernel.getDimSize(0) : 1};
  bool fits =
      kernel.hasStaticShape() && points.planes >= 1 &&
      kernel.getDimSize(spatial - 1) == points.across.taps &&
      (spatial == 1 || kernel.getDimSize(spatial - 2) == points.down.taps);
  return fits ? std::optional(points) : std::nullopt;
}

/// Each weight comes from memory once, meanwhile others are multiplied;
/// transforms are a few instructions for each number.
DimExpr winogradCycles(ConvolutionOp op, int64_t tile, int64_t lanes,
                       ArrayRef<DimExpr> results) {
  // Tiles of fewer rows take almost as long.
  constexpr int64_t rowsOfTile = 6;
  double multiplyAdds = 1.75 * double(lanes), transform = 6.4 / double(lanes);
  // Measured: 16 GB/s at 2.8 GHz where vectors have 512 bits.
  double bytesPerCycle = lanes >= 16 ? 5.5 : 4;
  bool direct = tile == 1;
  WinogradFilter window = *winogradFilter(op, direct ? 2 : tile);
  size_t spatial = results.size() - 1;
  auto tilesAlong = [&](size_t before, int64_t ofTile) {
    if (before >= spatial)
      return DimExpr(1);
    size_t i = spatial - 1 - before;
    const DimExpr &size = results[spatial - before];
    // Each line of padding is one of a line's taps, which direct sums leave out
    // (17x17 pixels, dilation 12: 1.4 ms, 2.9 by values).
    int64_t outside = (op.getLow()[i] + op.getHigh()[i]) / window.down.taps;
    if (direct)
      return before && outside ? DimExpr::max(size - DimExpr(outside), 1)
                               : size;
    DimExpr phases = op.getKernelDilation()[i];
    return phases * DimExpr::ceilDiv(size, phases * DimExpr(ofTile));
  };
  auto kernel = cast<RankedTensorType>(op.getKernel().getType());
  ArrayRef<int64_t> channels = kernel.getShape().take_back(2);
  double inputs = double(channels[0]), outputs = double(channels[1]);
  DimExpr tiles = results[0] * tilesAlong(0, window.across.tile) *
                  tilesAlong(1, window.down.tile) * tilesAlong(2, 1);
  double points = double(direct ? window.taps() : window.points()),
         weights = points * double(window.planes) * inputs * outputs;
  DimExpr products = DimExpr::max(tiles, DimExpr(rowsOfTile)) *
                     DimExpr(int64_t(weights / multiplyAdds));
  double around = direct ? 0 : transform * points * (inputs + outputs);
  return DimExpr::max(products, DimExpr(int64_t(4 * weights / bytesPerCycle))) +
         tiles * DimExpr(int64_t(around));
}

DimExpr isFasterWinograd(ConvolutionOp op, int64_t tile, int64_t than,
                         int64_t lanes, ArrayRef<DimExpr> results) {
  constexpr int64_t clearly = 85, of = 100;
  DimExpr gain = DimExpr(clearly) * winogradCycles(op, than, lanes, results) -
                 DimExpr(of) * winogradCycles(op, tile, lanes, results);
  return DimExpr::min(DimExpr::max(gain, DimExpr(0)), DimExpr(1));
}

std::optional<TransformedFilter> matchTransformedFilter(ConvolutionOp op) {
  auto mark = op->getAttrOfType<IntegerAttr>(winogradTileAttrName);
  auto reshape = op.getKernel().getDefiningOp<ReshapeOp>();
  auto slice =
      reshape ? reshape.getOperand().getDefiningOp<SliceOp>() : SliceOp();
  auto points = mark ? winogradFilter(op, mark.getInt()) : std::nullopt;
  if (!points || !slice)
    return std::nullopt;
  auto kernel = cast<RankedTensorType>(op.getKernel().getType()),
       matrix = cast<RankedTensorType>(slice.getOperand().getType());
  auto all = [](ArrayRef<int64_t> values, int64_t value) {
    return llvm::all_of(values, [&](int64_t x) { return x == value; });
  };
  int64_t ofTap = kernel.getShape().drop_back().back() * points->planes,
          before = points->points() * ofTap,
          rows = before + points->taps() * ofTap;
  bool reads =
      op.getGroups() == 1 && all(op.getStrides(), 1) &&
      all(op.getInputDilation(), 1) && matrix.getRank() == 2 &&
      matrix.getShape() == ArrayRef<int64_t>{rows, kernel.getShape().back()} &&
      slice.getStaticStarts() == ArrayRef<int64_t>{before, 0} &&
      all(slice.getStrides(), 1);
  if (!reads)
    return std::nullopt;
  return TransformedFilter{*points, slice.getOperand()};
}

} // namespace zenith::graph
