// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a GEMM is divided: register tiles, panels, tasks and blocks of K.

#ifndef ZENITH_LOWERING_SCHEDULE_GEMMSCHEDULE_H
#define ZENITH_LOWERING_SCHEDULE_GEMMSCHEDULE_H

#include "lowering/schedule/ContractionSpace.h"
#include "lowering/schedule/Schedule.h"
#include <variant>

namespace zenith::kernels {

/// Panels that are best copied together, row by row: a row of one panel is too
/// short a run of memory for the hardware prefetcher.
inline constexpr int64_t panelsPerCopy = 4;

/// A tile sums over all of K in registers.
struct WholeK {};

/// All tiles of a task add a block of K to their accumulators, which wait in
/// memory, before the next block begins. The block of B stays in cache.
struct BlockedK {
  enum Reuse {
    Panel,   ///< all tiles meet a block of a panel before the next panel
    Tile,    ///< a tile meets the blocks of all panels of the task before the
             ///< next tile, whose rows of A are far away in memory
    PackedA, ///< like Panel, with a block of A's rows copied first (A-packing),
             ///< so that tiles read it contiguously
    ShortBlocks ///< like Panel; blocks are so short that the rows of A, which
                ///< are strided along K, stay in the first-level cache. The
                ///< next block is prefetched meanwhile.
  };
  int64_t blocks = 1;
  /// KC: k of a block where the space has no taps; otherwise 0, and a block is
  /// an iteration of the outermost tap.
  int64_t kc = 0;
  Reuse reuse = Panel;
  int64_t kAhead = 0; ///< PackedA: copies prefetch the rows of so many k later
};

/// GEMV-style sweep: few rows meet a row-major B that is read only once. Each
/// block of K of it is read from left to right, for all columns of the task.
struct SweptK {
  int64_t blocks = 1;
  int64_t kc = 0;            ///< k of a block
  int64_t panelsPerStep = 1; ///< panels whose accumulators are in registers
};

/// Copies of blocks of B's panels that a task makes before it multiplies them.
struct TaskPanels {
  enum Kind {
    Packed, ///< from a row-major B (ContractionSpace::Copied)
    Widened ///< from panels of a narrower type, once for all tiles of the task
  } kind = Packed;
  int64_t elements = 0; ///< of a block of a panel
};

/// Neighbouring tasks that a thread which has them all runs as one.
struct JoinedTasks {
  enum Along { PanelGroups, RowBlocks } along = PanelGroups;
  int64_t count = 1;
};

/// Tiles, and rows of them, that are finished at once where results are stored
/// column by column.
struct ColumnStores {
  int64_t tiles = 1, rows = 1;
  bool operator==(const ColumnStores &other) const {
    return tiles == other.tiles && rows == other.rows;
  }
};

/// Depends on shapes and target only, so that results don't depend on which
/// thread runs which task. A task is a block of rows by a group of panels of
/// one iteration of the outer axes.
struct GemmSchedule {
  graph::DimExpr tilesPerRowAxis, tileCount, panelCount;
  graph::DimExpr rowBlocks, panelGroups;
  int64_t tilesPerTask = 1, panelsPerTask = 1;
  std::variant<WholeK, BlockedK, SweptK> k;
  std::optional<TaskPanels> taskPanels;
  JoinedTasks joined;
  sched::Prefetches prefetch;
  /// Of micro-kernels, the highest first; empty where M says them.
  llvm::SmallVector<int64_t> heights;
  std::optional<ColumnStores> columnStores;
  int64_t sums = 0;       ///< sets of accumulators; 0: one
  int64_t mirrorRows = 0; ///< of squares that a launch of its own mirrors
  /// The order of tasks, beside panel groups, which come first.
  enum TaskOrder {
    RowBlocksFirst,
    /// Outer axes come before row blocks: all groups of a convolution read
    /// channels of the same positions, which share cache lines.
    OuterAxesFirst
  } order = RowBlocksFirst;
  double costPerTask = 0; ///< estimate in flops

  const BlockedK *blockedK() const { return std::get_if<BlockedK>(&k); }
  const SweptK *sweptK() const { return std::get_if<SweptK>(&k); }
  bool reuses(BlockedK::Reuse what) const {
    return blockedK() && blockedK()->reuse == what;
  }
  bool packsA() const { return reuses(BlockedK::PackedA); }
  /// Accumulators wait in memory between blocks of K.
  bool storesAccumulators() const { return blockedK() || sweptK(); }
  int64_t kBlocks() const;
  int64_t kc() const; ///< 0 for WholeK
  unsigned accumulatorSets() const {
    return unsigned(std::max<int64_t>(1, sums));
  }
  bool widens() const {
    return taskPanels && taskPanels->kind == TaskPanels::Widened;
  }
  bool joins(JoinedTasks::Along along) const {
    return joined.count > 1 && joined.along == along;
  }
};

/// What the fusion's schedule says of a GEMM that is no Winograd convolution.
struct GivenTile {
  int64_t rows = 0, columns = 0, lanes = 0; ///< 0: left to shapes and target
  int64_t tilesPerTask = 0, panelsPerTask = 0;
  int64_t kc = 0; ///< k of a block; 0: left out, or taps divide K
  sched::KLoop loop;
  sched::Joined joined;
  sched::Operands operands;
  sched::Prefetches prefetch;
  llvm::SmallVector<int64_t> heights;
  std::optional<ColumnStores> columnStores;
  int64_t sums = 0, mirrorRows = 0;
  bool noWinograd = false, noSmallM = false; ///< one variant serves all sizes
};

/// Sets what the tile alone says: the numbers of tiles and panels.
void countTiles(GemmSchedule &schedule, const ContractionSpace &space,
                const TargetModel &target);
/// Sets what follows from all else: groups of panels, and the cost of a task.
void finishTasks(GemmSchedule &schedule, const ContractionSpace &space,
                 const TargetModel &target);
/// Columns of a panel that are computed.
double columnsOfPanel(const ContractionSpace &space, const TargetModel &target);

/// Blocks of at most `largest` k, a multiple of `multiple` each, of equal size
/// as far as that allows.
BlockedK evenBlocks(int64_t kSize, int64_t largest, int64_t multiple);
/// K of a block of panels that tasks copy is a multiple of this.
int64_t multipleOfCopiedK(int64_t kSize);

/// Whether outer axes that only move A come before blocks of rows: the groups
/// of a convolution.
bool hasGroupsFirst(const ContractionSpace &space);

/// Size of the row axis, or its upper bound, where one is known.
std::optional<int64_t> mostRows(const ContractionSpace &space);

/// Whether so few rows meet panels of codes that these are decoded in
/// registers.
bool decodesInRegisters(const ContractionSpace &space);

/// The schedule that an attribute with all keys says.
GemmSchedule gemmScheduleOf(const ContractionSpace &space,
                            const TargetModel &target, const GivenTile &given);
/// How the attribute says it.
sched::KLoop loopOf(const GemmSchedule &schedule);
sched::Joined joinedOf(const GemmSchedule &schedule);

/// Chooses the tasks, panels and K-blocking of a GEMM.
GemmSchedule chooseGemmSchedule(const ContractionSpace &space,
                                const TargetModel &target);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_GEMMSCHEDULE_H
