// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions with lanes along the rows: which rows are reduced at once, and
// what is kept or prefetched between the passes over a row.

#include "lowering/builder/RowTasks.h"
#include "lowering/elements/ElementConversions.h"
#include "lowering/elements/LoopNests.h"
#include "lowering/kernels/ReductionKernel.h"
#include "lowering/schedule/LaneChoice.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

void ReductionKernel::chooseStash() {
  if (!plan.lanesReduced)
    return;
  DenseSet<Value> stops = reductionResults();
  llvm::SetVector<Value> last;
  for (const ReducedResult &result : plan.results)
    if (DenseSet<Value> seen; result.full)
      collectCostly(result.value, stops, last, seen);
  for (const Reduction &reduction : plan.reductions) {
    llvm::SetVector<Value> here;
    DenseSet<Value> seen;
    collectCostly(reduction.operand, stops, here, seen);
    for (Value value : here) {
      if (!last.contains(value) || kernel.dims.dimsOf(value) != plan.shape)
        continue;
      for (auto [number, result] : llvm::enumerate(plan.results))
        if (result.full && result.value != value &&
            getElementTypeOrSelf(result.value.getType()) ==
                getElementTypeOrSelf(value.getType())) {
          stashed = value;
          stashLevel = reduction.level;
          stashResult = number;
          return;
        }
    }
  }
}

// The second pass over a row finds it in cache, and hardware prefetchers have
// nothing to follow: meanwhile, a row this many rows further on is prefetched.
void ReductionKernel::prefetchRow(ArrayRef<LaneIndex> index, unsigned level,
                                  size_t ahead) {
  constexpr int64_t shortRow = 64, longRow = 1 << 14;
  auto length = space.size(plan.lane).constant();
  if (level != 2 || !plan.reducedLoops.empty() || !length ||
      *length < shortRow || *length > longRow || !kernel.target.prefetches)
    return;
  auto count = plan.keptCount().constant();
  if (count && double(*count * *length * 4) < kernel.target.l2Share(2))
    return;
  for (BlockArgument argument : kernel.fusion.getBody().getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || emitter.dimsOf(argument) != plan.shape)
      continue;
    LaneIndex linear = emitter.linearize(argument, index);
    if (!emitter.indices.laneStride(linear).isConstant(1))
      continue;
    Value next = kernel.add(emitter.indices.laneBase(linear),
                            kernel.index(*length * int64_t(ahead)));
    kernel.b.create<memref::PrefetchOp>(
        kernel.loc, kernel.memoryOf(argument), ValueRange{next},
        /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
  }
}

void ReductionKernel::stash(ArrayRef<LaneIndex> index, unsigned level) {
  if (!stashed || level != stashLevel)
    return;
  Value value = emitter.emit(stashed, index);
  if (value)
    emitter.memory.store(kernel.result(stashResult),
                         getElementTypeOrSelf(stashed.getType()), value,
                         emitter.linearize(stashed, index));
}

void ReductionKernel::bindStash(unsigned level) {
  if (!stashed || level != stashLevel)
    return;
  emitter.bind(stashed, [this](ArrayRef<LaneIndex> index) {
    return emitter.memory.load(kernel.result(stashResult),
                               getElementTypeOrSelf(stashed.getType()),
                               emitter.linearize(stashed, index));
  });
}

/// How many short rows are reduced at once. After each pass over a row its
/// lanes are reduced, and the scalar goes through long-latency operations (the
/// square root and the division of a norm). The reorder buffer fills with
/// instructions that wait for them, unless other rows provide independent work.
/// Their accumulators stay in registers.
unsigned ReductionKernel::rowsAtOnce() {
  constexpr int64_t longRow = 1024;
  constexpr unsigned accumulators = 16, mostRows = 4;
  auto length = space.size(plan.lane).constant();
  if (kernel.target.lanes < 16 || !kernel.target.outOfOrder ||
      plan.levels < 2 || stashed || !plan.reducedLoops.empty() || !length ||
      *length > longRow || !space.edges(plan.lane).empty())
    return 1;
  llvm::SetVector<Value> costly;
  DenseSet<Value> seen;
  for (const ReducedResult &result : plan.results)
    collectCostly(result.value, {}, costly, seen);
  unsigned vectors = 1;
  for (unsigned level = 1; level <= plan.levels; ++level) {
    auto reductions = enter(level);
    vectors = std::max(vectors,
                       unsigned(reductions.size()) * unroll * vectorsOfValue());
  }
  // A row with long dependence chains keeps execution units busy by itself.
  if (!costly.empty())
    return 1;
  return std::clamp(unsigned(llvm::bit_floor(accumulators / vectors)), 1u,
                    mostRows);
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
  chooseStash();
  DimExpr length = space.size(plan.lane) * plan.reducedRows();
  SmallVector<unsigned> outer(plan.keptLoops);
  std::optional<unsigned> inner = innerRowsOf(plan, width);
  if (inner) {
    outer.pop_back();
    length = length * space.size(*inner);
  }
  RowTasks tasks = rowTasksOf(plan, width, form.rows);
  unsigned together = inner ? 1 : rowsAtOnce();
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
