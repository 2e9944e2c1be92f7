// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Planes of a pooling or depthwise convolution over NCHW, as they are copied
// with their padding.

#ifndef ZENITH_LOWERING_SCHEDULE_WINDOWS_PLANEGEOMETRY_H
#define ZENITH_LOWERING_SCHEDULE_WINDOWS_PLANEGEOMETRY_H

#include "lowering/schedule/windows/WindowSchedule.h"

namespace zenith::kernels {

/// One dimension of a plane. In the copy, elements of a phase, which have the
/// same remainder by the stride, are contiguous.
struct PlaneSide {
  int64_t results = 1, stride = 1, low = 0, taps = 1, dilation = 1, inputs = 1;
  /// Of the plane that a tile is a part of.
  graph::DimExpr planeResults = 1, planeInputs = 1;

  int64_t padded() const { return (results - 1) * stride + reach() + 1; }
  int64_t reach() const { return (taps - 1) * dilation; }
  int64_t ofPhase() const {
    return std::max(results + reach() / stride,
                    (low + inputs + stride - 1) / stride);
  }
};

struct PlaneGeometry {
  PlaneSide y, x;
  std::optional<unsigned> rowLoop;
  /// Further dimensions that the filter moves along, outermost first: of
  /// volumes, whose planes are tiles.
  llvm::SmallVector<std::pair<unsigned, PlaneSide>, 1> others;
  /// The plane's size is unknown: sides are those of a tile, whose inputs reach
  /// as far as its taps.
  bool isTile = false;
  bool isVector = false; ///< tiles that have one vector of columns

  /// Nullopt where there is no plane, or a volume of known size. Tiles have no
  /// size yet.
  static std::optional<PlaneGeometry> of(const WindowLoops &loops);
  /// Tiles of at most `mostElements`, with vectors of `width` lanes.
  void chooseTile(int64_t width, int64_t mostElements);
  void setTile(int64_t rows, int64_t columns, int64_t width);

  graph::DimExpr tiles() const {
    auto along = [](const PlaneSide &side) {
      return graph::DimExpr::ceilDiv(side.planeResults, side.results);
    };
    return isTile ? along(y) * along(x) : graph::DimExpr(1);
  }
  int64_t taps() const {
    int64_t all = x.taps * y.taps;
    for (const auto &[loop, side] : others)
      all *= side.taps;
    return all;
  }
  /// Neighbouring results read elements that they share.
  bool overlaps() const {
    return x.reach() >= x.stride || y.reach() >= y.stride;
  }
  /// Tiles that are read where they lie: of volumes, of which a copy would have
  /// one plane, and where an element is read too seldom for a copy to pay off,
  /// as in tiles of a vector.
  bool readsInPlace() const {
    // More lines are too much code.
    constexpr int64_t mostLines = 16, fewReads = 3;
    bool readsOften = taps() >= fewReads * x.stride * y.stride || !rowLoop;
    return isTile && taps() / x.taps <= mostLines &&
           (!overlaps() || !readsOften || !others.empty() || isVector);
  }
  int64_t rowStride(int64_t width) const {
    return x.stride * phaseStride(width);
  }
  /// Elements of a phase of a row; the last vector of a short row reads beyond
  /// it.
  int64_t phaseStride(int64_t width) const {
    return x.ofPhase() + std::max<int64_t>(0, width - x.results);
  }
  int64_t elements(int64_t width) const {
    return y.padded() * rowStride(width) + width;
  }
};

/// The sums of a window, as far as their order matters.
struct WindowSums {
  explicit WindowSums(mlir::Operation *anchor);
  mlir::Type element; ///< of the input
  bool isConvolution;
  /// Results depend on the order in which taps are reduced.
  bool rounds;

  /// Whether the taps are few enough to keep the interpreter's order.
  bool inOrder(const PlaneGeometry &geometry) const;
  /// Whether pooling is reduced along the rows first, of which several results
  /// read each.
  bool reducesRows(const PlaneGeometry &geometry) const {
    return !isConvolution && !inOrder(geometry) && !geometry.readsInPlace() &&
           geometry.y.reach() >= geometry.y.stride && geometry.x.taps > 1;
  }
};

/// Flops of the results of a plane or tile, with what moves them.
double flopsOfPlane(graph::FusionOp fusion, const WindowSums &sums,
                    const PlaneGeometry &geometry);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_WINDOWS_PLANEGEOMETRY_H
