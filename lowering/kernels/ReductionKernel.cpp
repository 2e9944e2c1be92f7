// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of reductions: one pass over the row (or down the columns) per level
// of reductions; the last pass writes the results.

#include "lowering/kernels/ReductionKernel.h"
#include "lowering/builder/RowTasks.h"
#include "lowering/elements/ElementConversions.h"
#include "lowering/elements/LoopNests.h"
#include "lowering/kernels/KernelEmitters.h"
#include "lowering/schedule/LaneChoice.h"
#include "lowering/schedule/Schedule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

// Rows of a column that are summed before their sum is added to the others: one
// running sum over all rows would lose accuracy.
static constexpr int64_t rowsOfBlock = 4096;

/// The loops of rows, outermost first: all rows read one part of a table before
/// the next.
static SmallVector<unsigned> orderOfRows(const ReductionSchedule &plan) {
  SmallVector<unsigned> order(plan.keptLoops);
  std::stable_partition(order.begin(), order.end(), [&](unsigned loop) {
    return llvm::any_of(
        plan.space->accesses(), [&](const IterationSpace::Access &access) {
          return isTableAccess(plan, access) && !access.opaque[loop] &&
                 !access.factors[loop].isConstant(0);
        });
  });
  return order;
}

SmallVector<const Reduction *> ReductionKernel::reductionsOf(unsigned level) {
  SmallVector<const Reduction *> reductions;
  for (const Reduction &reduction : plan.reductions)
    if (reduction.level == level)
      reductions.push_back(&reduction);
  return reductions;
}

SmallVector<const Reduction *> ReductionKernel::enter(unsigned level) {
  unroll = unsigned(form.sums[level - 1]);
  return reductionsOf(level);
}

ReductionKernel::State
ReductionKernel::reduceSteps(Accumulators &reductions, Value low, Value high,
                             int64_t step, State state,
                             function_ref<State(Value, ValueRange)> body) {
  unsigned count = state.size() / unroll;
  Value stride = kernel.index(step), wide = kernel.index(step * unroll);
  Value total = kernel.sub(high, low);
  Value whole = kernel.sub(high, kernel.rem(total, wide));
  auto known = kernel.constantOf(total);
  if (!known || *known >= step * int64_t(unroll))
    state =
        kernel.loop(low, whole, wide, state, [&](Value at, ValueRange carried) {
          State next;
          for (unsigned group = 0; group < unroll; ++group) {
            ElementEmitter::Scope scope(emitter);
            next.append(body(kernel.add(at, kernel.index(group * step)),
                             carried.slice(group * count, count)));
          }
          return next;
        });
  else
    whole = low;
  if (known && *known % (step * int64_t(unroll)) == 0)
    return state;
  State first(state.begin(), state.begin() + count);
  first = kernel.loop(whole, high, stride, first,
                      [&](Value at, ValueRange carried) {
                        ElementEmitter::Scope scope(emitter);
                        return body(at, carried);
                      });
  llvm::copy(first, state.begin());
  return state;
}

ReductionKernel::State ReductionKernel::reduceLanes(Accumulators &reductions,
                                                    ArrayRef<LoopIndex> rows,
                                                    Value low, Value high,
                                                    State state,
                                                    unsigned level) {
  SmallVector<DimExpr> ends(space.edges(plan.lane));
  ends.push_back(space.size(plan.lane));
  unsigned count = reductions.size();
  for (size_t number = 0; number < ends.size(); ++number) {
    LaneRun run = laneRun(kernel, ends, number, low, high);
    auto step = [&](Value at, ValueRange carried, bool masked) {
      State next;
      for (auto [row, loopIndex] : llvm::enumerate(rows)) {
        LoopIndex loops(loopIndex);
        loops[plan.lane] = emitter.indices.lanes(
            at, run.end, run.begin.isConstant(0) ? width : 1, run.begin);
        SmallVector<LaneIndex> index = space.shapeIndex(emitter.indices, loops);
        next.append(
            reductions.step(carried.slice(row * count, count), index, masked));
        keepStash(index, level);
        prefetchRow(index, level, rows.size());
      }
      return next;
    };
    Value rest =
        kernel.rem(kernel.sub(run.last, run.first), kernel.index(width));
    Value whole = kernel.sub(run.last, rest);
    state = reduceSteps(
        reductions, run.first, whole, width, state,
        [&](Value at, ValueRange carried) { return step(at, carried, false); });
    if (kernel.constantOf(rest) == 0)
      continue;
    // The remainder under a mask, skipped where there is none.
    unsigned statesOfRows = count * rows.size();
    ValueRange firstState = ValueRange(state).take_front(statesOfRows);
    Value some = kernel.b.create<arith::CmpIOp>(
        kernel.loc, arith::CmpIPredicate::sgt, rest, kernel.index(0));
    auto tail = kernel.b.create<scf::IfOp>(kernel.loc, firstState.getTypes(),
                                           some, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(kernel.b);
    kernel.b.setInsertionPointToEnd(tail.thenBlock());
    {
      ElementEmitter::Scope scope(emitter);
      emitter.active.mask = kernel.mask(rest, width);
      State next = step(whole, firstState, true);
      kernel.b.create<scf::YieldOp>(kernel.loc, next);
    }
    kernel.b.setInsertionPointToEnd(tail.elseBlock());
    kernel.b.create<scf::YieldOp>(kernel.loc, firstState);
    for (unsigned i = 0; i < statesOfRows; ++i)
      state[i] = tail.getResult(i);
  }
  return state;
}

ReductionKernel::State ReductionKernel::joinStates(Accumulators &reductions,
                                                   State state) {
  unsigned count = reductions.size(), ofGroup = state.size() / unroll;
  for (unsigned groups = unroll; groups > 1; groups /= 2) {
    State joined;
    for (unsigned group = 0; group < groups; group += 2)
      for (unsigned at = group * ofGroup; at < (group + 1) * ofGroup;
           at += count)
        joined.append(
            reductions.combine(ValueRange(state).slice(at, count),
                               ValueRange(state).slice(at + ofGroup, count)));
    state = joined;
  }
  return state;
}

ReductionKernel::State ReductionKernel::passOverRows(Accumulators &reductions,
                                                     ArrayRef<LoopIndex> rows,
                                                     unsigned level) {
  State state;
  for (unsigned group = 0; group < unroll * rows.size(); ++group)
    state.append(reductions.start());
  Value low = kernel.index(0), high = kernel.size(space.size(plan.lane));
  if (plan.reducedLoops.empty()) {
    state = reduceLanes(reductions, rows, low, high, state, level);
  } else {
    state = kernel.loop(
        low, kernel.size(plan.reducedRows()), kernel.index(1), state,
        [&](Value row, ValueRange carried) {
          ElementEmitter::Scope scope(emitter);
          SmallVector<LoopIndex> at(rows);
          for (LoopIndex &loopIndex : at)
            unflattenRow(emitter, space, plan.reducedLoops, row, loopIndex);
          return reduceLanes(reductions, at, low, high, State(carried), level);
        });
  }
  state = joinStates(reductions, state);
  State results;
  for (unsigned at = 0; at < state.size(); at += reductions.size())
    results.append(reductions.finish(reductions.acrossLanes(
        ValueRange(state).slice(at, reductions.size()))));
  return results;
}

// Every use of a reduction must be at the current rows or columns.
void ReductionKernel::bindResults(ArrayRef<const Reduction *> reductions,
                                  ValueRange values, ArrayRef<LoopIndex> rows) {
  SmallVector<SmallVector<LaneIndex>> expected;
  for (const LoopIndex &loopIndex : rows)
    expected.push_back(keptIndex(loopIndex));
  for (auto [number, reduction] : llvm::enumerate(reductions)) {
    SmallVector<Value> results;
    for (size_t row = 0; row < rows.size(); ++row)
      results.push_back(values[row * reductions.size() + number]);
    emitter.bind(reduction->op->getResult(0),
                 [this, results, expected](ArrayRef<LaneIndex> index) {
                   auto *row = llvm::find_if(expected, [&](const auto &kept) {
                     return ArrayRef<LaneIndex>(kept) == index;
                   });
                   if (row != expected.end())
                     return results[size_t(row - expected.begin())];
                   moved = true;
                   return results.front();
                 });
  }
}

SmallVector<LaneIndex>
ReductionKernel::keptIndex(ArrayRef<LaneIndex> loopIndex) {
  SmallVector<LaneIndex> index = space.shapeIndex(emitter.indices, loopIndex),
                         kept;
  for (auto [d, x] : llvm::enumerate(index))
    if (!llvm::is_contained(plan.reduced, int64_t(d)))
      kept.push_back(x);
  return kept;
}

void ReductionKernel::storeReduced(ArrayRef<LaneIndex> loopIndex) {
  SmallVector<LaneIndex> shapeIndex =
      space.shapeIndex(emitter.indices, loopIndex);
  auto indexOf = [&](const ReducedResult &result) {
    SmallVector<LaneIndex> index;
    for (unsigned d : result.dims)
      index.push_back(d == SpaceRoot::single ? LaneIndex(0) : shapeIndex[d]);
    return index;
  };
  SmallVector<Value> values;
  for (const ReducedResult &result : plan.results)
    values.push_back(result.full ? Value()
                                 : emitter.emit(result.value, indexOf(result)));
  for (auto [number, value] : llvm::enumerate(values)) {
    const ReducedResult &result = plan.results[number];
    if (value)
      emitter.memory.store(kernel.result(number),
                           getElementTypeOrSelf(result.value.getType()), value,
                           emitter.linearize(result.value, indexOf(result)));
  }
}

void ReductionKernel::storeFull(ArrayRef<LaneIndex> loopIndex) {
  SmallVector<LaneIndex> index = space.shapeIndex(emitter.indices, loopIndex);
  SmallVector<Value> values;
  for (const ReducedResult &result : plan.results)
    values.push_back(result.full ? emitter.emit(result.value, index) : Value());
  for (auto [number, value] : llvm::enumerate(values))
    if (value)
      emitter.memory.store(
          kernel.result(number),
          getElementTypeOrSelf(plan.results[number].value.getType()), value,
          emitter.linearize(plan.results[number].value, index));
}

ReductionKernel::State ReductionKernel::reduceRow(Accumulators &reductions,
                                                  ArrayRef<LaneIndex> loopIndex,
                                                  Value row, ValueRange state) {
  SmallVector<LaneIndex> at(loopIndex);
  unflattenRow(emitter, space, plan.reducedLoops, row, at);
  return reductions.step(state, space.shapeIndex(emitter.indices, at),
                         /*masked=*/false);
}

ReductionKernel::State
ReductionKernel::passDownColumn(Accumulators &reductions,
                                SmallVector<LaneIndex> loopIndex, Value low,
                                Value high) {
  auto block = [&](Value first, Value last) {
    State state;
    for (unsigned group = 0; group < unroll; ++group)
      state.append(reductions.start());
    state = reduceSteps(reductions, first, last, 1, state,
                        [&](Value row, ValueRange carried) {
                          return reduceRow(reductions, loopIndex, row, carried);
                        });
    return joinStates(reductions, state);
  };
  auto known = kernel.constantOf(kernel.sub(high, low));
  if (!known || *known <= 2 * rowsOfBlock)
    return block(low, high);
  Value step = kernel.index(rowsOfBlock);
  Value whole = kernel.sub(high, kernel.rem(kernel.sub(high, low), step));
  State sums =
      kernel.loop(low, whole, step, reductions.start(),
                  [&](Value first, ValueRange carried) {
                    ElementEmitter::Scope scope(emitter);
                    return reductions.combine(
                        carried, block(first, kernel.add(first, step)));
                  });
  if (*known % rowsOfBlock == 0)
    return sums;
  return reductions.combine(sums, block(whole, high));
}

Launch ReductionKernel::emitColumns() {
  DimExpr rows = 1;
  for (unsigned loop : plan.keptLoops)
    rows = rows * space.size(loop);
  // The part of a table that a task reads stays in a cache.
  bool fromTable = readsTable(plan);
  int64_t lanesPerTask = fromTable ? width : 4 * width;
  RowTasks tasks = RowTasks::plan(rows, space.size(plan.lane), lanesPerTask);
  tasks.chunksFirst = fromTable;
  DimExpr count = plan.reducedRows();
  SmallVector<unsigned> order = orderOfRows(plan);
  forEachRowIndex(
      emitter, space, order, tasks,
      [&](SmallVector<LaneIndex> loopIndex, Value low, Value high) {
        forEachLaneBlock(
            emitter, space, plan.lane, low, high, [&](const LaneIndex &lanes) {
              loopIndex[plan.lane] = lanes;
              for (unsigned level = 1; level <= plan.levels; ++level) {
                auto reductions = enter(level);
                Accumulators state(emitter, reductions, width);
                bindResults(reductions,
                            state.finish(passDownColumn(state, loopIndex,
                                                        kernel.index(0),
                                                        kernel.size(count))),
                            loopIndex);
              }
              storeReduced(loopIndex);
              if (!anyFull())
                return;
              kernel.loop(kernel.index(0), kernel.size(count), kernel.index(1),
                          [&](Value outer) {
                            ElementEmitter::Scope scope(emitter);
                            SmallVector<LaneIndex> at(loopIndex);
                            unflattenRow(emitter, space, plan.reducedLoops,
                                         outer, at);
                            storeFull(at);
                          });
            });
      });
  return kernel.finish(
      tasks.tasks,
      cost(tasks.elementsPerTask * double(count.constant().value_or(64))));
}

FailureOr<KernelPlan> emitReduction(const EmissionContext &context) {
  graph::FusionOp fusion = context.fusion;
  auto plan = ReductionSchedule::make(fusion, context.dims, context.target);
  if (!plan)
    return emitPointwise(context);
  const ReductionForm form = givenReductionForm(fusion, *plan);
  // Without the schedule phase, keys that are left open are not decided.
  if (!form.lanes || form.sums.size() != plan->levels)
    return fusion.emitOpError("schedule: lanes, sums: got keys that are left "
                              "open (sched_c3)");
  plan->divide(form.chunk);
  KernelPlan result;
  bool moved = false, failed = false;
  auto emit = [&](StringRef suffix, Launch (ReductionKernel::*method)()) {
    ReductionKernel kernel(context, *plan, form, (context.name + suffix).str());
    Launch launch = (kernel.*method)();
    if (kernel.failed()) {
      kernel.discard();
      (kernel.unsupported() ? failed : moved) = true;
      return;
    }
    result.launches.push_back(std::move(launch));
  };
  if (plan->chunk) {
    emit("_partial", &ReductionKernel::emitPartial);
    if (!moved && !failed)
      emit("_combine", &ReductionKernel::emitCombine);
  } else {
    emit("", plan->lanesReduced ? &ReductionKernel::emitRows
                                : &ReductionKernel::emitColumns);
  }
  result.scratchBytes = plan->scratch();
  if (failed)
    return failure();
  if (!moved)
    return result;
  for (Launch &launch : result.launches)
    launch.kernel.erase();
  auto inPlace = emitPointwise(context);
  if (succeeded(inPlace))
    inPlace->scratchBytes = plan->scratch();
  return inPlace;
}

} // namespace zenith::kernels
