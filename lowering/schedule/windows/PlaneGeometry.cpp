// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the sides of planes, and sizes tiles of those that are unknown.

#include "lowering/schedule/windows/PlaneGeometry.h"
#include "lowering/elements/WindowElements.h"
#include "lowering/schedule/LaneChoice.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

std::optional<PlaneGeometry> PlaneGeometry::of(const WindowLoops &loops) {
  PlaneGeometry geometry;
  unsigned windowed = 0;
  const IterationSpace &space = loops.space;
  for (unsigned loop = 0; loop < space.rank(); ++loop)
    for (const WindowDim &span : loops.spans) {
      if (span.dim != space.dimOf(loop))
        continue;
      auto results = space.size(loop).constant(), inputs = span.size.constant();
      if ((results && *results < 1) || (inputs && *inputs < 1) || span.low < 0)
        return std::nullopt;
      PlaneSide side = {results.value_or(1), span.stride,   span.low,
                        span.count,          span.dilation, inputs.value_or(1),
                        space.size(loop),    span.size};
      geometry.isTile |= !results || !inputs;
      ++windowed;
      if (loop == loops.column) {
        geometry.x = std::move(side);
        continue;
      }
      if (geometry.rowLoop)
        geometry.others.emplace_back(*geometry.rowLoop, std::move(geometry.y));
      geometry.rowLoop = loop;
      geometry.y = std::move(side);
    }
  bool all = windowed == loops.spans.size() &&
             windowed == 1u + unsigned(geometry.rowLoop.has_value()) +
                             geometry.others.size() &&
             (geometry.others.empty() || geometry.readsInPlace());
  return all ? std::optional(geometry) : std::nullopt;
}

void PlaneGeometry::chooseTile(int64_t width, int64_t mostElements) {
  // Tiles large enough that few of their inputs are read by others as well;
  // what a smaller plane lacks of them is neither copied nor reduced. Rows of a
  // few vectors are those of most planes.
  constexpr int64_t tileRows = 32, fewRows = 8, vectorsOfTile = 4,
                    vectorsOfRow = 64;
  int64_t rows = rowLoop ? tileRows : 1,
          vectors = rowLoop ? vectorsOfTile : vectorsOfRow;
  setTile(rows, vectors * width, width);
  while (vectors > 1 && elements(width) > mostElements) {
    (rows > fewRows ? rows : vectors) /= 2;
    setTile(rows, vectors * width, width);
  }
}

void PlaneGeometry::setTile(int64_t rows, int64_t columns, int64_t width) {
  isVector = rowLoop && columns == width;
  y.results = rows;
  x.results = columns;
  for (PlaneSide *side : {&y, &x})
    side->inputs = std::max<int64_t>(1, side->padded() - side->low);
}

WindowSums::WindowSums(Operation *anchor)
    : element(getElementTypeOrSelf(anchor->getOperand(0).getType())),
      isConvolution(isa<graph::ConvolutionOp>(anchor)),
      rounds(isa<FloatType>(element)) {
  if (auto pool = dyn_cast<graph::ReduceWindowOp>(anchor))
    rounds &= pool.getKind() != graph::ReduceKind::max &&
              pool.getKind() != graph::ReduceKind::min;
}

bool WindowSums::inOrder(const PlaneGeometry &geometry) const {
  return rounds && geometry.taps() <= WindowElements::tapsInOrder;
}

double flopsOfPlane(graph::FusionOp fusion, const WindowSums &sums,
                    const PlaneGeometry &geometry) {
  // Cost of copying and storing one element, in flops.
  constexpr double movement = 24;
  int64_t taps = sums.reducesRows(geometry) ? geometry.y.taps + geometry.x.taps
                                            : geometry.taps();
  return double(geometry.y.results * geometry.x.results) *
         (2 * double(taps) + movement + costPerElement(fusion));
}

} // namespace zenith::kernels
