// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of reductions: one pass over the row (or down the columns) per level
// of folds, the last pass writes.

#include "lowering/kernels/ReductionKernel.h"
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

// Values worth keeping, below `value` and above `stops`.
static void collectCostly(Value value, const DenseSet<Value> &stops,
                          llvm::SetVector<Value> &found,
                          DenseSet<Value> &seen) {
  Operation *op = value.getDefiningOp();
  if (!op || stops.contains(value) || !seen.insert(value).second)
    return;
  if (isa<graph::ExpOp, graph::TanhOp, graph::ErfOp, graph::LogOp,
          graph::LogisticOp, graph::PowOp>(op))
    found.insert(value);
  for (Value operand : op->getOperands())
    collectCostly(operand, stops, found, seen);
}

static bool isTable(const ReductionPlan &plan,
                    const IterationSpace::Access &access) {
  auto isOpaque = [&](unsigned loop) { return access.opaque[loop]; };
  return !access.written && access.factors[plan.lane].isConstant(1) &&
         llvm::any_of(plan.reducedLoops, isOpaque) &&
         llvm::any_of(plan.keptLoops, isOpaque);
}

/// Whether all rows read from one table at places that data gives, so that a
/// part of it that stays in a cache serves one row after the other.
static bool readTable(const ReductionPlan &plan) {
  return llvm::any_of(plan.space->accesses(), [&](const auto &access) {
    return isTable(plan, access);
  });
}

/// The loops of rows, outermost first: all rows read one part of a table before
/// the next.
static SmallVector<unsigned> orderOfRows(const ReductionPlan &plan) {
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
static bool foldsWholeRows(const ReductionPlan &plan) {
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
                                      const ReductionPlan &plan) {
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
  // A place in a table that was worked out serves many lanes, those of a block
  // of columns.
  constexpr unsigned lanesOfTable = 64;
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
  return readTable(plan)
             ? std::max(width, unsigned(std::min<uint64_t>(
                                   std::min(many, lanesOfTable),
                                   llvm::bit_floor(uint64_t(*size)))))
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
ReductionKernel::foldSteps(FoldState &folds, Value low, Value high,
                           int64_t step, State state,
                           function_ref<State(Value, ValueRange)> body) {
  unsigned count = folds.size();
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

ReductionKernel::State ReductionKernel::foldLanes(FoldState &folds,
                                                  ArrayRef<Ix> loopIndex,
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
      SmallVector<Ix> loops(loopIndex);
      loops[plan.lane] = emitter.indices.lanes(
          at, end, begin.isConstant(0) ? width : 1, begin);
      SmallVector<Ix> index = space.shapeIndex(emitter.indices, loops);
      State next = folds.step(carried, index, masked);
      stash(index, level);
      prefetchNextRow(index, level);
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
    ValueRange firstState = ValueRange(state).take_front(count);
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
    for (unsigned i = 0; i < count; ++i)
      state[i] = tail.getResult(i);
  }
  return state;
}

ReductionKernel::State ReductionKernel::joinStates(FoldState &folds,
                                                   State state) {
  unsigned count = folds.size();
  for (unsigned groups = unroll; groups > 1; groups /= 2) {
    State joined;
    for (unsigned group = 0; group < groups; group += 2)
      joined.append(
          folds.combine(ValueRange(state).slice(group * count, count),
                        ValueRange(state).slice((group + 1) * count, count)));
    state = joined;
  }
  return state;
}

ReductionKernel::State ReductionKernel::passOverRow(FoldState &folds,
                                                    SmallVector<Ix> loopIndex,
                                                    unsigned level) {
  State state;
  for (unsigned group = 0; group < unroll; ++group)
    state.append(folds.start());
  Value low = kernel.index(0), high = kernel.size(space.size(plan.lane));
  if (plan.reducedLoops.empty()) {
    state = foldLanes(folds, loopIndex, low, high, state, level);
  } else {
    state = kernel.loop(
        low, kernel.size(plan.reducedRows()), kernel.index(1), state,
        [&](Value row, ValueRange carried) {
          ElementEmitter::Scope scope(emitter);
          unflattenRow(emitter, space, plan.reducedLoops, row, loopIndex);
          return foldLanes(folds, loopIndex, low, high, State(carried), level);
        });
  }
  return folds.acrossLanes(joinStates(folds, state));
}

// Every use of a fold must ask for the row or column at hand.
void ReductionKernel::bindResults(ArrayRef<const Fold *> folds,
                                  ValueRange values, ArrayRef<Ix> loopIndex) {
  SmallVector<Ix> expected = keptIndex(loopIndex);
  for (auto [fold, value] : llvm::zip(folds, values)) {
    Value result = value;
    emitter.bind(fold->op->getResult(0),
                 [this, result, expected](ArrayRef<Ix> index) {
                   moved |= ArrayRef<Ix>(expected) != index;
                   return result;
                 });
  }
}

SmallVector<Ix> ReductionKernel::keptIndex(ArrayRef<Ix> loopIndex) {
  SmallVector<Ix> index = space.shapeIndex(emitter.indices, loopIndex), kept;
  for (auto [d, x] : llvm::enumerate(index))
    if (!llvm::is_contained(plan.reduced, int64_t(d)))
      kept.push_back(x);
  return kept;
}

void ReductionKernel::storeReduced(ArrayRef<Ix> loopIndex) {
  SmallVector<Ix> shapeIndex = space.shapeIndex(emitter.indices, loopIndex);
  auto indexOf = [&](const ReducedResult &result) {
    SmallVector<Ix> index;
    for (unsigned d : result.dims)
      index.push_back(d == SpaceRoot::single ? Ix(0) : shapeIndex[d]);
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

void ReductionKernel::storeFull(ArrayRef<Ix> loopIndex) {
  SmallVector<Ix> index = space.shapeIndex(emitter.indices, loopIndex);
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

void ReductionKernel::chooseStash() {
  if (!plan.lanesReduced)
    return;
  DenseSet<Value> stops = foldResults();
  llvm::SetVector<Value> last;
  for (const ReducedResult &result : plan.results)
    if (DenseSet<Value> seen; result.full)
      collectCostly(result.value, stops, last, seen);
  for (const Fold &fold : plan.folds) {
    llvm::SetVector<Value> here;
    DenseSet<Value> seen;
    collectCostly(fold.operand, stops, here, seen);
    for (Value value : here) {
      if (!last.contains(value) || kernel.dims.dimsOf(value) != plan.shape)
        continue;
      for (auto [number, result] : llvm::enumerate(plan.results))
        if (result.full && result.value != value &&
            getElementTypeOrSelf(result.value.getType()) ==
                getElementTypeOrSelf(value.getType())) {
          stashed = value;
          stashLevel = fold.level;
          stashResult = number;
          return;
        }
    }
  }
}

// The second pass over a row finds it in cache, and the machine's own prefetch
// has nothing to follow: meanwhile the next row can come.
void ReductionKernel::prefetchNextRow(ArrayRef<Ix> index, unsigned level) {
  constexpr int64_t shortRow = 64, longRow = 1 << 14, smallBytes = 1 << 20;
  auto length = space.size(plan.lane).constant();
  if (level != 2 || !plan.reducedLoops.empty() || !length ||
      *length < shortRow || *length > longRow || kernel.target.opencl)
    return;
  auto count = plan.keptCount().constant();
  if (count && *count * *length * 4 < smallBytes)
    return;
  for (BlockArgument argument : kernel.fusion.getBody().getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || emitter.dimsOf(argument) != plan.shape)
      continue;
    Ix linear = emitter.linearize(argument, index);
    if (!emitter.indices.laneStride(linear).isConstant(1))
      continue;
    Value next =
        kernel.add(emitter.indices.laneZero(linear), kernel.index(*length));
    kernel.b.create<memref::PrefetchOp>(
        kernel.loc, kernel.memoryOf(argument), ValueRange{next},
        /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
  }
}

void ReductionKernel::stash(ArrayRef<Ix> index, unsigned level) {
  if (!stashed || level != stashLevel)
    return;
  Value value = emitter.emit(stashed, index);
  if (value)
    emitter.storeLinear(kernel.result(stashResult),
                        getElementTypeOrSelf(stashed.getType()), value,
                        emitter.linearize(stashed, index));
}

void ReductionKernel::bindStash(unsigned level) {
  if (!stashed || level != stashLevel)
    return;
  emitter.bind(stashed, [this](ArrayRef<Ix> index) {
    return emitter.loadLinear(kernel.result(stashResult),
                              getElementTypeOrSelf(stashed.getType()),
                              emitter.linearize(stashed, index));
  });
}

/// The innermost loop of very short rows, where there are others: to divide for
/// the place of each row would take longer than its elements do.
std::optional<unsigned> ReductionKernel::innerRows() const {
  constexpr int64_t fewVectors = 4;
  auto length = (space.size(plan.lane) * plan.reducedRows()).constant();
  if (plan.keptLoops.size() < 2 || !length || *length > fewVectors * width ||
      !space.size(plan.keptLoops.back()).constant())
    return std::nullopt;
  return plan.keptLoops.back();
}

Launch ReductionKernel::emitRows() {
  chooseStash();
  DimExpr length = space.size(plan.lane) * plan.reducedRows();
  SmallVector<unsigned> outer(plan.keptLoops);
  std::optional<unsigned> inner = innerRows();
  if (inner) {
    outer.pop_back();
    length = length * space.size(*inner);
  }
  DimExpr rows = 1;
  for (unsigned loop : outer)
    rows = rows * space.size(loop);
  RowTasks tasks =
      RowTasks::plan(rows, length, elementsPerTask, /*cutRows=*/false);
  auto reduceRow = [&](ArrayRef<Ix> loopIndex) {
    for (unsigned level = 1; level <= plan.levels; ++level) {
      auto folds = enter(level);
      FoldState state(emitter, folds, width);
      bindResults(
          folds,
          state.finish(passOverRow(state, SmallVector<Ix>(loopIndex), level)),
          loopIndex);
      bindStash(level);
    }
    storeReduced(loopIndex);
    if (!anyFull())
      return;
    kernel.loop(kernel.index(0), kernel.size(plan.reducedRows()),
                kernel.index(1), [&](Value outer) {
                  ElementEmitter::Scope scope(emitter);
                  SmallVector<Ix> at(loopIndex);
                  unflattenRow(emitter, space, plan.reducedLoops, outer, at);
                  forEachLaneBlock(emitter, space, plan.lane, kernel.index(0),
                                   kernel.size(space.size(plan.lane)),
                                   [&](const Ix &lanes) {
                                     at[plan.lane] = lanes;
                                     storeFull(at);
                                   });
                });
  };
  forEachRow(kernel, tasks, [&](Value row, Value, Value) {
    ElementEmitter::Scope scope(emitter);
    SmallVector<Ix> loopIndex(space.rank(), Ix(0));
    unflattenRow(emitter, space, outer, row, loopIndex);
    if (!inner)
      return reduceRow(loopIndex);
    kernel.loop(kernel.index(0), kernel.size(space.size(*inner)),
                kernel.index(1), [&](Value at) {
                  ElementEmitter::Scope scope(emitter);
                  loopIndex[*inner] =
                      emitter.indices.scalar(at, space.size(*inner));
                  reduceRow(loopIndex);
                });
  });
  double elements =
      tasks.rowsPerTask * double(length.constant().value_or(1024));
  return kernel.finish(tasks.tasks, cost(elements));
}

ReductionKernel::State ReductionKernel::foldRow(FoldState &folds,
                                                ArrayRef<Ix> loopIndex,
                                                Value row, ValueRange state) {
  SmallVector<Ix> at(loopIndex);
  unflattenRow(emitter, space, plan.reducedLoops, row, at);
  return folds.step(state, space.shapeIndex(emitter.indices, at),
                    /*masked=*/false);
}

ReductionKernel::State
ReductionKernel::passDownColumn(FoldState &folds, SmallVector<Ix> loopIndex,
                                Value low, Value high) {
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
    SmallVector<Ix> loopIndex(space.rank(), Ix(0));
    unflattenRow(emitter, space, order, row, loopIndex);
    forEachLaneBlock(
        emitter, space, plan.lane, low, high, [&](const Ix &lanes) {
          loopIndex[plan.lane] = lanes;
          for (unsigned level = 1; level <= plan.levels; ++level) {
            auto folds = enter(level);
            FoldState state(emitter, folds, width);
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
                        SmallVector<Ix> at(loopIndex);
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
  auto plan = ReductionPlan::make(context.fusion, context.dims, context.target);
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
