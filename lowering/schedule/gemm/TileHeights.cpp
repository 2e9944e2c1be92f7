// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Few heights are chosen where computing rows again takes little time.

#include "lowering/schedule/gemm/TileHeights.h"
#include "lowering/schedule/SmallM.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace zenith::kernels {

bool balancesTiles(const ContractionSpace &space) {
  return space.rowAxis.size.constant() || space.outerRows.size() > 1;
}

bool hasFreeHeights(const ContractionSpace &space) {
  return space.form != ContractionSpace::Dots && !decodesInRegisters(space) &&
         (!balancesTiles(space) ||
          (space.isSeldom && !space.rowAxis.size.constant()));
}

bool skipsRows(const ContractionSpace &space, const TargetModel &target) {
  return target.outOfOrder && !space.isAlongK() &&
         !multipliesKPairs(space, target);
}

bool endsInHalfPanels(const ContractionSpace &space,
                      const GemmSchedule &schedule, const TargetModel &target) {
  return space.fewestRows > 1 && space.form == ContractionSpace::Panels &&
         space.panel < nrOf(space.sum, target) && space.taps.empty() &&
         !schedule.storesAccumulators() && !multipliesKPairs(space, target);
}

static SmallVector<int64_t> everyHeight(int64_t most, int64_t step) {
  SmallVector<int64_t> heights;
  for (; most > step; most -= step)
    heights.push_back(most);
  heights.push_back(most);
  return heights;
}

/// Rows that are computed again take little time where they are few of many,
/// and none where B comes from behind the second-level cache meanwhile. Of tall
/// tiles in cache, every fourth height and powers of two. Where rows are
/// skipped instead, those below the tallest need no more than a short one for
/// long rounds of k.
static SmallVector<int64_t> heightsUpTo(int64_t most, int64_t fewestRows,
                                        const ContractionSpace &space,
                                        const GemmSchedule &schedule,
                                        const TargetModel &target) {
  constexpr int64_t fine = 2, coarse = 4;
  if (fewestRows >= 4 * most || space.isSeldom)
    return everyHeight(most, std::max(fine, (most + 1) / 2));
  if (most <= 2 * coarse)
    return everyHeight(most, fine);
  if (skipsRows(space, target))
    return {most, most - coarse, fine};
  Type b = schedule.widens() ? space.sum : space.elementOfB();
  double bytes = estimate(space.totalK()) * estimate(space.columns.size) *
                 double(elementSize(b));
  SmallVector<int64_t> heights = everyHeight(most, coarse);
  if (bytes > target.l2Share(1))
    return heights;
  llvm::erase_if(heights, [](int64_t own) { return own <= 2 * coarse; });
  heights.append({2 * coarse, coarse, fine});
  return heights;
}

SmallVector<int64_t> chooseHeights(const ContractionSpace &space,
                                   const GemmSchedule &schedule,
                                   const TargetModel &target) {
  int64_t most = mrOf(space, target);
  if (!endsInHalfPanels(space, schedule, target))
    return heightsUpTo(most, space.fewestRows, space, schedule, target);
  SmallVector<int64_t> heights =
      heightsUpTo(halved(target).mr, 1, space, schedule, target);
  // The tallest one is the lowest that is enough.
  while (heights.size() > 1 && heights[1] >= most)
    heights.erase(heights.begin());
  return heights;
}

bool mayHaveHeights(ArrayRef<int64_t> heights, const ContractionSpace &space,
                    const GemmSchedule &schedule, const TargetModel &target) {
  if (heights.empty() || !hasFreeHeights(space))
    return false;
  int64_t rows = mrOf(space, target), most = rows;
  if (endsInHalfPanels(space, schedule, target))
    most = std::max<int64_t>(most, halved(target).mr);
  return heights.front() >= rows && heights.front() <= most;
}

} // namespace zenith::kernels
