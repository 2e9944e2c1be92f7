// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of reductions: one pass over the row (or down the columns) per level
// of folds, the last pass writes.

#include "lowering/kernels/ReductionKernel.h"
#include "lowering/builder/RowTasks.h"
#include "lowering/elements/LoopNests.h"
#include "lowering/kernels/KernelEmitters.h"
#include "lowering/schedule/LaneChoice.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

// Elements in flight per fold: enough independent chains to hide the latency of
// additions.
static constexpr unsigned elementsInFlight = 64;

// Rows of a column that are summed before their sum joins the others: one sum
// over all of them would round each row to what came before.
static constexpr int64_t rowsOfBlock = 4096;

void collectCostly(Value value, const DenseSet<Value> &stops,
                   llvm::SetVector<Value> &found, DenseSet<Value> &seen) {
  Operation *op = value.getDefiningOp();
  if (!op || stops.contains(value) || !seen.insert(value).second)
    return;
  if (isa<graph::ExpOp, graph::TanhOp, graph::ErfOp, graph::LogOp,
          graph::LogisticOp, graph::PowOp>(op))
    found.insert(value);
  for (Value operand : op->getOperands())
    collectCostly(operand, stops, found, seen);
}

static bool isTable(const ReductionSchedule &plan,
                    const IterationSpace::Access &access) {
  auto isOpaque = [&](unsigned loop) { return access.opaque[loop]; };
  return !access.written && access.factors[plan.lane].isConstant(1) &&
         llvm::any_of(plan.reducedLoops, isOpaque) &&
         llvm::any_of(plan.keptLoops, isOpaque);
}

/// Whether all rows read from one table at places that data gives, so that a
/// part of it that stays in a cache serves one row after the other.
static bool readTable(const ReductionSchedule &plan) {
  return llvm::any_of(plan.space->accesses(), [&](const auto &access) {
    return isTable(plan, access);
  });
}

/// The loops of rows, outermost first: all rows read one part of a table before
/// the next.
static SmallVector<unsigned> orderOfRows(const ReductionSchedule &plan) {
  SmallVector<unsigned> order(plan.keptLoops);
  std::stable_partition(order.begin(), order.end(), [&](unsigned loop) {
    return llvm::any_of(
        plan.space->accesses(), [&](const IterationSpace::Access &access) {
          return isTable(plan, access) && !access.opaque[loop] &&
                 !access.factors[loop].isConstant(0);
        });
  });
  return order;
}

/// Whether rows are read from one end to the other, and nothing but one number
/// is kept for each column.
static bool foldsWholeRows(const ReductionSchedule &plan) {
  return plan.folds.size() == 1 && !plan.folds.front().arg() &&
         llvm::none_of(
             plan.results,
             [](const ReducedResult &result) { return result.full; }) &&
         llvm::all_of(
             plan.space->accesses(), [&](const IterationSpace::Access &access) {
               return access.small || access.factors[plan.lane].isConstant(1) ||
                      access.factors[plan.lane].isConstant(0);
             });
}

unsigned ReductionKernel::chooseWidth(const EmissionContext &context,
                                      const ReductionSchedule &plan) {
  unsigned width = valueWidth(context.fusion, context.target);
  // Vectors of places must not take all registers.
  for (const Fold &fold : plan.folds)
    if (fold.arg())
      width = std::min(width, 2 * context.target.lanes * 32 /
                                  placeBits(fold, context.dims));
  auto size = plan.space->size(plan.lane).constant();
  // Short rows in narrow registers, with fewer steps from lanes to one number.
  if (plan.lanesReduced && size && *size > 1 && context.target.lanes >= 16)
    return unsigned(
        std::min<uint64_t>(width, llvm::PowerOf2Ceil(uint64_t(*size))));
  if (plan.lanesReduced || !size || *size < 2)
    return width;
  unsigned many = 8 * context.target.lanes;
  // Down long rows, some cache lines of each at a time, which come together, if
  // little is computed on the way, which takes registers.
  constexpr int64_t longRow = 512;
  constexpr unsigned vectorsInFlight = 4;
  constexpr double fewOps = 6;
  bool wide = foldsWholeRows(plan) && *size >= longRow &&
              costPerElement(context.fusion) <= fewOps;
  // Rows of few lanes take no masks where vectors are no wider.
  if (*size < width)
    return unsigned(llvm::PowerOf2Ceil(uint64_t(*size)));
  // A place in a table that was worked out serves many lanes, those of a block
  // of columns.
  return readTable(plan)
             ? std::max(width, unsigned(std::min<uint64_t>(
                                   many, llvm::bit_floor(uint64_t(*size)))))
         : wide ? std::min(many, vectorsInFlight * width)
                : width;
}

SmallVector<const Fold *> ReductionKernel::foldsOf(unsigned level) {
  SmallVector<const Fold *> folds;
  for (const Fold &fold : plan.folds)
    if (fold.level == level)
      folds.push_back(&fold);
  return folds;
}

DenseSet<Value> ReductionKernel::foldResults() {
  DenseSet<Value> results;
  for (const Fold &fold : plan.folds)
    results.insert(fold.op->getResult(0));
  return results;
}

// Chooses how many states run side by side in the level's pass. The vectors of
// one long chain keep the machine busy, and fill its registers.
SmallVector<const Fold *> ReductionKernel::enter(unsigned level) {
  auto folds = foldsOf(level);
  llvm::SetVector<Value> costly;
  DenseSet<Value> seen;
  for (const Fold *fold : folds)
    collectCostly(fold->operand, foldResults(), costly, seen);
  unroll = costly.empty() || kernel.target.lanes >= 16
               ? std::max(1u, std::min(8u, elementsInFlight / width))
               : 1;
  // States that a short row has no elements for would only have to be joined.
  auto length = space.size(plan.lane).constant();
  if (plan.lanesReduced && length && kernel.target.lanes >= 16)
    unroll = std::min(unroll, unsigned(llvm::bit_floor(std::max<uint64_t>(
                                  1, uint64_t(*length) / width))));
  return folds;
}

ReductionKernel::State
ReductionKernel::foldSteps(Accumulators &folds, Value low, Value high,
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

ReductionKernel::State ReductionKernel::foldLanes(Accumulators &folds,
                                                  ArrayRef<LoopIndex> rows,
                                                  Value low, Value high,
                                                  State state, unsigned level) {
  SmallVector<DimExpr> ends(space.edges(plan.lane));
  ends.push_back(space.size(plan.lane));
  unsigned count = folds.size();
  for (size_t number = 0; number < ends.size(); ++number) {
    const DimExpr begin = number > 0 ? ends[number - 1] : DimExpr(0),
                  &end = ends[number];
    Value first = low, last = high;
    if (number > 0)
      first = kernel.max(first, kernel.size(begin));
    if (number + 1 < ends.size())
      last = kernel.min(last, kernel.size(end));
    if (ends.size() > 1)
      last = kernel.max(first, last);
    auto step = [&](Value at, ValueRange carried, bool masked) {
      State next;
      for (auto [row, loopIndex] : llvm::enumerate(rows)) {
        LoopIndex loops(loopIndex);
        loops[plan.lane] = emitter.indices.lanes(
            at, end, begin.isConstant(0) ? width : 1, begin);
        SmallVector<LaneIndex> index = space.shapeIndex(emitter.indices, loops);
        next.append(
            folds.step(carried.slice(row * count, count), index, masked));
        stash(index, level);
        prefetchRow(index, level, rows.size());
      }
      return next;
    };
    Value rest = kernel.rem(kernel.sub(last, first), kernel.index(width));
    Value whole = kernel.sub(last, rest);
    state = foldSteps(
        folds, first, whole, width, state,
        [&](Value at, ValueRange carried) { return step(at, carried, false); });
    if (kernel.constantOf(rest) == 0)
      continue;
    // The rest under a mask, skipped where there is none.
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
      emitter.mask = kernel.mask(rest, width);
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

ReductionKernel::State ReductionKernel::joinStates(Accumulators &folds,
                                                   State state) {
  unsigned count = folds.size(), ofGroup = state.size() / unroll;
  for (unsigned groups = unroll; groups > 1; groups /= 2) {
    State joined;
    for (unsigned group = 0; group < groups; group += 2)
      for (unsigned at = group * ofGroup; at < (group + 1) * ofGroup;
           at += count)
        joined.append(
            folds.combine(ValueRange(state).slice(at, count),
                          ValueRange(state).slice(at + ofGroup, count)));
    state = joined;
  }
  return state;
}

ReductionKernel::State ReductionKernel::passOverRows(Accumulators &folds,
                                                     ArrayRef<LoopIndex> rows,
                                                     unsigned level) {
  State state;
  for (unsigned group = 0; group < unroll * rows.size(); ++group)
    state.append(folds.start());
  Value low = kernel.index(0), high = kernel.size(space.size(plan.lane));
  if (plan.reducedLoops.empty()) {
    state = foldLanes(folds, rows, low, high, state, level);
  } else {
    state = kernel.loop(
        low, kernel.size(plan.reducedRows()), kernel.index(1), state,
        [&](Value row, ValueRange carried) {
          ElementEmitter::Scope scope(emitter);
          SmallVector<LoopIndex> at(rows);
          for (LoopIndex &loopIndex : at)
            unflattenRow(emitter, space, plan.reducedLoops, row, loopIndex);
          return foldLanes(folds, at, low, high, State(carried), level);
        });
  }
  state = joinStates(folds, state);
  State results;
  for (unsigned at = 0; at < state.size(); at += folds.size())
    results.append(folds.finish(
        folds.acrossLanes(ValueRange(state).slice(at, folds.size()))));
  return results;
}

// Every use of a fold must ask for the rows or columns at hand.
void ReductionKernel::bindResults(ArrayRef<const Fold *> folds,
                                  ValueRange values, ArrayRef<LoopIndex> rows) {
  SmallVector<SmallVector<LaneIndex>> expected;
  for (const LoopIndex &loopIndex : rows)
    expected.push_back(keptIndex(loopIndex));
  for (auto [number, fold] : llvm::enumerate(folds)) {
    SmallVector<Value> results;
    for (size_t row = 0; row < rows.size(); ++row)
      results.push_back(values[row * folds.size() + number]);
    emitter.bind(fold->op->getResult(0),
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
      emitter.storeLinear(kernel.result(number),
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
      emitter.storeLinear(
          kernel.result(number),
          getElementTypeOrSelf(plan.results[number].value.getType()), value,
          emitter.linearize(plan.results[number].value, index));
}

ReductionKernel::State ReductionKernel::foldRow(Accumulators &folds,
                                                ArrayRef<LaneIndex> loopIndex,
                                                Value row, ValueRange state) {
  SmallVector<LaneIndex> at(loopIndex);
  unflattenRow(emitter, space, plan.reducedLoops, row, at);
  return folds.step(state, space.shapeIndex(emitter.indices, at),
                    /*masked=*/false);
}

ReductionKernel::State
ReductionKernel::passDownColumn(Accumulators &folds,
                                SmallVector<LaneIndex> loopIndex, Value low,
                                Value high) {
  auto block = [&](Value first, Value last) {
    State state;
    for (unsigned group = 0; group < unroll; ++group)
      state.append(folds.start());
    state = foldSteps(folds, first, last, 1, state,
                      [&](Value row, ValueRange carried) {
                        return foldRow(folds, loopIndex, row, carried);
                      });
    return joinStates(folds, state);
  };
  auto known = kernel.constantOf(kernel.sub(high, low));
  if (!known || *known <= 2 * rowsOfBlock)
    return block(low, high);
  Value step = kernel.index(rowsOfBlock);
  Value whole = kernel.sub(high, kernel.rem(kernel.sub(high, low), step));
  State sums = kernel.loop(
      low, whole, step, folds.start(), [&](Value first, ValueRange carried) {
        ElementEmitter::Scope scope(emitter);
        return folds.combine(carried, block(first, kernel.add(first, step)));
      });
  if (*known % rowsOfBlock == 0)
    return sums;
  return folds.combine(sums, block(whole, high));
}

Launch ReductionKernel::emitColumns() {
  DimExpr rows = 1;
  for (unsigned loop : plan.keptLoops)
    rows = rows * space.size(loop);
  // The part of a table that a task reads stays in a cache.
  bool fromTable = readTable(plan);
  int64_t lanesPerTask = fromTable ? width : 4 * width;
  RowTasks tasks = RowTasks::plan(rows, space.size(plan.lane), lanesPerTask);
  tasks.chunksFirst = fromTable;
  DimExpr count = plan.reducedRows();
  SmallVector<unsigned> order = orderOfRows(plan);
  forEachRow(kernel, tasks, [&](Value row, Value low, Value high) {
    ElementEmitter::Scope scope(emitter);
    SmallVector<LaneIndex> loopIndex(space.rank(), LaneIndex(0));
    unflattenRow(emitter, space, order, row, loopIndex);
    forEachLaneBlock(
        emitter, space, plan.lane, low, high, [&](const LaneIndex &lanes) {
          loopIndex[plan.lane] = lanes;
          for (unsigned level = 1; level <= plan.levels; ++level) {
            auto folds = enter(level);
            Accumulators state(emitter, folds, width);
            bindResults(
                folds,
                state.finish(passDownColumn(state, loopIndex, kernel.index(0),
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
                        unflattenRow(emitter, space, plan.reducedLoops, outer,
                                     at);
                        storeFull(at);
                      });
        });
  });
  return kernel.finish(
      tasks.tasks,
      cost(tasks.elementsPerTask * double(count.constant().value_or(64))));
}

FailureOr<KernelPlan> emitReduction(const EmissionContext &context) {
  auto plan =
      ReductionSchedule::make(context.fusion, context.dims, context.target);
  if (!plan)
    return emitPointwise(context);
  KernelPlan result;
  bool moved = false, failed = false;
  auto emit = [&](StringRef suffix, Launch (ReductionKernel::*method)()) {
    ReductionKernel kernel(context, *plan, (context.name + suffix).str());
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
