// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Points and coefficients of transformed windows, and how a convolution says
// that it has one.

#include "ir/WindowTransform.h"

using namespace mlir;

namespace zenith::graph {

/// With points 11/16 and 3/2 results of 512 channels are off by 2e-6 of the
/// largest one; with 1 and 2 it would be 8e-6, and 3e-7 without a transform.
WindowTransform::WindowTransform(int64_t tile) : tile(tile), size(tile + 2) {
  points =
      tile == 2 ? std::vector<double>{1.0} : std::vector<double>{0.6875, 1.5};
}

std::vector<double> WindowTransform::evenPolynomial(int without) const {
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

std::vector<std::vector<double>> WindowTransform::window() const {
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

std::optional<TransformedWindow> matchTransformedWindow(ConvolutionOp op) {
  auto mark = op->getAttrOfType<IntegerAttr>(windowTileAttrName);
  auto reshape = op.getKernel().getDefiningOp<ReshapeOp>();
  auto slice =
      reshape ? reshape.getOperand().getDefiningOp<SliceOp>() : SliceOp();
  if (!mark || !slice || (mark.getInt() != 2 && mark.getInt() != 4))
    return std::nullopt;
  auto kernel = cast<RankedTensorType>(op.getKernel().getType()),
       matrix = cast<RankedTensorType>(slice.getOperand().getType());
  ConvDimsAttr dims = op.getDims();
  auto all = [](ArrayRef<int64_t> values, int64_t value) {
    return llvm::all_of(values, [&](int64_t x) { return x == value; });
  };
  bool plain = op.getGroups() == 1 && all(op.getStrides(), 1) &&
               all(op.getInputDilation(), 1) && all(op.getKernelDilation(), 1);
  bool last = dims.getKernelInput() == 2 && dims.getKernelOutput() == 3 &&
              dims.getKernelSpatial() == ArrayRef<int64_t>{0, 1};
  if (!plain || !last || kernel.getRank() != 4 || kernel.getDimSize(0) != 3 ||
      kernel.getDimSize(1) != 3 || matrix.getRank() != 2)
    return std::nullopt;
  WindowTransform transform(mark.getInt());
  int64_t features = kernel.getDimSize(2),
          before = transform.size * transform.size * features,
          rows = before + 9 * features;
  bool reads =
      matrix.getShape() == ArrayRef<int64_t>{rows, kernel.getDimSize(3)} &&
      slice.getStaticStarts() == ArrayRef<int64_t>{before, 0} &&
      all(slice.getStrides(), 1);
  if (!reads)
    return std::nullopt;
  return TransformedWindow{mark.getInt(), slice.getOperand()};
}

} // namespace zenith::graph
