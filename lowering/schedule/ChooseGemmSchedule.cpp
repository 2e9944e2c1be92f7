// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cache blocking: chooses tasks by what fits the second-level cache: rows of A
// beside a panel of B, or all of B.

#include "lowering/builder/MachineClasses.h"
#include "lowering/schedule/GemmSchedule.h"
#include "lowering/schedule/KBlocking.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

using zenith::graph::DimExpr;

namespace zenith::kernels {

/// Rows of A that stay in the second-level cache while panels stream by.
static double rowBlockBytes(const TargetModel &target) {
  return target.l2Share(25.0 / 32);
}
/// More tiles gain nothing: what a task reads of B is a small part of its time.
static constexpr double maxTilesPerTask = 512;
/// Tiles whose accumulators a task keeps in memory between blocks of K: a few
/// of the second-level cache's lines, beside panels and rows.
static double maxBlockedTiles(const TargetModel &target) {
  return target.l2Share(3.0 / 16) / accumulatorBytes(target);
}
/// The packed rows of A stay in the second-level cache.
static double packedRowBytes(const TargetModel &target) {
  return target.l2Share(0.5);
}

/// Several panels share a block of packed rows, as long as enough tasks are
/// left.
static void choosePanelsOfPackedRows(GemmSchedule &schedule,
                                     const ContractionSpace &space,
                                     const TargetModel &target) {
  double panels = std::max(1.0, estimate(schedule.panelCount));
  double all =
      panels * estimate(schedule.rowBlocks) * estimate(space.outerCount());
  double several =
      std::clamp(std::floor(all / fewestPackedTasks(space, target)), 1.0,
                 maxBlockedPanels);
  double groups = std::ceil(panels / several);
  schedule.panelsPerTask = int64_t(std::ceil(panels / groups));
}

/// With long K, a block of all rows does not stay in the second-level cache: a
/// tile's rows meet several panels while they are there, as long as enough
/// tasks are left and the blocks of all these panels stay there too. Where
/// there are no other rows, a thread joins its neighbouring tasks.
static void choosePanelsOfTile(GemmSchedule &schedule,
                               const ContractionSpace &space, unsigned nr,
                               const TargetModel &target) {
  // A task for each core.
  const double fewestTasks = target.unitShare(1);
  auto *blocked = std::get_if<BlockedK>(&schedule.k);
  if (!blocked || schedule.order == GemmSchedule::OuterAxesFirst ||
      schedule.panelsPerTask > 1 || !space.taps.empty() ||
      space.form != ContractionSpace::Panels)
    return;
  double blockBytes =
      double(blocked->kc) * nr * double(elementSize(space.b.element));
  double mostPanels =
      std::clamp(std::floor(target.l2Share(0.5) / blockBytes), 1.0, 4.0);
  blocked->reuse = BlockedK::Tile;
  DimExpr others = schedule.rowBlocks * space.outerCount();
  if (others.isConstant(1)) {
    schedule.joined.count = int64_t(mostPanels);
    return;
  }
  double all = estimate(schedule.panelCount) * estimate(others);
  schedule.panelsPerTask =
      int64_t(std::clamp(std::floor(all / fewestTasks), 1.0, mostPanels));
}

/// Panels per task where a single tile of rows reads each panel once, as fast
/// as memory delivers it: a run of panels that is worth claiming, and leaves
/// enough tasks for other threads.
static int64_t panelsOfStream(const ContractionSpace &space, unsigned mr,
                              unsigned nr, double kSize, double panels,
                              const TargetModel &target) {
  // A task for each core.
  const double fewestTasks = target.unitShare(1);
  auto rows = (space.outerRowCount() * space.rowAxis.size).constant();
  if (!rows || *rows > mr || space.form != ContractionSpace::Panels)
    return 1;
  double panelBytes =
      kSize * nr * std::max(1u, space.b.element.getIntOrFloatBitWidth() / 8);
  return int64_t(std::max(
      1.0, std::min(target.l2Share(0.5) / panelBytes, panels / fewestTasks)));
}

/// Distance in A of neighbouring rows, in elements.
static double distanceOfRows(const ContractionSpace &space) {
  return space.outerRows.empty()
             ? estimate(space.rowAxis.strideA)
             : estimate(space.outerRows.back().strideA) /
                   std::max(1.0, estimate(space.rowAxis.size));
}

/// Tiles whose positions, with the channels of all groups of a grouped
/// convolution, stay in cache; none where there are no groups.
static std::optional<double> tilesOfGroups(const ContractionSpace &space,
                                           unsigned mr,
                                           const TargetModel &target) {
  if (!hasGroupsFirst(space))
    return std::nullopt;
  return std::max(1.0, target.l2Share(0.5) /
                           (4 * std::max(1.0, distanceOfRows(space)) * mr));
}

/// Elements of A per row that no neighbouring row reads: filters that overlap
/// share most of what they read.
static double elementsPerRow(const ContractionSpace &space) {
  double kSize = std::max(1.0, estimate(space.totalK()));
  if (space.taps.empty())
    return kSize;
  double apart = distanceOfRows(space);
  return std::clamp(apart, std::min(kSize, estimate(space.kAxis.size)), kSize);
}

/// A task has the same panel of all gates, whose accumulators lie side by side.
/// Each block of rows reads all panels again: it has as many tiles as a vector
/// has lanes, so that the wider vectors are, the more multiplications share
/// what is read.
static void choosePanelsOfGates(GemmSchedule &schedule,
                                const TargetModel &target) {
  int64_t mostTiles = std::max<int64_t>(8, target.lanes);
  auto known = schedule.tileCount.constant();
  int64_t tiles = std::max<int64_t>(1, known.value_or(mostTiles)),
          blocks = (tiles + mostTiles - 1) / mostTiles;
  schedule.tilesPerTask = (tiles + blocks - 1) / blocks;
  schedule.rowBlocks =
      DimExpr::ceilDiv(schedule.tileCount, DimExpr(schedule.tilesPerTask));
}

/// Storing the results is most of the work, and tasks store whole rows: with
/// short sums, and with longer ones where there are several results, as in an
/// optimiser's update. The longer limit holds for vectors that fill lines,
/// beside second-level caches of 1 MiB and more. Sums are short where storing a
/// vector takes as long as adding to it: that is a ratio of instructions.
static bool writesRows(const ContractionSpace &space, const TargetModel &target,
                       double kSize, double bytes) {
  constexpr double shortSum = 32, shortSumOfUpdate = 256;
  auto fusion = space.op->getParentOfType<graph::FusionOp>();
  bool updates =
      vectorsFillLines(target) && fusion && fusion->getNumResults() > 1;
  return kSize <= (updates ? shortSumOfUpdate : shortSum) &&
         bytes <= (updates ? wholeSecondLevel(target) : smallBytes(target));
}

/// Tiles of a task where the rows have to be shared out too: wide panels may
/// leave one task or two to a GEMM that has enough work for several threads.
/// Only where B is small, since each task reads all of it.
static double tilesOfFairShare(const ContractionSpace &space,
                               double panelGroups, double tiles,
                               const TargetModel &target) {
  // Some threads are busy with others' tasks.
  const double fewestTasks = target.unitShare(0.25),
               flopsOfTask = target.taskFlops();
  double others = panelGroups * estimate(space.outerCount());
  double wanted = std::min(fewestTasks, flopsOf(space) / flopsOfTask);
  double parts = std::ceil(wanted / std::max(1.0, others));
  return std::ceil(tiles / std::max(1.0, parts));
}

/// Tiles of a task near `tilesPerTask` that balance two threads, where the rows
/// are computed `others` times: eight larger tasks beat nine, of which one
/// thread gets five. Of two equally balanced choices the larger one wins, since
/// each block of rows reads all of B again.
static int64_t evenTiles(int64_t tiles, int64_t tilesPerTask, double others,
                         const TargetModel &target) {
  // Of more tasks than cores, any thread finds some when it is done.
  const double fewTasks = target.unitShare(1);
  int64_t blocks = (tiles + tilesPerTask - 1) / tilesPerTask;
  int64_t best = (tiles + blocks - 1) / blocks;
  if (blocks == 1 || double(blocks) * others > fewTasks)
    return best;
  int64_t most = tilesPerTask + tilesPerTask / 8,
          fewest = (tiles + most - 1) / most;
  double least = std::numeric_limits<double>::infinity();
  for (int64_t i = fewest; i <= blocks + blocks / 2; ++i) {
    int64_t own = (tiles + i - 1) / i;
    double tasks = std::ceil(double(tiles) / double(own)) * others,
           busier = std::ceil(tasks / 2) * double(own);
    if (busier < least) {
      least = busier;
      best = own;
    }
  }
  return best;
}

/// Divides the rows of a single task, which would leave the other threads
/// without work, between two. Each reads all of B; a thread that has both tasks
/// reads it once.
static void shareRows(GemmSchedule &schedule, const ContractionSpace &space,
                      const TargetModel &target) {
  const double flopsOfTask = target.taskFlops();
  auto tiles = schedule.tileCount.constant();
  DimExpr groups =
      DimExpr::ceilDiv(schedule.panelCount, DimExpr(schedule.panelsPerTask));
  DimExpr count = groups * schedule.rowBlocks * space.outerCount();
  if (!tiles || *tiles < 2 || !count.isConstant(1) ||
      flopsOf(space) < 2 * flopsOfTask || schedule.sweptK() ||
      schedule.packsA() || schedule.joined.count > 1 || space.symmetric ||
      space.rowAxisIsOutermost || space.gates > 1)
    return;
  schedule.tilesPerTask = (*tiles + 1) / 2;
  schedule.rowBlocks = 2;
  schedule.joined = {JoinedTasks::RowBlocks, 2};
}

/// Sizes of a GEMM as numbers: estimates where they are symbolic.
struct GemmEstimate {
  unsigned mr, nr;
  double kSize, tiles, panels;

  GemmEstimate(const ContractionSpace &space, const GemmSchedule &schedule,
               unsigned mr, unsigned nr)
      : mr(mr), nr(nr), kSize(std::max(1.0, estimate(space.totalK()))),
        tiles(std::max(1.0, estimate(schedule.tileCount))),
        panels(std::max(1.0, estimate(schedule.panelCount))) {}
};

/// Tiles of a task that sweeps B or reads all of it, before they are balanced;
/// sets panelsPerTask where a task has all panels.
static double chooseWholePanels(GemmSchedule &schedule,
                                const ContractionSpace &space,
                                const TargetModel &target,
                                const GemmEstimate &gemm) {
  double perTask =
      rowBlockBytes(target) / (4 * elementsPerRow(space) * gemm.mr);
  // Long rows leave no block worth the name: stream them all past each panel.
  if (perTask < 8 || schedule.sweptK())
    perTask = maxTilesPerTask;
  auto knownPanels = schedule.panelCount.constant();
  // Tall and narrow: tasks that share cache lines of the result would contend
  // for them.
  bool narrow = gemm.tiles * gemm.mr >= 4 * gemm.panels * gemm.nr;
  double bytes = gemm.kSize * gemm.panels * gemm.nr * 4;
  bool shallow = writesRows(space, target, gemm.kSize, bytes);
  if (!schedule.sweptK() && knownPanels && *knownPanels > 0 &&
      (shallow || (narrow && bytes <= smallBytes(target)))) {
    constexpr double fewTiles = 4;
    schedule.panelsPerTask = *knownPanels;
    // Multiply-adds of a task for each column of its panels. Where B stays in
    // cache, nothing but the claim is worth sharing out: several times its time
    // for panels of four vectors.
    double work = space.form == ContractionSpace::TiledDots
                      ? target.taskFlops(0.5) / columnsOfPanel(space, target)
                      : target.taskFlops(3.2) / (4.0 * double(target.lanes));
    perTask = std::min(perTask, work / (gemm.mr * gemm.kSize * gemm.panels));
    perTask = narrow ? std::max(fewTiles, perTask) : fewTiles;
  }
  return perTask;
}

static void chooseTilesPerTask(GemmSchedule &schedule,
                               const ContractionSpace &space,
                               const TargetModel &target,
                               const GemmEstimate &gemm) {
  double perTask = chooseWholePanels(schedule, space, target, gemm);
  if (schedule.packsA()) {
    // A copy serves as many panels as it can: tasks share out the rows first.
    double most = packedRowBytes(target) / (4.0 * schedule.kc() * gemm.mr);
    double fair = gemm.tiles * std::ceil(gemm.panels / maxBlockedPanels) /
                  fewestPackedTasks(space, target);
    perTask = std::floor(std::min(most, std::max(2.0, fair)));
  } else if (schedule.kBlocks() > 1) {
    perTask = std::min(perTask, maxBlockedTiles(target));
  }
  if (auto most = tilesOfGroups(space, gemm.mr, target);
      most && !schedule.sweptK()) {
    schedule.order = GemmSchedule::OuterAxesFirst;
    perTask = std::min(perTask, *most);
  }
  double panelGroups = std::ceil(gemm.panels / double(schedule.panelsPerTask));
  if (!schedule.sweptK() && !schedule.packsA() &&
      schedule.panelCount.constant() &&
      gemm.kSize * gemm.panels * columnsOfPanel(space, target) * 4 <=
          smallBytes(target))
    perTask = std::min(
        perTask, tilesOfFairShare(space, panelGroups, gemm.tiles, target));
  int64_t &tilesPerTask = schedule.tilesPerTask;
  tilesPerTask = int64_t(std::min(perTask, maxTilesPerTask));
  if (auto known = schedule.tileCount.constant(); known && *known > 0)
    tilesPerTask =
        evenTiles(*known, tilesPerTask,
                  panelGroups * estimate(space.outerCount()), target);
  // Rows that follow each other belong to one task.
  if (space.rowAxisIsOutermost)
    tilesPerTask = int64_t(llvm::alignTo(
        uint64_t(tilesPerTask), uint64_t(*space.outerRowCount().constant())));
  schedule.rowBlocks =
      DimExpr::ceilDiv(schedule.tileCount, DimExpr(tilesPerTask));
}

GemmSchedule chooseGemmSchedule(const ContractionSpace &space,
                                const TargetModel &target) {
  GemmSchedule schedule;
  unsigned mr = mrOf(space, target), nr = nrOf(space.sum, target);
  countTiles(schedule, space, target);
  bool copied = space.form == ContractionSpace::Copied;
  bool shortBlocks = (copied || space.form == ContractionSpace::Direct) &&
                     isSmallWithLongK(space, target);
  if (copied || shortBlocks || space.gates > 1) {
    if (shortBlocks)
      chooseShortBlocks(schedule, space, target);
    else if (copied)
      chooseTaskPanels(schedule, space, target);
    else
      choosePanelsOfGates(schedule, target);
    shareRows(schedule, space, target);
    finishTasks(schedule, space, target);
    return schedule;
  }
  if (!chooseSweep(schedule, space, mr, nr, target))
    chooseKBlocks(schedule, space, mr, nr, target);
  GemmEstimate gemm(space, schedule, mr, nr);
  if (!schedule.sweptK())
    schedule.panelsPerTask =
        panelsOfStream(space, mr, nr, gemm.kSize, gemm.panels, target);
  chooseTilesPerTask(schedule, space, target, gemm);
  if (schedule.packsA())
    choosePanelsOfPackedRows(schedule, space, target);
  else
    choosePanelsOfTile(schedule, space, nr, target);
  shareRows(schedule, space, target);
  chooseWidening(schedule, space, target);
  finishTasks(schedule, space, target);
  return schedule;
}

} // namespace zenith::kernels
