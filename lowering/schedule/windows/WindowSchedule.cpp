// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of filters, padding and strides along one dimension.

#include "lowering/schedule/windows/WindowSchedule.h"
#include "lowering/elements/ElementConversions.h"
#include "lowering/schedule/ElementsSchedule.h"

using zenith::graph::DimExpr;

namespace zenith::kernels {

RowBlocking::RowBlocking(int64_t columns, int64_t first, int64_t end,
                         int64_t most) {
  int64_t least = columns + 1, after = columns - end;
  auto blocks = [&](int64_t count) { return (count + most - 1) / most; };
  left = columns;
  for (int64_t width = most; 2 * width > most && first < end; --width) {
    int64_t times = (end - first) / width, rest = columns - times * width;
    int64_t before = first + (rest - first - after + 1) / 2;
    int64_t all = blocks(before) + blocks(rest - before) + times;
    if (times < 2 || all >= least)
      continue;
    least = all;
    left = before, atOnce = width, repeats = times, right = rest - before;
  }
}

DimExpr WindowDim::firstInside() const {
  return std::max<int64_t>(0, (low + stride - 1) / stride);
}

DimExpr WindowDim::endInside(const DimExpr &positions) const {
  DimExpr last = DimExpr::floorDiv(behind(0), stride);
  return DimExpr::max(DimExpr::min(last + 1, positions), firstInside());
}

DimExpr WindowDim::behind(const DimExpr &position) const {
  return size - 1 + low - (count - 1) * dilation - position * DimExpr(stride);
}

unsigned chosenLanesOfWindow(graph::FusionOp fusion,
                             const TargetModel &target) {
  return std::min(4 * target.lanes,
                  std::max(1u, target.lanes * 4 / widestBytes(fusion)));
}

unsigned lanesOfWindow(const EmissionContext &context) {
  return givenLanes(context.fusion,
                    chosenLanesOfWindow(context.fusion, context.target));
}

} // namespace zenith::kernels
