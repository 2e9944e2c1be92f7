// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of long single reductions: chunks with a slot each, combined in a
// fixed order.

#include "lowering/builder/RowTasks.h"
#include "lowering/elements/LoopNests.h"
#include "lowering/kernels/ReductionKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

// Rows that are summed in registers before the sums of columns are stored to
// their slots: as many streams as most first-level caches have ways. Sums
// depend on it, so it is the same on all machines.
static constexpr int64_t rowsOfStep = 8;

// Slot of a chunk: the kept elements in row-major order.
LaneIndex ReductionKernel::slotIndex(Value chunk,
                                     ArrayRef<LaneIndex> loopIndex) {
  graph::DimVector kept;
  for (auto [d, size] : llvm::enumerate(plan.shape))
    if (!llvm::is_contained(plan.reduced, int64_t(d)))
      kept.push_back(size);
  LaneIndex linear = emitter.linearize(kept, keptIndex(loopIndex));
  return emitter.indices.add(
      emitter.indices.scale(emitter.indices.scalar(chunk, plan.chunks),
                            plan.keptCount()),
      linear);
}

// Type of a slot of reduction `number`: that of its state in registers.
Type ReductionKernel::slotType(unsigned number) {
  return registerType(plan.reductions[number].element);
}

void ReductionKernel::storeSlots(ValueRange values, Value chunk,
                                 ArrayRef<LaneIndex> loopIndex) {
  for (auto [number, value] : llvm::enumerate(values)) {
    Type type = slotType(number);
    emitter.memory.store(kernel.scratch(number, memoryType(type)), type, value,
                         slotIndex(chunk, loopIndex));
  }
}

ReductionKernel::State
ReductionKernel::loadSlots(Value chunk, ArrayRef<LaneIndex> loopIndex) {
  State slots;
  for (unsigned number = 0; number < plan.reductions.size(); ++number) {
    Type type = slotType(number);
    slots.push_back(
        emitter.memory.load(kernel.scratch(number, memoryType(type)), type,
                            slotIndex(chunk, loopIndex)));
  }
  return slots;
}

void ReductionKernel::forEachColumnBlock(
    SmallVector<LaneIndex> loopIndex,
    function_ref<void(ArrayRef<LaneIndex> at)> body) {
  forEachLaneBlock(emitter, space, plan.lane, kernel.index(0),
                   kernel.size(space.size(plan.lane)),
                   [&](const LaneIndex &lanes) {
                     loopIndex[plan.lane] = lanes;
                     body(loopIndex);
                   });
}

// A few rows at a time in memory order, so that memory is read in long runs;
// the sums are kept in the chunk's slots, which stay in cache.
void ReductionKernel::addRowsToSlots(Accumulators &reductions,
                                     const SmallVector<LaneIndex> &loopIndex,
                                     Value chunk, Value low, Value high) {
  forEachColumnBlock(loopIndex, [&](ArrayRef<LaneIndex> at) {
    storeSlots(reductions.start(), chunk, at);
  });
  auto addRows = [&](Value first, int64_t count) {
    forEachColumnBlock(loopIndex, [&](ArrayRef<LaneIndex> at) {
      unsigned chains = count > 1 ? unroll : 1, values = reductions.size();
      // A slot's sum is much larger than a step's: round it once for all rows.
      State sums;
      while (sums.size() < chains * values)
        sums.append(reductions.start());
      for (int64_t row = 0; row < count; ++row) {
        auto chain =
            MutableArrayRef<Value>(sums).slice(row % chains * values, values);
        State next = reduceRow(reductions, at,
                               kernel.add(first, kernel.index(row)), chain);
        llvm::copy(next, chain.begin());
      }
      State joined = chains > 1 ? joinStates(reductions, sums) : sums;
      storeSlots(reductions.combine(loadSlots(chunk, at), joined), chunk, at);
    });
  };
  Value step = kernel.index(rowsOfStep);
  Value whole = kernel.sub(high, kernel.rem(kernel.sub(high, low), step));
  kernel.loop(low, whole, step, [&](Value row) {
    ElementEmitter::Scope scope(emitter);
    addRows(row, rowsOfStep);
  });
  kernel.loop(whole, high, kernel.index(1), [&](Value row) {
    ElementEmitter::Scope scope(emitter);
    addRows(row, 1);
  });
}

Launch ReductionKernel::emitPartial() {
  auto reductions = enter(1);
  Accumulators state(emitter, reductions, width);
  bool cutsLanes = plan.lanesReduced && plan.reducedLoops.empty();
  DimExpr steps = cutsLanes ? space.size(plan.lane) : plan.reducedRows();
  DimExpr rows = 1;
  for (unsigned loop : plan.keptLoops)
    rows = rows * space.size(loop);
  kernel.loop(kernel.begin(), kernel.end(), kernel.index(1), [&](Value task) {
    ElementEmitter::Scope scope(emitter);
    SmallVector<LaneIndex> loopIndex(space.rank(), LaneIndex(0));
    Value chunkCount = kernel.size(plan.chunks);
    Value chunk = rows.isConstant(1) ? task : kernel.rem(task, chunkCount);
    Value row =
        rows.isConstant(1) ? kernel.index(0) : kernel.div(task, chunkCount);
    unflattenRow(emitter, space, plan.keptLoops, row, loopIndex);
    Value low = kernel.mul(chunk, kernel.index(plan.chunk));
    Value high = kernel.min(kernel.add(low, kernel.index(plan.chunk)),
                            kernel.size(steps));
    if (!plan.lanesReduced) {
      if (space.size(plan.lane).provablyAtMost(DimExpr(int64_t(width))))
        forEachColumnBlock(loopIndex, [&](ArrayRef<LaneIndex> at) {
          storeSlots(
              passDownColumn(state, SmallVector<LaneIndex>(at), low, high),
              chunk, at);
        });
      else
        addRowsToSlots(state, loopIndex, chunk, low, high);
      return;
    }
    State sums;
    for (unsigned group = 0; group < unroll; ++group)
      sums.append(state.start());
    if (cutsLanes) {
      sums = reduceLanes(state, loopIndex, low, high, sums, 1);
    } else {
      Value end = kernel.size(space.size(plan.lane));
      sums = kernel.loop(low, high, kernel.index(1), sums,
                         [&](Value outer, ValueRange carried) {
                           ElementEmitter::Scope scope(emitter);
                           unflattenRow(emitter, space, plan.reducedLoops,
                                        outer, loopIndex);
                           return reduceLanes(state, loopIndex, kernel.index(0),
                                              end, State(carried), 1);
                         });
    }
    for (unsigned loop : plan.reducedLoops)
      loopIndex[loop] = LaneIndex(0);
    storeSlots(state.acrossLanes(joinStates(state, sums)), chunk, loopIndex);
  });
  double elements =
      double(plan.chunk) *
      (cutsLanes ? 1 : double(space.size(plan.lane).constant().value_or(64)));
  return kernel.finish(plan.chunks * rows, cost(elements));
}

Launch ReductionKernel::emitCombine() {
  constexpr int64_t slotsPerTask = 512;
  auto reductions = enter(1);
  DimExpr rows = 1;
  for (unsigned loop : plan.keptLoops)
    rows = rows * space.size(loop);
  auto combine = [&](ArrayRef<LaneIndex> loopIndex, unsigned lanes) {
    Accumulators state(emitter, reductions, lanes);
    State sums;
    for (unsigned group = 0; group < unroll; ++group)
      sums.append(state.start());
    sums = reduceSteps(state, kernel.index(0), kernel.size(plan.chunks), 1,
                       sums, [&](Value chunk, ValueRange carried) {
                         return state.combine(carried,
                                              loadSlots(chunk, loopIndex));
                       });
    bindResults(reductions, state.finish(joinStates(state, sums)),
                LoopIndex(loopIndex));
    storeReduced(loopIndex);
  };
  RowTasks tasks = RowTasks::plan(
      rows, plan.lanesReduced ? DimExpr(1) : space.size(plan.lane),
      slotsPerTask);
  forEachRowIndex(emitter, space, plan.keptLoops, tasks,
                  [&](SmallVector<LaneIndex> loopIndex, Value low, Value high) {
                    if (plan.lanesReduced) {
                      combine(loopIndex, 1);
                      return;
                    }
                    forEachLaneBlock(emitter, space, plan.lane, low, high,
                                     [&](const LaneIndex &lanes) {
                                       SmallVector<LaneIndex> at(loopIndex);
                                       at[plan.lane] = lanes;
                                       combine(at, width);
                                     });
                  });
  return kernel.finish(tasks.tasks,
                       cost(tasks.elementsPerTask *
                            double(plan.chunks.constant().value_or(64))));
}

} // namespace zenith::kernels
