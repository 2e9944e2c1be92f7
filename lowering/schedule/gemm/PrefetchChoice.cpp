// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefetches by the bytes of panels and rows, against the second-level cache
// and what a core reads until memory answers.

#include "lowering/schedule/gemm/PrefetchChoice.h"
#include "lowering/schedule/gemm/TileHeights.h"
#include <algorithm>

using zenith::graph::DimExpr;
using zenith::sched::Prefetch;

namespace zenith::kernels {

/// Whether one or two rows meet panels of a narrow type. Memory bounds them,
/// and the reorder buffer, half full of widening instructions, covers half as
/// many loads.
static bool streamsNarrow(const ContractionSpace &space) {
  auto rows = (space.outerRowCount() * space.rowAxis.size).constant();
  return space.form == ContractionSpace::Panels && space.taps.empty() && rows &&
         *rows <= 2 &&
         (mlir::isa<mlir::FloatType>(space.sum) || space.kInterleave > 1) &&
         space.b.element.getIntOrFloatBitWidth() <
             space.sum.getIntOrFloatBitWidth();
}

/// Whether few rows meet panels that no second-level cache holds: too few tiles
/// to prefetch all of the next panel. An estimate of zero rows comes from a
/// difference of dynamic sizes.
static bool streamsPanels(const ContractionSpace &space,
                          const DimExpr &tileCount, const TargetModel &target) {
  double bytes = estimate(space.kAxis.size) * estimate(space.columns.size) *
                 elementSize(space.b.element);
  return space.form == ContractionSpace::Panels && space.taps.empty() &&
         mlir::isa<mlir::FloatType>(space.sum) &&
         bytes > target.l2Share(0.75) && estimate(tileCount) < 4 &&
         estimate(space.outerRowCount() * space.rowAxis.size) >= 1;
}

/// Each panel comes from memory once, and the tiles that read it first would
/// wait. The tiles before them prefetch it, a cache line in each round of k.
static bool sharesNextPanel(const ContractionSpace &space,
                            const GemmSchedule &schedule,
                            const TargetModel &target) {
  double bytes = estimate(space.totalK()) * estimate(space.columns.size) *
                 std::max(1u, space.b.element.getIntOrFloatBitWidth() / 8);
  return bytes > target.l2Share(0.5) && estimate(schedule.tileCount) >= 4;
}

static double bytesOfRow(const ContractionSpace &space) {
  return estimate(space.kAxis.size) * elementSize(space.a.element);
}

/// A is tall with short rows: the hardware prefetcher tracks one stream per
/// tile row, and each is short: it ends before memory has answered.
static bool readsShortRows(const ContractionSpace &space,
                           const GemmSchedule &schedule,
                           const TargetModel &target) {
  return schedule.panelCount.isConstant(1) &&
         space.rowAxis.strideA == space.kAxis.size &&
         bytesOfRow(space) <= double(target.prefetchBytes) &&
         bytesOfRow(space) * estimate(space.rowAxis.size) > target.l2Share(1);
}

/// As many rows as memory latency takes, and not less than two tiles.
static int64_t rowsAhead(const ContractionSpace &space,
                         const TargetModel &target) {
  const double bytesAhead = 4.0 * double(target.prefetchBytes);
  return std::max(2 * int64_t(mrOf(space, target)),
                  int64_t(bytesAhead / bytesOfRow(space)));
}

static Prefetch linesOfB(int64_t fewestRows, const TargetModel &target) {
  return {Prefetch::Lines, fewestRows, target.prefetchBytes};
}

/// Three rows and more: one or two are done with a line before memory has the
/// next one, and prefetches would only delay it.
static Prefetch ofFewTiles(const TargetModel &target) {
  return linesOfB(3, target);
}

static Prefetch prefetchOfTiles(const ContractionSpace &space,
                                const GemmSchedule &schedule,
                                const TargetModel &target) {
  auto can = [&](const Prefetch &prefetch) {
    return mayPrefetch(prefetch, space, schedule, target);
  };
  const Prefetch narrow = linesOfB(1, target), panel{Prefetch::Panel};
  if (streamsNarrow(space) && can(narrow))
    return narrow;
  if (streamsPanels(space, schedule.tileCount, target) &&
      can(ofFewTiles(target)))
    return ofFewTiles(target);
  if (sharesNextPanel(space, schedule, target) && can(panel))
    return panel;
  if (!readsShortRows(space, schedule, target))
    return {};
  const Prefetch rows{Prefetch::Rows, rowsAhead(space, target)};
  return can(rows) ? rows : Prefetch();
}

sched::Prefetches choosePrefetches(const ContractionSpace &space,
                                   const GemmSchedule &schedule,
                                   const TargetModel &target) {
  sched::Prefetches chosen;
  chosen.tiles = prefetchOfTiles(space, schedule, target);
  if (endsInHalfPanels(space, schedule, target) &&
      streamsPanels(space, 1, target) &&
      mayPrefetch(ofFewTiles(target), space, schedule, target))
    chosen.rest = ofFewTiles(target);
  return chosen;
}

bool mayPrefetch(const Prefetch &prefetch, const ContractionSpace &space,
                 const GemmSchedule &schedule, const TargetModel &target) {
  bool ofPanels = space.form == ContractionSpace::Panels;
  switch (prefetch.kind) {
  case Prefetch::Open:
  case Prefetch::None:
    return true;
  case Prefetch::Lines:
    return target.prefetches && ofPanels;
  case Prefetch::Panel:
    return target.prefetches && ofPanels && !schedule.widens();
  case Prefetch::Rows:
    return target.prefetches && space.taps.empty() && space.outerRows.empty() &&
           space.kAxis.strideA.isConstant(1);
  }
  return false;
}

} // namespace zenith::kernels
