// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loop nests around elements: lanes along a row, split at edges, and tiles of
// lanes by rows for transposed reads.

#ifndef ZENITH_LOWERING_ELEMENTS_LOOPNESTS_H
#define ZENITH_LOWERING_ELEMENTS_LOOPNESTS_H

#include "lowering/builder/IterationSpace.h"
#include "lowering/builder/RowTasks.h"
#include "lowering/elements/ElementEmitter.h"

namespace zenith::kernels {

/// Indices of the loops in `which` (outermost first) from a flat row index.
void unflattenRow(ElementEmitter &emitter, const IterationSpace &space,
                  llvm::ArrayRef<unsigned> which, mlir::Value row,
                  llvm::MutableArrayRef<LaneIndex> loopIndex);

/// Runs `body` for each row of the kernel's task range, with a scope open, the
/// indices of the loops in `which` (outermost first), those of other loops 0,
/// and the part [low, high) of the row.
void forEachRowIndex(
    ElementEmitter &emitter, const IterationSpace &space,
    llvm::ArrayRef<unsigned> which, const RowTasks &tasks,
    llvm::function_ref<void(llvm::SmallVector<LaneIndex> loopIndex,
                            mlir::Value low, mlir::Value high)>
        body);

/// Runs `body` for each task of the kernel's range, with a scope open, the
/// indices of the loops in `which` (outermost first), those of other loops 0,
/// and the numbers of the task's parts, of which there are `parts` (outermost
/// first): tasks are all of these.
void forEachTaskIndex(
    ElementEmitter &emitter, const IterationSpace &space,
    llvm::ArrayRef<unsigned> which, llvm::ArrayRef<graph::DimExpr> parts,
    llvm::function_ref<void(llvm::SmallVector<LaneIndex> loopIndex,
                            llvm::ArrayRef<mlir::Value> numbers)>
        body);

/// A part of a lane loop between two edges, with the bounds that a task has of
/// it; `first` is at most `last`.
struct LaneRun {
  graph::DimExpr begin, end;
  mlir::Value first, last;
};
/// Part `number` of the loop over [low, high) that `ends` divide; the last end
/// is the loop's size.
LaneRun laneRun(KernelBuilder &kernel, llvm::ArrayRef<graph::DimExpr> ends,
                size_t number, mlir::Value low, mlir::Value high);

/// Lane loop over [low, high) of loop `lane`, split at edges; `body` gets the
/// lane index with the emitter's mask set and a scope open. With `anyWidth` it
/// works for other numbers of lanes than those that the emitter has: in parts
/// of unknown size what whole vectors leave comes by single native vectors, and
/// short parts of a loop of unknown size come one by one, since a masked vector
/// takes longer.
void forEachLaneBlock(ElementEmitter &emitter, const IterationSpace &space,
                      unsigned lane, mlir::Value low, mlir::Value high,
                      llvm::function_ref<void(const LaneIndex &lanes)> body,
                      bool anyWidth = false);

/// Tiles of width x width elements over `laneSize` lanes from `laneBegin` on
/// and [tileLow, tileHigh) of [0, tileSize). `body` gets both indices once for
/// each row of a tile, with the emitter's masks set and a scope open. Operands
/// that are contiguous along the tile index are loaded by whole tiles and
/// transposed. With `overlap`, the last tiles along either index overlap the
/// ones before instead of being cut; few lanes (laneSize below the width) stay
/// masked. `laneRange`, where given, are the lanes at which tiles begin. Where
/// rows of lanes are the longer ones, tiles advance along `piece` lanes before
/// the next ones of the tile index.
void forEachTile(
    ElementEmitter &emitter, int64_t piece, const graph::DimExpr &laneSize,
    const graph::DimExpr &tileSize, mlir::Value tileLow, mlir::Value tileHigh,
    llvm::function_ref<void(const LaneIndex &lanes, const LaneIndex &tile)>
        body,
    bool overlap = false, const graph::DimExpr &laneBegin = 0,
    std::pair<mlir::Value, mlir::Value> laneRange = {});

/// The launch, unless the emitter failed: then its kernel is erased.
mlir::FailureOr<Launch> unlessFailed(const ElementEmitter &emitter,
                                     Launch launch);

} // namespace zenith::kernels

#endif // ZENITH_LOWERING_ELEMENTS_LOOPNESTS_H
