// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a product is cut: into tiles, panels, tasks, and slices of the sum.

#ifndef ZENITH_LOWERING_SCHEDULE_GEMMSCHEDULE_H
#define ZENITH_LOWERING_SCHEDULE_GEMMSCHEDULE_H

#include "lowering/schedule/ContractionSpace.h"

namespace zenith::kernels {

/// Neighbouring panels that are best copied row by row: of a line from each
/// row, little would have been asked for ahead.
inline constexpr int64_t panelsPerCopy = 4;

/// Functions of shapes and target only, so that results don't depend on who
/// runs which task.
struct GemmSchedule {
  graph::DimExpr tilesPerLine, tileCount, panelCount, rowBlocks, panelGroups;
  int64_t tilesPerTask = 1, panelsPerTask = 1;
  /// Parts of the sum that all tiles of a task finish before the next one
  /// begins: each reads a part of B that stays in cache.
  int64_t slices = 1;
  /// Depth of a slice where the space has no taps; else a slice is one step of
  /// the outermost tap.
  int64_t sliceDepth = 0;
  /// A slice of A's rows is copied first, so that tiles read it depth by depth
  /// from one end to the other.
  bool packsRows = false;
  /// Each tile meets a slice of all panels of the task before the next tile:
  /// the rows that it reads come from afar.
  bool tilesFirst = false;
  /// Slices are so short that rows of A, which run across them, stay in the
  /// first-level cache; those of the next slice are asked for meanwhile.
  bool shortSlices = false;
  /// The few rows there are meet a B that is read only once: each slice of it
  /// is read from left to right, past all columns of the task.
  bool sweeps = false;
  /// Of a sweep: panels whose sums are in registers at once.
  int64_t panelsOfStep = 1;
  /// Neighbouring tasks that a thread which has them all runs as one.
  int64_t tasksAtOnce = 1;
  /// These tasks have blocks of rows, not groups of panels.
  bool joinsRows = false;
  /// All groups of a block of rows come before the next block: they read
  /// channels of the same pixels, parts of the same cache lines.
  bool groupsInside = false;
  /// Not 0: elements of a slice of a panel, which a task widens once for all of
  /// its tiles.
  int64_t widened = 0;
  double costPerTask = 0;
};

/// Depths of a row lie far apart, as where the gradient of weights sums over a
/// batch: each step would take a few elements of another cache line. Worth a
/// copy where it serves enough columns.
bool rowsNeedPacking(const ContractionSpace &space, const TargetModel &target);

/// Few results of long sums, whose rows run across the depth.
bool hasFewLongSums(const ContractionSpace &space, const TargetModel &target);

GemmSchedule chooseTasks(const ContractionSpace &space,
                         const TargetModel &target);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_SCHEDULE_GEMMSCHEDULE_H
