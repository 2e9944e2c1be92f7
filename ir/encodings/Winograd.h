// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions with windows of 3 or 3x3 by fewer multiplications: tiles of the
// image and the window are polynomials, known by their values at a few points.

#ifndef ZENITH_IR_ENCODINGS_WINOGRAD_H
#define ZENITH_IR_ENCODINGS_WINOGRAD_H

#include "ir/GraphOps.h"
#include <optional>
#include <vector>

namespace zenith::graph {

/// A tile of `tile` results along a dimension comes from `size` pixels
/// (S. Winograd, Arithmetic Complexity of Computations, 1980; A. Lavin and
/// S. Gray, Fast Algorithms for Convolutional Neural Networks, 2016): window
/// and pixels are evaluated at 0, at each of `points` and its negative, and at
/// infinity, in this order; the values are multiplied one by one, and the
/// results interpolated. `tile` is 2 or 4; or 1, with one tap and one pixel,
/// where there is nothing to evaluate.
struct WinogradTransform {
  explicit WinogradTransform(int64_t tile);
  int64_t tile, taps, size;
  std::vector<double> points;
  /// Points behind these at which the stored window is known, but pixels are
  /// not evaluated.
  std::vector<double> unused;

  /// For smaller tiles: the stored window's values at some of its points.
  WinogradTransform nested(int64_t smaller) const;
  int64_t storedSize() const { return size + 2 * int64_t(unused.size()); }
  /// What the pixels' value at a point, other than infinity, is multiplied by:
  /// the product of point * point - q * q over all unused q, by which the
  /// window's factors of the two transforms differ.
  double scaleAt(double point) const;

  /// Coefficients of the product of x*x - q*q over all points q but `without`
  /// (-1: over all), of x to the power 0, 2, 4 ...
  std::vector<double> evenPolynomial(int without = -1) const;
  /// [size][taps]: what a window's values are multiplied by; holds the factors
  /// that the transforms of pixels and results leave out.
  std::vector<std::vector<double>> window() const;
};

/// Marks a convolution that may be computed so; its value is the `tile`.
inline constexpr llvm::StringLiteral winogradTileAttrName =
    "graph.winograd_tile";

/// How a window of one to three dimensions is transformed: along the last two
/// of them, or the only one. The first of three is summed over as features are.
struct WinogradFilter {
  WinogradTransform down, across;
  int64_t planes; ///< of the window
  int64_t points() const { return down.size * across.size; }
  /// Points of the stored window, of which points() may be a part.
  int64_t storedPoints() const {
    return down.storedSize() * across.storedSize();
  }
  bool isNested() const { return points() != storedPoints(); }
  WinogradFilter nested(int64_t smaller) const {
    return {down.nested(smaller), across.nested(smaller), planes};
  }
  int64_t taps() const { return down.taps * across.taps; }
};
/// Nullopt for windows of other sizes, or kernels that aren't [spatial...,
/// feature, output].
std::optional<WinogradFilter> winogradFilter(ConvolutionOp op, int64_t tile);

/// The convolution reads its window from the last blocks of `features` rows of
/// a matrix [(points + taps) * planes * features, outputs]; the blocks before
/// hold the transformed window, [point][plane][feature].
struct TransformedFilter {
  WinogradFilter points;
  mlir::Value matrix;
};
/// Nullopt where the convolution isn't marked, or no longer reads its window
/// like that.
std::optional<TransformedFilter> matchTransformedFilter(ConvolutionOp op);

} // namespace zenith::graph

#endif // ZENITH_IR_ENCODINGS_WINOGRAD_H
