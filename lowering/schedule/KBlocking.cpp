// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses blocks of K by what stays in which cache.

#include "lowering/schedule/KBlocking.h"
#include "lowering/microkernels/MicroKernel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>

using zenith::graph::DimExpr;

namespace zenith::kernels {

/// A panel that each tile reads again: from the second-level cache or, where
/// rows of A are neighbours in memory, from the first-level one, since each k
/// then takes a line of the second-level cache for A.
static double panelBytes(const ContractionSpace &space,
                         const TargetModel &target) {
  return space.rowAxisIsOutermost ? target.l1Share(0.75)
                                  : target.l2Share(75.0 / 256);
}
/// K of a block whose panel fills `part` of the second-level cache; longer
/// blocks than `worthwhile` gain nothing, as loading and storing accumulators
/// is a small part of them.
static int64_t largestBlock(double part, int64_t worthwhile, unsigned nr,
                            const TargetModel &target) {
  return std::min(worthwhile,
                  int64_t(target.l2Share(part)) / int64_t(sizeof(float) * nr));
}
static int64_t largestKC(unsigned nr, const TargetModel &target) {
  return largestBlock(0.5, 1024, nr, target);
}
/// With packed A: a block of a panel stays close beside a tile's rows.
static int64_t largestPackedKC(unsigned nr, const TargetModel &target) {
  return largestBlock(3.0 / 16, 384, nr, target);
}

double flopsOf(const ContractionSpace &space) {
  return 2 * estimate(space.rowAxis.size) * estimate(space.outerRowCount()) *
         estimate(space.outerCount()) * estimate(space.columns.size) *
         estimate(space.totalK());
}

double fewestPackedTasks(const ContractionSpace &space,
                         const TargetModel &target) {
  // Each task copies its rows, which takes some of its time.
  return std::clamp(std::floor(flopsOf(space) / target.taskFlops(5)), 2.0,
                    std::max(2.0, target.unitShare(0.5)));
}

bool needsAPacking(const ContractionSpace &space, const TargetModel &target) {
  // A cache line of A serves a row of a wide panel long enough for the
  // second-level cache to deliver the next one, as long as half of the first
  // level holds all lines of a short sum: with 64 columns packing pays off at
  // K = 1024, and costs at K = 256. Up to 256 rows, copying panels of B takes
  // as little time, and is the faster choice.
  bool wide = nrOf(space.sum, target) > 16;
  int64_t lines = int64_t(target.l1Share(0.5)) / target.lineBytes,
          shortest = wide ? lines + 1 : 64, fewest = wide ? 257 : 48;
  auto kSize = space.kAxis.size.constant(),
       rows = space.rowAxis.size.constant(),
       width = space.columns.size.constant();
  return kSize && rows && width && *kSize >= shortest && *rows >= fewest &&
         *width >= 128 && target.coreCaches && space.taps.empty() &&
         !space.isAlongK() && !space.kAxis.strideA.isConstant(1);
}

bool isSmallWithLongK(const ContractionSpace &space,
                      const TargetModel &target) {
  constexpr int64_t longSum = 2048, fewestRows = 8, most = 256;
  // The first-level cache holds the accumulators.
  const int64_t mostResults = target.l1Bytes / int64_t(sizeof(float));
  auto rows = space.rowAxis.size.constant(),
       width = space.columns.size.constant(),
       kSize = space.kAxis.size.constant();
  return rows && width && kSize && *rows >= fewestRows && *rows <= most &&
         *width > 0 && *width <= most && *kSize >= longSum &&
         *rows * *width <= mostResults && space.gates == 1 &&
         space.taps.empty() && space.outerRows.empty() &&
         space.outerCount().isConstant(1) && target.coreCaches &&
         space.rowAxis.strideA.isConstant(1) &&
         !space.kAxis.strideA.isConstant(1);
}

void chooseKBlocks(GemmSchedule &schedule, const ContractionSpace &space,
                   int64_t mr, unsigned nr, const TargetModel &target) {
  if (decodesInRegisters(space))
    return;
  auto kSize = space.totalK().constant();
  auto rows = mostRows(space), outerRows = space.outerRowCount().constant();
  // Whole panels that a task decodes would not stay in cache.
  bool fewTiles = rows && outerRows && !space.codes &&
                  *outerRows * ((*rows + mr - 1) / mr) < int64_t(4);
  bool packsA = needsAPacking(space, target);
  double cached = panelBytes(space, target);
  bool small = !kSize || double(*kSize) * nr * 4 <= cached;
  if (!packsA && (small || fewTiles || space.isAlongK()))
    return;
  BlockedK k;
  if (space.taps.empty()) {
    k = evenBlocks(*kSize,
                   packsA ? largestPackedKC(nr, target) : largestKC(nr, target),
                   space.kInterleave);
  } else if (space.taps.size() > 1 || space.rowAxisIsOutermost) {
    k.blocks = space.taps.front().axis.size.constant().value_or(1);
  }
  if (packsA) {
    k.reuse = BlockedK::PackedA;
    // A quarter of the lines that are on their way from memory at once: each k
    // has those of several tiles.
    k.kAhead =
        std::max<int64_t>(1, target.prefetchBytes / (4 * target.lineBytes));
  }
  if (packsA || k.blocks > 1)
    schedule.k = k;
}

/// Panels of `kc` rows that a task copies.
static TaskPanels copiedPanels(const ContractionSpace &space, int64_t kc,
                               const TargetModel &target) {
  return {TaskPanels::Packed, int64_t(llvm::alignTo(kc, space.kInterleave)) *
                                  nrOf(space.sum, target)};
}

void chooseTaskPanels(GemmSchedule &schedule, const ContractionSpace &space,
                      const TargetModel &target) {
  const int64_t largest =
      largestBlock(0.125, 256, nrOf(space.sum, target), target);
  // A task for every other core.
  const double fewestTasks = target.unitShare(0.5);
  int64_t kSize = *space.kAxis.size.constant();
  BlockedK k = evenBlocks(kSize, largest, multipleOfCopiedK(kSize));
  if (k.blocks > 1)
    schedule.k = k;
  schedule.taskPanels = copiedPanels(space, k.kc, target);
  double panels = estimate(schedule.panelCount);
  double several =
      std::floor(panels * estimate(space.outerCount()) / fewestTasks);
  schedule.panelsPerTask = int64_t(
      std::clamp(several, 1.0, std::min(panels, double(panelsPerCopy))));
  schedule.tilesPerTask =
      schedule.tileCount.constant().value_or(tilesOfCopies(space, target));
  schedule.rowBlocks =
      schedule.tileCount.constant()
          ? DimExpr(1)
          : DimExpr::ceilDiv(schedule.tileCount, schedule.tilesPerTask);
}

bool chooseSweep(GemmSchedule &schedule, const ContractionSpace &space,
                 unsigned mr, unsigned nr, const TargetModel &target) {
  // For more rows, or a shorter K, copying B into panels costs little.
  constexpr int64_t mostSwept = 24, shortestK = 32;
  auto rows = mostRows(space);
  auto kSize = space.totalK().constant();
  if (!rows || *rows < 1 || *rows > mostSwept || !kSize || *kSize < shortestK ||
      !space.taps.empty() || !space.outerRows.empty() ||
      space.form != ContractionSpace::Direct ||
      double(*kSize) * estimate(space.columns.size) * 4 <= smallBytes(target))
    return false;
  // Several tiles of rows share what is read of B; with a single row, a longer
  // block loads and stores the accumulators less often.
  bool several = *rows > int64_t(mr);
  SweptK k;
  k.kc = several ? 16 : *rows == 1 ? 4 : 8;
  // Rows of B that map to the same sets of the first-level cache would fill
  // these before several tiles have read them.
  auto rowBytes = (space.kAxis.strideB * DimExpr(int64_t(4))).constant();
  if (rowBytes && *rowBytes % target.l1WayBytes() == 0)
    k.kc = std::min(k.kc, target.l1Ways);
  k.blocks = (*kSize + k.kc - 1) / k.kc;
  int64_t vectors = nr / sumLanes(space.sum, target);
  // Accumulators that hide the latency of multiply-adds.
  k.panelsPerStep =
      std::max<int64_t>(1, target.fmasInFlight() / (vectors * *rows));
  // Accumulators stay in the first-level cache, those of several tiles in the
  // second-level one.
  double cached = several ? target.l2Share(0.125) : target.l1Share(0.5);
  // A run of a row of B as long as memory takes to answer; several tiles of
  // rows take longer over it.
  int64_t answered = target.prefetchBytes / int64_t(sizeof(float)),
          shortestRun =
              std::max<int64_t>(nr, several ? answered / 2 : answered),
          mostSums = int64_t(cached) / int64_t(sizeof(float));
  int64_t half = int64_t(estimate(space.columns.size)) / 2;
  int64_t longestRun = std::max(shortestRun, mostSums / *rows);
  int64_t run = std::min(std::max(half, shortestRun), longestRun);
  // Whole steps, so that a column's sum does not depend on where a task begins.
  schedule.panelsPerTask = int64_t(
      llvm::alignTo(std::max<int64_t>(1, run / nr), uint64_t(k.panelsPerStep)));
  if (space.outerCount().isConstant(1))
    schedule.joined.count = std::max<int64_t>(
        1, longestRun / (schedule.panelsPerTask * int64_t(nr)));
  schedule.k = k;
  return true;
}

void chooseShortBlocks(GemmSchedule &schedule, const ContractionSpace &space,
                       const TargetModel &target) {
  constexpr int64_t smallestKC = 16, largest = 256;
  int64_t cachedBytes = int64_t(target.l1Share(0.5));
  int64_t rows = *space.rowAxis.size.constant(),
          kSize = *space.kAxis.size.constant(),
          panels = *schedule.panelCount.constant(),
          tiles = *schedule.tileCount.constant();
  int64_t rowBytes = rows * int64_t(elementSize(space.a.element));
  BlockedK k;
  k.reuse = BlockedK::ShortBlocks;
  k.kc = std::clamp(cachedBytes / rowBytes / 8 * 8, smallestKC, largest);
  k.blocks = (kSize + k.kc - 1) / k.kc;
  schedule.k = k;
  if (space.form == ContractionSpace::Copied)
    schedule.taskPanels = copiedPanels(space, k.kc, target);
  schedule.panelsPerTask = std::min<int64_t>((panels + 1) / 2, panelsPerCopy);
  schedule.tilesPerTask = panels > 1 ? tiles : (tiles + 1) / 2;
  schedule.rowBlocks =
      DimExpr::ceilDiv(schedule.tileCount, DimExpr(schedule.tilesPerTask));
  if (panels > 1 && space.form == ContractionSpace::Direct)
    schedule.joined.count =
        (panels + schedule.panelsPerTask - 1) / schedule.panelsPerTask;
}

/// Rows of a panel follow each other in memory, tap after tap.
static bool panelsAreContiguous(const ContractionSpace &space, unsigned nr) {
  DimExpr stride = int64_t(nr);
  auto follows = [&](const Axis &axis) {
    bool next = axis.strideB == stride;
    stride = stride * axis.size;
    return next;
  };
  return follows(space.kAxis) &&
         llvm::all_of(llvm::reverse(space.taps),
                      [&](const TapAxis &tap) { return follows(tap.axis); });
}

void chooseWidening(GemmSchedule &schedule, const ContractionSpace &space,
                    const TargetModel &target) {
  constexpr double fewestTiles = 3;
  int64_t mostBytes = int64_t(target.l2Share(2));
  unsigned nr = nrOf(space.sum, target);
  auto kSize = space.totalK().constant();
  bool narrow = elementSize(space.b.element) < elementSize(space.sum);
  bool paysOff =
      target.avx512 && std::min(estimate(schedule.tileCount),
                                double(schedule.tilesPerTask)) >= fewestTiles;
  if (!narrow || !space.sum.isF32() || multipliesKPairs(space, target) ||
      space.form != ContractionSpace::Panels || space.panel != nr ||
      schedule.sweptK() || !kSize || *kSize == 0 || !(paysOff || space.codes) ||
      decodesInRegisters(space) || !panelsAreContiguous(space, nr))
    return;
  int64_t blocks = schedule.kBlocks();
  int64_t rows = blocks == 1          ? *kSize
                 : space.taps.empty() ? schedule.kc()
                                      : *kSize / blocks;
  int64_t panels = blocks == 1 || !space.taps.empty()
                       ? 1
                       : schedule.panelsPerTask * schedule.joined.count;
  if (space.codes || panels * rows * nr * 4 <= mostBytes)
    schedule.taskPanels = {TaskPanels::Widened, rows * nr};
}

} // namespace zenith::kernels
