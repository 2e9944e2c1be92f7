// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds planes that vectors can be transposed from, and divides them into
// bands.

#include "lowering/schedule/windows/InterleavedPlanes.h"
#include "ir/dims/OneFactor.h"
#include "lowering/builder/SizeChoice.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

/// Whether rows of planes are the last dimensions of the input and the results,
/// and each result has a plane of its own.
static bool hasRowsLast(Operation *anchor, int64_t rank) {
  auto conv = dyn_cast<graph::ConvolutionOp>(anchor);
  if (!conv)
    return true;
  auto areLast = [&](ArrayRef<int64_t> dims) {
    return dims.size() == 2 && dims[0] == rank - 2 && dims[1] == rank - 1;
  };
  graph::ConvDimsAttr dims = conv.getDims();
  auto type = cast<RankedTensorType>(conv.getKernel().getType());
  return areLast(dims.getInputSpatial()) && areLast(dims.getOutputSpatial()) &&
         type.getDimSize(dims.getKernelInput()) == 1 &&
         type.getDimSize(dims.getKernelOutput()) == int64_t(conv.getGroups());
}

std::optional<InterleavedPlanes> InterleavedPlanes::of(const WindowLoops &loops,
                                                       int64_t lanes,
                                                       int64_t positions) {
  // More taps are too much code, more lanes too many instructions to transpose.
  constexpr int64_t mostTaps = 128, fewestLanes = 8, mostLanes = 16;
  auto geometry = PlaneGeometry::of(loops);
  const IterationSpace &space = loops.space;
  int64_t rank =
      cast<RankedTensorType>(loops.anchor->getResult(0).getType()).getRank();
  if (!geometry || !geometry->rowLoop || !geometry->others.empty() ||
      lanes < fewestLanes || lanes > mostLanes || geometry->taps() > mostTaps ||
      space.dimOf(loops.column) + 1 != rank ||
      space.dimOf(*geometry->rowLoop) + 2 != rank ||
      !isa<BlockArgument>(loops.anchor->getOperand(0)) ||
      !hasRowsLast(loops.anchor, rank))
    return std::nullopt;
  std::optional<unsigned> lane;
  for (unsigned loop = 0; loop < space.rank(); ++loop)
    if (loop != loops.column && loop != *geometry->rowLoop)
      lane = loop;
  if (!lane)
    return std::nullopt;
  InterleavedPlanes planes{std::move(*geometry),
                           *lane,
                           space.size(*lane),
                           lanes,
                           positions,
                           lanes / 2};
  const PlaneSide &x = planes.geometry.x;
  int64_t widest = (planes.mostColumns - 1) * x.stride + x.reach() + 1;
  bool isPossible = widest * (planes.geometry.y.reach() + 1) <= positions &&
                    !planes.fits().isConstant(0);
  return isPossible ? std::optional(std::move(planes)) : std::nullopt;
}

DimExpr InterleavedPlanes::fits() const {
  const PlaneSide &x = geometry.x, &y = geometry.y;
  // Vectors along such rows would be half empty.
  DimExpr isNarrow = isAtMost(x.planeResults, mostColumns),
          isCopied =
              isAtMost(x.planeInputs * DimExpr(y.reach() + 1), positions),
          fillsVector = isAtLeast(x.planeInputs * y.planeInputs, lanes),
          fillsLanes = isAtLeast(planes, lanes);
  return isNarrow * isCopied * fillsVector * fillsLanes;
}

DimExpr InterleavedPlanes::paddedColumns() const {
  const PlaneSide &x = geometry.x;
  return DimExpr::max((x.planeResults - 1) * DimExpr(x.stride) +
                          DimExpr(x.reach() + 1),
                      DimExpr(1));
}

DimExpr InterleavedPlanes::rowsOfBand() const {
  const PlaneSide &x = geometry.x, &y = geometry.y;
  DimExpr lines = DimExpr::floorDiv(
      DimExpr(positions), DimExpr::max(x.planeInputs, paddedColumns()));
  DimExpr rows = DimExpr::min(
      DimExpr::floorDiv(DimExpr::max(lines - DimExpr(y.reach() + 1), 0),
                        y.stride) +
          1,
      // Each row of results may take a whole vector of them.
      positions / lanes);
  return graph::oneFactor(
      DimExpr::max(DimExpr::min(rows, y.planeResults), DimExpr(1)));
}

} // namespace zenith::kernels
