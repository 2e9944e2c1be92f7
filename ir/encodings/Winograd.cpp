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

WinogradTransform WinogradTransform::nested(int64_t smaller) const {
  if (taps == 1)
    return *this;
  WinogradTransform inner(smaller);
  auto used = points.begin() + int64_t(inner.points.size());
  inner.points.assign(points.begin(), used);
  inner.unused.assign(used, points.end());
  return inner;
}

double WinogradTransform::scaleAt(double point) const {
  double scale = 1;
  for (double other : unused)
    scale *= point * point - other * other;
  return scale;
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
