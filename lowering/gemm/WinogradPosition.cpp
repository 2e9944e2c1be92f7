// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Digits of a tile's number, phase by phase of a dilation.

#include "lowering/gemm/WinogradPosition.h"
#include "lowering/builder/RowTasks.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

/// The first output position of tile `tile` along one dimension, for tiles of
/// `size` positions that are `phases` apart.
static Value firstOfTile(KernelBuilder &k, Value tile, int64_t size,
                         int64_t phases) {
  if (phases == 1)
    return k.mul(tile, k.index(size));
  Value apart = k.index(phases);
  return k.add(k.mul(k.div(tile, apart), k.index(size * phases)),
               k.rem(tile, apart));
}

SpatialPosition positionOfTile(KernelBuilder &k,
                               const WinogradSchedule &schedule, Value tile,
                               const DimExpr &planes) {
  SmallVector<Value> digits = digitsOf(
      k, tile,
      {schedule.volumes, planes, schedule.tileRows, schedule.tilesPerRow});
  const graph::WinogradFilter &filter = schedule.filter;
  return {digits[0], digits[1],
          firstOfTile(k, digits[2], filter.down.tile, schedule.dilation[1]),
          firstOfTile(k, digits[3], filter.across.tile, schedule.dilation[2])};
}

Value inputMemory(KernelBuilder &k, const WinogradSchedule &schedule) {
  return memoryOf(k, schedule.input);
}

} // namespace zenith::kernels
