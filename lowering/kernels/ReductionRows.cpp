// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions with lanes along the rows: rows that are reduced at once, and what
// is kept or prefetched between the passes over a row.

#include "lowering/builder/RowTasks.h"
#include "lowering/elements/ElementConversions.h"
#include "lowering/elements/LoopNests.h"
#include "lowering/kernels/ReductionKernel.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

void ReductionKernel::prefetchRow(ArrayRef<LaneIndex> index, unsigned level,
                                  size_t rowsOfStep) {
  if (level != 2 || form.prefetch.kind != sched::Prefetch::Rows)
    return;
  DimExpr distance = space.size(plan.lane) *
                     DimExpr(form.prefetch.number * int64_t(rowsOfStep));
  for (BlockArgument argument : kernel.fusion.getBody().getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || emitter.dimsOf(argument) != plan.shape)
      continue;
    LaneIndex linear = emitter.linearize(argument, index);
    if (!emitter.indices.laneStride(linear).isConstant(1))
      continue;
    Value next =
        kernel.add(emitter.indices.laneBase(linear), kernel.size(distance));
    kernel.b.create<memref::PrefetchOp>(
        kernel.loc, kernel.memoryOf(argument), ValueRange{next},
        /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
  }
}

void ReductionKernel::keepStash(ArrayRef<LaneIndex> index, unsigned level) {
  if (!stash || level != stash->level)
    return;
  Value value = emitter.emit(stash->value, index);
  if (value)
    emitter.memory.store(kernel.result(stash->result),
                         getElementTypeOrSelf(stash->value.getType()), value,
                         emitter.linearize(stash->value, index));
}

void ReductionKernel::bindStash(unsigned level) {
  if (!stash || level != stash->level)
    return;
  emitter.bind(stash->value, [this](ArrayRef<LaneIndex> index) {
    return emitter.memory.load(kernel.result(stash->result),
                               getElementTypeOrSelf(stash->value.getType()),
                               emitter.linearize(stash->value, index));
  });
}

void ReductionKernel::reduceRows(ArrayRef<LoopIndex> rows) {
  for (unsigned level = 1; level <= plan.levels; ++level) {
    auto reductions = enter(level);
    Accumulators state(emitter, reductions, width);
    bindResults(reductions, passOverRows(state, rows, level), rows);
    bindStash(level);
  }
  for (const LoopIndex &loopIndex : rows)
    storeReduced(loopIndex);
  if (!anyFull())
    return;
  kernel.loop(kernel.index(0), kernel.size(plan.reducedRows()), kernel.index(1),
              [&](Value outer) {
                ElementEmitter::Scope scope(emitter);
                SmallVector<LoopIndex> at(rows);
                for (LoopIndex &loopIndex : at)
                  unflattenRow(emitter, space, plan.reducedLoops, outer,
                               loopIndex);
                forEachLaneBlock(emitter, space, plan.lane, kernel.index(0),
                                 kernel.size(space.size(plan.lane)),
                                 [&](const LaneIndex &lanes) {
                                   for (LoopIndex &loopIndex : at) {
                                     loopIndex[plan.lane] = lanes;
                                     storeFull(loopIndex);
                                   }
                                 });
              });
}

Launch ReductionKernel::emitRows() {
  stash = stashOf(plan, kernel.dims);
  DimExpr length = space.size(plan.lane) * plan.reducedRows();
  SmallVector<unsigned> outer(plan.keptLoops);
  std::optional<unsigned> inner = innerRowsOf(plan, width);
  if (inner) {
    outer.pop_back();
    length = length * space.size(*inner);
  }
  RowTasks tasks = rowTasksOf(plan, width, form.rows);
  auto together = unsigned(form.rowsAtOnce());
  if (together > 1)
    tasks.roundUpTo(together);
  auto reduceFrom = [&](Value first, unsigned count) {
    ElementEmitter::Scope scope(emitter);
    SmallVector<LoopIndex> all;
    for (unsigned row = 0; row < count; ++row)
      unflattenRow(emitter, space, outer, kernel.add(first, kernel.index(row)),
                   all.emplace_back(space.rank(), LaneIndex(0)));
    if (!inner)
      return reduceRows(all);
    kernel.loop(kernel.index(0), kernel.size(space.size(*inner)),
                kernel.index(1), [&](Value at) {
                  ElementEmitter::Scope scope(emitter);
                  all[0][*inner] =
                      emitter.indices.scalar(at, space.size(*inner));
                  reduceRows(all);
                });
  };
  forEachRows(kernel, tasks, together, reduceFrom);
  double elements =
      tasks.rowsPerTask * double(length.constant().value_or(1024));
  return kernel.finish(tasks.tasks, cost(elements));
}

} // namespace zenith::kernels
