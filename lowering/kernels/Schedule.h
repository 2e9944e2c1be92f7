// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the schedules of all kernels share: widths, tasks of rows, lane loops
// split at edges.

#ifndef ZENITH_LOWERING_KERNELS_SCHEDULE_H
#define ZENITH_LOWERING_KERNELS_SCHEDULE_H

#include "lowering/kernels/ElementEmitter.h"
#include "lowering/kernels/IterationSpace.h"

namespace zenith::kernels {

/// Elements that a task of streaming code handles: enough to hide the claim,
/// few enough to balance.
inline constexpr int64_t elementsPerTask = 4096;

/// Lanes of a value: two native vectors of the widest element that the region
/// computes with, more for byte-sized ones.
unsigned valueWidth(graph::FusionOp fusion, const KernelTarget &target);
/// Bytes of the widest element of the region, in registers.
unsigned widestBytes(graph::FusionOp fusion);
/// Estimate of flops per element of the region (transcendental functions count
/// as 20).
double costPerElement(graph::FusionOp fusion);

/// Rows = all loops of a space but some, flattened; a task is a block of rows,
/// or a chunk of one long row.
struct RowTasks {
  graph::DimExpr tasks, rows;
  graph::DimExpr rowLength;
  int64_t rowsPerTask = 1;
  /// Elements of a chunk; 0 = rows are not cut.
  int64_t chunk = 0;
  /// Tasks go through the rows for one chunk after the other, not through the
  /// chunks of each row.
  bool chunksFirst = false;
  double elementsPerTask = 0;
  static RowTasks plan(graph::DimExpr rows, graph::DimExpr rowLength,
                       int64_t elements = kernels::elementsPerTask,
                       bool cutRows = true);
  /// Gives each task a multiple of `together` whole rows.
  void roundUpTo(unsigned together);
};

/// Runs `body` for each row of the kernel's task range with the row number and
/// the part [low, high) of the row.
void forEachRow(
    KernelBuilder &kernel, const RowTasks &tasks,
    llvm::function_ref<void(mlir::Value row, mlir::Value low, mlir::Value high)>
        body);
/// Where tasks are whole rows: runs `body` with the first of `together` rows
/// each, then with each of those that are left.
void forEachRows(
    KernelBuilder &kernel, const RowTasks &tasks, unsigned together,
    llvm::function_ref<void(mlir::Value first, unsigned count)> body);

/// Indices of the loops in `which` (outermost first) from a flat row number.
void unflattenRow(ElementEmitter &emitter, const IterationSpace &space,
                  llvm::ArrayRef<unsigned> which, mlir::Value row,
                  llvm::MutableArrayRef<Ix> loopIndex);

/// Lane loop over [low, high) of loop `lane`, one piece per stretch between
/// edges; `body` gets the lane index with the emitter's mask set and a scope
/// open.
void forEachLaneBlock(ElementEmitter &emitter, const IterationSpace &space,
                      unsigned lane, mlir::Value low, mlir::Value high,
                      llvm::function_ref<void(const Ix &lanes)> body);

/// Squares of the emitter's width over `laneSize` lanes from `laneBegin` on and
/// [tileLow, tileHigh), of [0, tileSize): `body` gets both indices once for
/// each row of a square, with the emitter's masks set and a scope open. What is
/// contiguous along the tile index is read in whole squares. With `overlap`,
/// the last squares along either index lie over those before instead of being
/// cut; few lanes (laneSize below the width) stay masked. `laneRange`, where
/// given, are the lanes at which squares begin.
void forEachTile(ElementEmitter &emitter, const graph::DimExpr &laneSize,
                 const graph::DimExpr &tileSize, mlir::Value tileLow,
                 mlir::Value tileHigh,
                 llvm::function_ref<void(const Ix &lanes, const Ix &tile)> body,
                 bool overlap = false, const graph::DimExpr &laneBegin = 0,
                 std::pair<mlir::Value, mlir::Value> laneRange = {});

/// The launch, unless the emitter failed: then its kernel is erased.
mlir::FailureOr<Launch> unlessFailed(const ElementEmitter &emitter,
                                     Launch launch);

/// The loop that lanes run along: most contiguous accesses, written ones first;
/// ties go to the innermost.
std::optional<unsigned> chooseLaneLoop(const IterationSpace &space,
                                       llvm::ArrayRef<unsigned> candidates);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_KERNELS_SCHEDULE_H
