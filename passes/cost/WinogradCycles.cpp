// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cycle model of Winograd convolution: multiply-adds or the memory of the
// filter, whichever takes longer, and the transforms of inputs and outputs.

#include "passes/cost/WinogradCycles.h"

#include "ir/dims/OneFactor.h"
#include "ir/encodings/Winograd.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::cost {

/// Tiles of `tile` results along the spatial dimension that is `before` the
/// last one. A direct convolution has one tile per position.
static DimExpr tilesAlong(ConvolutionOp op, int64_t tile, size_t before,
                          bool direct, int64_t taps,
                          ArrayRef<DimExpr> results) {
  size_t spatial = results.size() - 1;
  if (before >= spatial)
    return DimExpr(1);
  size_t i = spatial - 1 - before;
  const DimExpr &size = results[spatial - before];
  // Each row of padding is one of a row's taps, which a direct convolution
  // leaves out.
  int64_t outside = (op.getLow()[i] + op.getHigh()[i]) / taps;
  if (direct)
    return before && outside ? DimExpr::max(size - DimExpr(outside), 1) : size;
  DimExpr phases = op.getKernelDilation()[i];
  return phases * DimExpr::ceilDiv(size, phases * DimExpr(tile));
}

/// Each weight comes from memory once, while others are multiplied; transforms
/// are a few instructions per element.
DimExpr winogradCycles(ConvolutionOp op, int64_t tile,
                       const target::TargetModel &target,
                       ArrayRef<DimExpr> results) {
  // Tiles of fewer rows take almost as long.
  const auto rowsOfTile = int64_t(target.mr);
  // Instructions of two units per element and point.
  double transform = 6.4 / double(target.lanes);
  bool direct = tile == 1;
  WinogradFilter filter = *winogradFilter(op, direct ? 2 : tile);
  auto kernel = cast<RankedTensorType>(op.getKernel().getType());
  ArrayRef<int64_t> channels = kernel.getShape().take_back(2);
  double inputs = double(channels[0]), outputs = double(channels[1]);
  auto along = [&](size_t before, int64_t ofTile) {
    return tilesAlong(op, ofTile, before, direct, filter.down.taps, results);
  };
  DimExpr tiles = oneFactor(results[0] * along(0, filter.across.tile) *
                            along(1, filter.down.tile) * along(2, 1));
  double points = double(direct ? filter.taps() : filter.points()),
         weights = points * double(filter.planes) * inputs * outputs;
  DimExpr multiplyAdds =
      DimExpr::max(tiles, DimExpr(rowsOfTile)) *
      DimExpr(int64_t(weights / target.multiplyAddsPerCycle()));
  double around = direct ? 0 : transform * points * (inputs + outputs);
  return DimExpr::max(
             multiplyAdds,
             DimExpr(int64_t(4 * weights / target.memoryBytesPerCycle))) +
         tiles * DimExpr(int64_t(around));
}

DimExpr isFasterWinograd(ConvolutionOp op, int64_t tile, int64_t than,
                         const target::TargetModel &target,
                         ArrayRef<DimExpr> results) {
  constexpr int64_t clearly = 85, of = 100;
  DimExpr gain = DimExpr(clearly) * winogradCycles(op, than, target, results) -
                 DimExpr(of) * winogradCycles(op, tile, target, results);
  return DimExpr::min(DimExpr::max(gain, DimExpr(0)), DimExpr(1));
}

} // namespace zenith::cost
