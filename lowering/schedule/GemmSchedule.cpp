// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses tasks by what fits the second-level cache: rows of A beside a panel
// of B, or all of B.

#include "lowering/schedule/GemmSchedule.h"
#include "lowering/microkernels/MicroKernel.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

using zenith::graph::DimAtom;
using zenith::graph::DimExpr;

namespace zenith::kernels {

static constexpr double maxTilesPerTask = 512;
/// Rows of A that stay in the second-level cache while panels stream by.
static double rowBlockBytes(const TargetModel &target) {
  return target.l2Share(25.0 / 32);
}
/// B is small where it stays in the second-level cache beside the rows.
static double smallBytes(const TargetModel &target) {
  return target.l2Share(0.5);
}
/// A panel that is read again for each tile: from the first-level cache where
/// rows of A take the second-level one, else from that.
static double panelBytes(const ContractionSpace &space,
                         const TargetModel &target) {
  return space.tileIsOutermost ? target.l1Share(0.75)
                               : target.l2Share(75.0 / 256);
}
static constexpr int64_t depthOfSlice = 1024;
/// Sums of sliced tiles wait in a buffer of the task.
static constexpr double maxSlicedTiles = 64;

/// A slice of a panel stays in the first-level cache beside a tile; the copied
/// rows that tiles are made of stay in the second-level one.
static constexpr int64_t depthOfPackedSlice = 384;
static double packedRowBytes(const TargetModel &target) {
  return target.l2Share(0.5);
}
/// Panels whose sums a task keeps beside that copy.
static constexpr double maxSlicedPanels = 16;

static double flopsOf(const ContractionSpace &space) {
  return 2 * estimate(space.tile.size) * estimate(space.lineCount()) *
         estimate(space.outerCount()) * estimate(space.columns.size) *
         estimate(space.depthOfAllTaps());
}

/// Rows of a line, or as many as there are at most, where that is known.
static std::optional<int64_t> mostRowsOfLine(const ContractionSpace &space) {
  const DimExpr &size = space.tile.size;
  auto rows = size.constant();
  if (const DimAtom *atom = size.asAtom();
      atom && atom->kind == DimAtom::Kind::Min)
    for (const auto &side : {atom->lhs, atom->rhs})
      rows = rows ? rows : side->constant();
  return rows;
}

/// Small products are not worth many tasks, each of which copies its rows.
static double fewestSlicedTasks(const ContractionSpace &space) {
  constexpr double flopsOfTask = 5e6;
  return std::clamp(std::floor(flopsOf(space) / flopsOfTask), 2.0, 8.0);
}

bool rowsNeedPacking(const ContractionSpace &space, const TargetModel &target) {
  // A line of A serves a row of a wide panel long enough for the second-level
  // cache to give the next one, as long as it holds all of a short sum's
  // (measured with 64 columns: 784x256x256 at 160 GFLOP/s as it lies and at 140
  // copied, 512x1024x512 at 90 and at 140). Up to 256 rows copies of panels are
  // as short anyway (256x1024x1024 at 145, with rows copied at 130).
  bool wide = tileColumns(space.sum, target) > 16;
  int64_t shortest = wide ? 257 : 64, fewest = wide ? 257 : 48;
  auto depth = space.depth.size.constant(), rows = space.tile.size.constant(),
       width = space.columns.size.constant();
  return depth && rows && width && *depth >= shortest && *rows >= fewest &&
         *width >= 128 && !target.printed && space.taps.empty() &&
         space.form != ContractionSpace::Dots &&
         !space.depth.strideA.isConstant(1);
}

bool hasFewLongSums(const ContractionSpace &space, const TargetModel &target) {
  constexpr int64_t longSum = 2048, mostResults = 8192, fewestRows = 8,
                    most = 256;
  auto rows = space.tile.size.constant(), width = space.columns.size.constant(),
       depth = space.depth.size.constant();
  return rows && width && depth && *rows >= fewestRows && *rows <= most &&
         *width > 0 && *width <= most && *depth >= longSum &&
         *rows * *width <= mostResults && space.gates == 1 &&
         space.taps.empty() && space.lines.empty() &&
         space.outerCount().isConstant(1) && !target.printed &&
         space.tile.strideA.isConstant(1) && !space.depth.strideA.isConstant(1);
}

static void chooseSlices(GemmSchedule &tasks, const ContractionSpace &space,
                         int64_t heights, unsigned columns,
                         const TargetModel &target) {
  auto depth = space.depthOfAllTaps().constant();
  auto rows = mostRowsOfLine(space), lines = space.lineCount().constant();
  bool fewTiles =
      rows && lines && *lines * ((*rows + heights - 1) / heights) < int64_t(4);
  tasks.packsRows = rowsNeedPacking(space, target);
  // Rows of A that lie side by side take a line of the second-level cache in
  // each step: B had better come from the first-level one.
  double cached = panelBytes(space, target);
  bool small = !depth || double(*depth) * columns * 4 <= cached;
  if (!tasks.packsRows &&
      (small || fewTiles || space.form == ContractionSpace::Dots))
    return;
  if (space.taps.empty()) {
    int64_t deepest = tasks.packsRows ? depthOfPackedSlice : depthOfSlice;
    tasks.slices = (*depth + deepest - 1) / deepest;
    // Groups of depths stay together.
    tasks.sliceDepth = int64_t(llvm::alignTo(
        uint64_t(*depth + tasks.slices - 1) / tasks.slices, space.group));
    tasks.slices = (*depth + tasks.sliceDepth - 1) / tasks.sliceDepth;
  } else if (space.taps.size() > 1 || space.tileIsOutermost) {
    tasks.slices = space.taps.front().axis.size.constant().value_or(1);
  }
}

/// All rows meet each slice of a few panels while it is in cache: the copy that
/// makes it so never leaves the cache.
static void chooseCopies(GemmSchedule &tasks, const ContractionSpace &space) {
  constexpr int64_t deepest = 256;
  constexpr double fewestTasks = 8;
  int64_t depth = *space.depth.size.constant();
  tasks.slices = (depth + deepest - 1) / deepest;
  tasks.sliceDepth =
      int64_t(llvm::alignTo(uint64_t(depth + tasks.slices - 1) / tasks.slices,
                            uint64_t(std::min<int64_t>(depth, 8))));
  tasks.slices = (depth + tasks.sliceDepth - 1) / tasks.sliceDepth;
  double panels = estimate(tasks.panelCount);
  double several =
      std::floor(panels * estimate(space.outerCount()) / fewestTasks);
  tasks.panelsPerTask = int64_t(
      std::clamp(several, 1.0, std::min(panels, double(panelsPerCopy))));
  tasks.tilesPerTask = *tasks.tileCount.constant();
  tasks.rowBlocks = 1;
}

/// Several panels share a block of rows, as long as enough tasks are left.
static void choosePanelsOfSlices(GemmSchedule &tasks,
                                 const ContractionSpace &space) {
  double panels = std::max(1.0, estimate(tasks.panelCount));
  double all =
      panels * estimate(tasks.rowBlocks) * estimate(space.outerCount());
  double several = std::clamp(std::floor(all / fewestSlicedTasks(space)), 1.0,
                              maxSlicedPanels);
  double groups = std::ceil(panels / several);
  tasks.panelsPerTask = int64_t(std::ceil(panels / groups));
}

/// A slice of all rows does not stay in the second-level cache: a tile's rows
/// meet several panels while they are there, as long as enough tasks are left
/// and slices of all of them stay there too. Where no other rows follow, a
/// thread joins the tasks that it has in a row.
static void choosePanelsOfDeepRows(GemmSchedule &tasks,
                                   const ContractionSpace &space,
                                   unsigned columns,
                                   const TargetModel &target) {
  constexpr double fewestTasks = 16;
  if (tasks.slices == 1 || tasks.sweeps || tasks.groupsInside ||
      tasks.panelsPerTask > 1 || !space.taps.empty() ||
      space.form != ContractionSpace::Panels)
    return;
  double sliceBytes =
      double(tasks.sliceDepth) * columns * double(elementSize(space.b.element));
  double mostPanels =
      std::clamp(std::floor(target.l2Share(0.5) / sliceBytes), 1.0, 4.0);
  tasks.tilesFirst = true;
  DimExpr others = tasks.rowBlocks * space.outerCount();
  if (others.isConstant(1)) {
    tasks.tasksAtOnce = int64_t(mostPanels);
    return;
  }
  double all = estimate(tasks.panelCount) * estimate(others);
  tasks.panelsPerTask =
      int64_t(std::clamp(std::floor(all / fewestTasks), 1.0, mostPanels));
}

/// Few rows read each panel once, as fast as memory gives it: a task takes a
/// run of panels that is worth claiming, and leaves enough tasks for other
/// threads.
static int64_t panelsOfStream(const ContractionSpace &space, unsigned heights,
                              unsigned columns, double depth, double panels,
                              const TargetModel &target) {
  constexpr double fewestTasks = 16;
  auto rows = (space.lineCount() * space.tile.size).constant();
  if (!rows || *rows > heights || space.form != ContractionSpace::Panels)
    return 1;
  double panelBytes = depth * columns *
                      std::max(1u, space.b.element.getIntOrFloatBitWidth() / 8);
  return int64_t(std::max(
      1.0, std::min(target.l2Share(0.5) / panelBytes, panels / fewestTasks)));
}

/// A column panel of a large row-major B takes a line from each of many pages;
/// memory is read at full speed only along its rows, a few of them at a time,
/// and from end to end where one thread has all columns.
static bool chooseSweep(GemmSchedule &tasks, const ContractionSpace &space,
                        unsigned heights, unsigned columns,
                        const TargetModel &target) {
  constexpr int64_t mostRows = 24, shortestDepth = 32, registers = 8;
  auto rows = (space.lineCount() * space.tile.size).constant();
  auto depth = space.depthOfAllTaps().constant();
  if (!rows || *rows < 1 || *rows > mostRows || !depth ||
      *depth < shortestDepth || !space.taps.empty() || !space.lines.empty() ||
      space.form != ContractionSpace::Direct ||
      double(*depth) * estimate(space.columns.size) * 4 <= smallBytes(target))
    return false;
  // Several tiles of rows share what is read of B, and a row more of what is
  // loaded and stored of the sums.
  bool several = *rows > int64_t(heights);
  int64_t rowsOfSlice = several ? 16 : *rows == 1 ? 4 : 8;
  // Rows whose lines meet in the same sets of the first-level cache, all but
  // full of them, before several tiles have read them.
  auto rowBytes = (space.depth.strideB * DimExpr(int64_t(4))).constant();
  if (rowBytes && *rowBytes % target.l1WayBytes() == 0)
    rowsOfSlice = std::min<int64_t>(rowsOfSlice, 8);
  tasks.sweeps = true;
  tasks.slices = (*depth + rowsOfSlice - 1) / rowsOfSlice;
  tasks.sliceDepth = rowsOfSlice;
  int64_t vectors = columns / sumLanes(space.sum, target);
  tasks.panelsOfStep = std::max<int64_t>(1, registers / (vectors * *rows));
  // Sums stay in the first-level cache, those of several tiles in the second.
  int64_t shortestRun = several ? 256 : 512,
          mostSums =
              int64_t(several ? target.l2Share(0.125) : target.l1Share(0.5)) /
              4;
  int64_t half = int64_t(estimate(space.columns.size)) / 2;
  int64_t longestRun = std::max(shortestRun, mostSums / *rows);
  int64_t run = std::min(std::max(half, shortestRun), longestRun);
  // Whole steps, so that a column's sum does not depend on where a task begins.
  tasks.panelsPerTask = int64_t(llvm::alignTo(
      std::max<int64_t>(1, run / columns), uint64_t(tasks.panelsOfStep)));
  if (space.outerCount().isConstant(1))
    tasks.tasksAtOnce = std::max<int64_t>(
        1, longestRun / (tasks.panelsPerTask * int64_t(columns)));
  return true;
}

static double distanceOfRows(const ContractionSpace &space) {
  return space.lines.empty() ? estimate(space.tile.strideA)
                             : estimate(space.lines.back().strideA) /
                                   std::max(1.0, estimate(space.tile.size));
}

/// Tiles whose pixels, with the channels of all groups, stay in cache; none
/// where there are no groups.
static std::optional<double> tilesOfGroups(const ContractionSpace &space,
                                           unsigned heights,
                                           const TargetModel &target) {
  bool movesA = false;
  for (const OuterAxis &outer : space.outer) {
    if (outer.resultDim >= 0)
      return std::nullopt;
    movesA |= !outer.axis.strideA.isConstant(0);
  }
  if (!movesA || space.lines.empty())
    return std::nullopt;
  return std::max(1.0,
                  target.l2Share(0.5) /
                      (4 * std::max(1.0, distanceOfRows(space)) * heights));
}

/// Numbers of A that a row doesn't share with its neighbours: windows that
/// overlap read most of what those before them did.
static double freshDepth(const ContractionSpace &space) {
  double depth = std::max(1.0, estimate(space.depthOfAllTaps()));
  if (space.taps.empty())
    return depth;
  double apart = distanceOfRows(space);
  return std::clamp(apart, std::min(depth, estimate(space.depth.size)), depth);
}

/// Columns of a panel that are computed.
static double columnsOfPanel(const ContractionSpace &space,
                             const TargetModel &target) {
  return space.tiledDots ? estimate(space.columns.size)
                         : tileColumns(space.sum, target);
}

static void finishTasks(GemmSchedule &tasks, const ContractionSpace &space,
                        const TargetModel &target) {
  tasks.panelGroups =
      DimExpr::ceilDiv(tasks.panelCount, DimExpr(tasks.panelsPerTask));
  double depth = std::max(1.0, estimate(space.depthOfAllTaps()));
  double tiles = std::min(std::max(1.0, estimate(tasks.tileCount)),
                          double(tasks.tilesPerTask));
  tasks.costPerTask = depth * columnsOfPanel(space, target) *
                      double(tasks.panelsPerTask) * space.gates *
                      (2 * tileRows(space, target) * tiles + 4);
}

/// A task has the same panel of all gates, whose sums wait side by side. Each
/// block of rows reads all panels again: as many rows as second-level caches of
/// processors with 512 bits have room for the sums of.
static void choosePanelsOfGates(GemmSchedule &tasks,
                                const ContractionSpace &space, unsigned columns,
                                const TargetModel &target) {
  int64_t mostTiles = target.avx512 ? 16 : 8;
  tasks.panelCount = space.gateColumns / columns;
  auto known = tasks.tileCount.constant();
  int64_t tiles = std::max<int64_t>(1, known.value_or(mostTiles)),
          blocks = (tiles + mostTiles - 1) / mostTiles;
  tasks.tilesPerTask = (tiles + blocks - 1) / blocks;
  tasks.rowBlocks =
      DimExpr::ceilDiv(tasks.tileCount, DimExpr(tasks.tilesPerTask));
}

/// Some depths of all rows stay in the first-level cache while all columns of a
/// task meet them, so that memory gives them once, from end to end. Two tasks,
/// since each reads all rows; one thread has both at once where B is read as it
/// lies.
static void chooseShortSlices(GemmSchedule &tasks,
                              const ContractionSpace &space,
                              const TargetModel &target) {
  constexpr int64_t fewestDepths = 16, mostDepths = 256;
  int64_t cachedBytes = int64_t(target.l1Share(0.5));
  int64_t rows = *space.tile.size.constant(),
          depth = *space.depth.size.constant(),
          panels = *tasks.panelCount.constant(),
          tiles = *tasks.tileCount.constant();
  int64_t depthBytes = rows * int64_t(elementSize(space.a.element));
  tasks.shortSlices = true;
  tasks.sliceDepth =
      std::clamp(cachedBytes / depthBytes / 8 * 8, fewestDepths, mostDepths);
  tasks.slices = (depth + tasks.sliceDepth - 1) / tasks.sliceDepth;
  tasks.panelsPerTask = std::min<int64_t>((panels + 1) / 2, panelsPerCopy);
  tasks.tilesPerTask = panels > 1 ? tiles : (tiles + 1) / 2;
  tasks.rowBlocks =
      DimExpr::ceilDiv(tasks.tileCount, DimExpr(tasks.tilesPerTask));
  if (panels > 1 && space.form == ContractionSpace::Direct)
    tasks.tasksAtOnce =
        (panels + tasks.panelsPerTask - 1) / tasks.panelsPerTask;
}

/// Elements of a slice of a panel that are widened beforehand; 0: none. Numbers
/// that are widened in registers take the ports of multiply-adds, half as many
/// of them as a tile has multiply-adds itself with 512 bits.
static int64_t widenedElements(const GemmSchedule &tasks,
                               const ContractionSpace &space,
                               const TargetModel &target) {
  constexpr double fewestTiles = 3;
  int64_t mostBytes = int64_t(target.l2Share(2));
  unsigned columns = tileColumns(space.sum, target);
  auto depth = space.depthOfAllTaps().constant();
  bool narrow = elementSize(space.b.element) < elementSize(space.sum);
  if (!narrow || !space.sum.isF32() || !target.avx512 || target.printed ||
      multipliesPairs(space, target) ||
      space.form != ContractionSpace::Panels || space.panel != columns ||
      tasks.sweeps || !depth || *depth == 0 ||
      std::min(estimate(tasks.tileCount), double(tasks.tilesPerTask)) <
          fewestTiles)
    return 0;
  // Rows of a panel follow each other, tap after tap.
  DimExpr stride = int64_t(columns);
  auto follows = [&](const Axis &axis) {
    bool next = axis.strideB == stride;
    stride = stride * axis.size;
    return next;
  };
  if (!follows(space.depth))
    return 0;
  for (const TapAxis &tap : llvm::reverse(space.taps))
    if (!follows(tap.axis))
      return 0;
  int64_t rows = tasks.slices == 1    ? *depth
                 : space.taps.empty() ? tasks.sliceDepth
                                      : *depth / tasks.slices;
  int64_t panels = tasks.slices == 1 || !space.taps.empty()
                       ? 1
                       : tasks.panelsPerTask * tasks.tasksAtOnce;
  return panels * rows * columns * 4 <= mostBytes ? rows * columns : 0;
}

/// The results are most of the work, and written by whole rows: those of short
/// sums, and of longer ones where there are several, as those of an optimiser's
/// update (measured with 512 bits and a second-level cache of 2 MB: steps of
/// multi-layer perceptrons take 0.94 of the time).
static bool writesRows(const ContractionSpace &space, const TargetModel &target,
                       double depth, double bytes) {
  constexpr double shortSum = 32, shortSumOfUpdate = 256;
  auto fusion = space.op->getParentOfType<graph::FusionOp>();
  bool updates = target.avx512 && fusion && fusion->getNumResults() > 1;
  return depth <= (updates ? shortSumOfUpdate : shortSum) &&
         bytes <= (updates ? target.l2Share(2) : smallBytes(target));
}

/// Tiles of a task where the rows have to be shared out too: wide panels may
/// leave a product with one task or two, enough work though it is for several
/// threads. For B that is small, since each task reads all of it.
static double tilesOfFairShare(const ContractionSpace &space,
                               double panelGroups, double tiles) {
  constexpr double fewestTasks = 4, flopsOfTask = 1e6;
  double others = panelGroups * estimate(space.outerCount());
  double wanted = std::min(fewestTasks, flopsOf(space) / flopsOfTask);
  double parts = std::ceil(wanted / std::max(1.0, others));
  return std::ceil(tiles / std::max(1.0, parts));
}

/// Tiles of a task near `tilesPerTask` that keep two threads busy alike, where
/// rows are computed `others` times: nine tasks of 60 rows, five to one thread
/// and four to the other, took a sixth longer than eight of 66. Of two such
/// numbers the larger: each block of rows reads all of B again (9 tiles of 2048
/// by 512 in a block, 0.60 ms, in three, 0.76).
static int64_t evenTiles(int64_t tiles, int64_t tilesPerTask, double others) {
  constexpr double fewTasks = 16;
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

/// A single task would leave the other threads without work: two have its rows.
/// Each reads all of B, a thread that has both once.
static void shareRows(GemmSchedule &tasks, const ContractionSpace &space) {
  constexpr double flopsOfTask = 1e6;
  auto tiles = tasks.tileCount.constant();
  DimExpr groups =
      DimExpr::ceilDiv(tasks.panelCount, DimExpr(tasks.panelsPerTask));
  DimExpr count = groups * tasks.rowBlocks * space.outerCount();
  if (!tiles || *tiles < 2 || !count.isConstant(1) ||
      flopsOf(space) < 2 * flopsOfTask || tasks.sweeps || tasks.packsRows ||
      tasks.tasksAtOnce > 1 || space.symmetric || space.tileIsOutermost ||
      space.gates > 1)
    return;
  tasks.tilesPerTask = (*tiles + 1) / 2;
  tasks.rowBlocks = 2;
  tasks.tasksAtOnce = 2;
  tasks.joinsRows = true;
}

GemmSchedule chooseTasks(const ContractionSpace &space,
                         const TargetModel &target) {
  GemmSchedule tasks;
  unsigned heights = tileRows(space, target),
           columns = tileColumns(space.sum, target);
  tasks.tilesPerLine =
      DimExpr::ceilDiv(space.tile.size, DimExpr(int64_t(heights)));
  tasks.tileCount = space.lineCount() * tasks.tilesPerLine;
  tasks.panelCount =
      DimExpr::ceilDiv(space.columns.size, DimExpr(int64_t(columns)));
  bool copied = space.form == ContractionSpace::Copied;
  bool shortSlices = (copied || space.form == ContractionSpace::Direct) &&
                     hasFewLongSums(space, target);
  if (copied || shortSlices || space.gates > 1) {
    if (shortSlices)
      chooseShortSlices(tasks, space, target);
    else if (copied)
      chooseCopies(tasks, space);
    else
      choosePanelsOfGates(tasks, space, columns, target);
    shareRows(tasks, space);
    finishTasks(tasks, space, target);
    return tasks;
  }
  if (!chooseSweep(tasks, space, heights, columns, target))
    chooseSlices(tasks, space, heights, columns, target);
  double depth = std::max(1.0, estimate(space.depthOfAllTaps()));
  double tiles = std::max(1.0, estimate(tasks.tileCount));
  double panels = std::max(1.0, estimate(tasks.panelCount));
  double computed = columnsOfPanel(space, target);
  if (!tasks.sweeps)
    tasks.panelsPerTask =
        panelsOfStream(space, heights, columns, depth, panels, target);
  double rowBytes = 4 * freshDepth(space);
  double perTask = rowBlockBytes(target) / (rowBytes * heights);
  // Long rows leave no block worth the name: stream them all past each panel.
  if (perTask < 8 || tasks.sweeps)
    perTask = maxTilesPerTask;
  auto knownPanels = tasks.panelCount.constant();
  // Tall and narrow: tasks that share lines of the result would fight for them.
  bool narrow = tiles * heights >= 4 * panels * columns;
  double bytes = depth * panels * columns * 4;
  bool shallow = writesRows(space, target, depth, bytes);
  if (!tasks.sweeps && knownPanels && *knownPanels > 0 &&
      (shallow || (narrow && bytes <= smallBytes(target)))) {
    constexpr double fewTiles = 4;
    tasks.panelsPerTask = *knownPanels;
    double work = space.tiledDots ? 500e3 / computed : 50e3;
    perTask = std::min(perTask, work / (heights * depth * panels));
    perTask = narrow ? std::max(fewTiles, perTask) : fewTiles;
  }
  if (tasks.packsRows) {
    // A copy serves as many panels as it can: tasks share out the rows first.
    double most = packedRowBytes(target) / (4.0 * tasks.sliceDepth * heights);
    double fair =
        tiles * std::ceil(panels / maxSlicedPanels) / fewestSlicedTasks(space);
    perTask = std::floor(std::min(most, std::max(2.0, fair)));
  } else if (tasks.slices > 1)
    perTask = std::min(perTask, maxSlicedTiles);
  if (auto most = tilesOfGroups(space, heights, target);
      most && !tasks.sweeps) {
    tasks.groupsInside = true;
    perTask = std::min(perTask, *most);
  }
  double panelGroups = std::ceil(panels / double(tasks.panelsPerTask));
  if (!tasks.sweeps && !tasks.packsRows &&
      depth * panels * computed * 4 <= smallBytes(target))
    perTask = std::min(perTask, tilesOfFairShare(space, panelGroups, tiles));
  int64_t &tilesPerTask = tasks.tilesPerTask;
  tilesPerTask = int64_t(std::min(perTask, maxTilesPerTask));
  if (auto known = tasks.tileCount.constant(); known && *known > 0)
    tilesPerTask = evenTiles(*known, tilesPerTask,
                             panelGroups * estimate(space.outerCount()));
  // Rows that follow each other belong to one task.
  if (space.tileIsOutermost)
    tilesPerTask = int64_t(llvm::alignTo(
        uint64_t(tilesPerTask), uint64_t(*space.lineCount().constant())));
  tasks.rowBlocks = DimExpr::ceilDiv(tasks.tileCount, DimExpr(tilesPerTask));
  if (tasks.packsRows)
    choosePanelsOfSlices(tasks, space);
  else
    choosePanelsOfDeepRows(tasks, space, columns, target);
  shareRows(tasks, space);
  tasks.widened = widenedElements(tasks, space, target);
  finishTasks(tasks, space, target);
  return tasks;
}

} // namespace zenith::kernels
