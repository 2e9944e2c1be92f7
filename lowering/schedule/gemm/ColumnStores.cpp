// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of neighbouring rows that are finished together fill cache lines of the
// columns.

#include "lowering/schedule/gemm/ColumnStores.h"
#include "lowering/builder/MachineClasses.h"
#include "lowering/microkernels/MicroKernel.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using zenith::graph::DimExpr;

namespace zenith::kernels {

bool finishesColumns(const ContractionSpace &space,
                     const GemmSchedule &schedule) {
  return space.gates == 1 && !schedule.sweptK();
}

static int64_t elementsOfTile(const ContractionSpace &space,
                              const TargetModel &target) {
  return int64_t(mrOf(space, target)) * nrOf(space.sum, target);
}

/// A cache line of each column, whose second half would find it evicted where
/// columns are a power of two apart. Blocks of K have few rows, which seldom
/// fill lines.
static int64_t rowsAtOnce(const ContractionSpace &space,
                          const GemmSchedule &schedule,
                          const TargetModel &target) {
  int64_t lanes = sumLanes(space.sum, target), lineBits = 8 * target.lineBytes;
  return schedule.storesAccumulators()
             ? lanes
             : std::max<int64_t>(lanes,
                                 lineBits / space.sum.getIntOrFloatBitWidth());
}

/// Elements of sums that may wait until a column of them is stored: a part of
/// the first-level cache, or of the second where that is as fast.
static int64_t mostSums(const TargetModel &target) {
  double bytes =
      vectorsFillLines(target) ? target.l2Share(1.0 / 16) : target.l1Share(0.5);
  return int64_t(bytes / sizeof(float));
}

/// As many outer rows as fill cache lines of `rows` rows, where few do; else as
/// many full tiles. What a group leaves of a line is stored twice, by masks.
static int64_t tilesAtOnce(const ContractionSpace &space,
                           const GemmSchedule &schedule, int64_t rows,
                           const TargetModel &target) {
  if (space.rowAxisIsOutermost)
    return *space.outerRowCount().constant();
  // Sums wait in 3/16 of the first-level cache, if lines need no more.
  const auto sums = int64_t(target.l1Share(3.0 / 16) / sizeof(float));
  int64_t most = mostSums(target) / elementsOfTile(space, target),
          several = std::max<int64_t>(4, sums / elementsOfTile(space, target)),
          ofLines = rows / std::gcd(int64_t(mrOf(space, target)), rows),
          whole = int64_t(llvm::alignTo(uint64_t(several), uint64_t(ofLines)));
  if (whole <= most)
    several = whole;
  auto perRowAxis = schedule.tilesPerRowAxis.constant(),
       ofRowAxis = space.rowAxis.size.constant();
  if (space.outerRows.empty() || !perRowAxis || !ofRowAxis || *ofRowAxis == 0)
    return several;
  int64_t tiles = rows / std::gcd(*ofRowAxis, rows) * *perRowAxis;
  return tiles > most ? several : tiles * std::max<int64_t>(1, several / tiles);
}

ColumnStores chooseColumnStores(const ContractionSpace &space,
                                const GemmSchedule &schedule,
                                const TargetModel &target) {
  int64_t rows = rowsAtOnce(space, schedule, target);
  // Accumulators that wait between blocks of K are those of all tiles.
  return {schedule.storesAccumulators()
              ? schedule.tilesPerTask
              : tilesAtOnce(space, schedule, rows, target),
          rows};
}

void alignTasksTo(const ColumnStores &stores, GemmSchedule &schedule) {
  if (schedule.storesAccumulators() || schedule.tilesPerTask < 2 * stores.tiles)
    return;
  schedule.tilesPerTask = int64_t(
      llvm::alignTo(uint64_t(schedule.tilesPerTask), uint64_t(stores.tiles)));
  schedule.rowBlocks =
      DimExpr::ceilDiv(schedule.tileCount, DimExpr(schedule.tilesPerTask));
}

bool mayFinish(const ColumnStores &stores, const ContractionSpace &space,
               const GemmSchedule &schedule, const TargetModel &target) {
  // Arrays of a task are on the stack of its thread.
  constexpr int64_t mostElements = 1 << 18;
  int64_t lanes = sumLanes(space.sum, target), nr = nrOf(space.sum, target);
  if (stores.rows < lanes || stores.rows % lanes ||
      stores.rows > mostElements / (2 * nr) ||
      stores.tiles > mostElements / elementsOfTile(space, target))
    return false;
  if (schedule.storesAccumulators())
    return stores.tiles == schedule.tilesPerTask;
  // Rows follow each other over all outer rows.
  return stores.tiles >= 1 &&
         (!space.rowAxisIsOutermost ||
          stores.tiles == space.outerRowCount().constant());
}

} // namespace zenith::kernels
