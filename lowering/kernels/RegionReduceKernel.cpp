// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// reduce_with and reduce_window_with: one element of the results at a time, or
// a vector along the last dimension, reduced in row-major order.

#include "lowering/builder/EmissionContext.h"
#include "lowering/builder/RowTasks.h"
#include "lowering/elements/BoundsGuard.h"
#include "lowering/elements/LoopNests.h"
#include "lowering/elements/RegionElements.h"
#include "lowering/kernels/KernelEmitters.h"
#include "lowering/schedule/ElementsSchedule.h"
#include "lowering/schedule/LaneChoice.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {
/// What both ops have in common: elements of results, each reduced by loops.
class RegionReduceKernel {
public:
  RegionReduceKernel(const EmissionContext &context, Operation *op,
                     Region &region)
      : kernel(context.fusion, context.dims, context.target, context.kernels,
               context.name),
        emitter(kernel), op(op), region(region),
        inputs(op->getOperands().take_front(op->getNumOperands() / 2)),
        inits(op->getOperands().drop_front(op->getNumOperands() / 2)),
        resultDims(context.dims.dimsOf(op->getResult(0))) {}
  virtual ~RegionReduceKernel() = default;

  FailureOr<KernelPlan> run();

protected:
  using Values = SmallVector<Value>;
  /// Loops over the elements that are reduced to the result at `index`.
  virtual Values reduceAt(ArrayRef<LaneIndex> index, Values start) = 0;
  /// Elements per result, where known.
  virtual int64_t reducedCount() = 0;
  virtual bool lanesFit() = 0;

  /// One step: the region applied to the partial results and the next elements.
  Values step(ArrayRef<Value> sums, ArrayRef<Value> elements);
  /// `sums` is left as it was after a failure.
  Values loop(const DimExpr &size, const Values &start,
              function_ref<Values(LaneIndex, Values)> body);

  KernelBuilder kernel;
  ElementEmitter emitter;
  Operation *op;
  Region &region;
  ValueRange inputs, inits;
  const graph::DimVector resultDims;

private:
  void emitElement(ArrayRef<LaneIndex> index);
  Value alike(Value value, bool lanes) {
    return lanes ? kernel.broadcast(value, emitter.indices.width) : value;
  }
};

class ReduceWithKernel final : public RegionReduceKernel {
public:
  ReduceWithKernel(const EmissionContext &context, graph::ReduceWithOp op)
      : RegionReduceKernel(context, op, op.getBody()), reduce(op),
        dims(context.dims.dimsOf(op.getInputs().front())) {}

private:
  Values reduceAt(ArrayRef<LaneIndex> index, Values start) override;
  Values reduceFrom(unsigned dim, ArrayRef<LaneIndex> index,
                    SmallVector<LaneIndex> &at, Values sums);
  int64_t reducedCount() override {
    int64_t count = 1;
    for (int64_t d : reduce.getDims())
      count *= dims[d].constant().value_or(64);
    return count;
  }
  bool isReducedDim(int64_t dim) {
    return llvm::is_contained(reduce.getDims(), dim);
  }
  bool lanesFit() override {
    return !dims.empty() && !isReducedDim(int64_t(dims.size()) - 1);
  }
  graph::ReduceWithOp reduce;
  const graph::DimVector dims;
};

class ReduceWindowWithKernel final : public RegionReduceKernel {
public:
  ReduceWindowWithKernel(const EmissionContext &context,
                         graph::ReduceWindowWithOp op)
      : RegionReduceKernel(context, op, op.getBody()), window(op),
        dims(context.dims.dimsOf(op.getInputs().front())) {}

private:
  Values reduceAt(ArrayRef<LaneIndex> index, Values start) override;
  Values reduceFrom(unsigned dim, ArrayRef<LaneIndex> index,
                    SmallVector<LaneIndex> &at, const BoundsGuard &guard,
                    bool possible, Values sums);
  int64_t reducedCount() override {
    int64_t count = 1;
    for (int64_t size : window.getWindow())
      count *= size;
    return count;
  }
  bool lanesFit() override { return !dims.empty(); }
  graph::ReduceWindowWithOp window;
  const graph::DimVector dims;
};
} // namespace

SmallVector<Value> RegionReduceKernel::step(ArrayRef<Value> sums,
                                            ArrayRef<Value> elements) {
  Values arguments(sums);
  llvm::append_range(arguments, elements);
  Values next = emitRegion(emitter, region, arguments);
  if (next.empty())
    return Values(sums);
  for (auto [value, sum] : llvm::zip(next, sums))
    value = alike(value, isa<VectorType>(sum.getType()));
  return next;
}

SmallVector<Value>
RegionReduceKernel::loop(const DimExpr &size, const Values &start,
                         function_ref<Values(LaneIndex, Values)> body) {
  return kernel.loop(kernel.index(0), kernel.size(size), kernel.index(1), start,
                     [&](Value at, ValueRange carried) {
                       ElementEmitter::Scope scope(emitter);
                       return body(emitter.indices.scalar(at, size),
                                   Values(carried));
                     });
}

SmallVector<Value> ReduceWithKernel::reduceAt(ArrayRef<LaneIndex> index,
                                              Values start) {
  SmallVector<LaneIndex> at;
  return reduceFrom(0, index, at, std::move(start));
}

SmallVector<Value> ReduceWithKernel::reduceFrom(unsigned dim,
                                                ArrayRef<LaneIndex> index,
                                                SmallVector<LaneIndex> &at,
                                                Values sums) {
  if (dim == dims.size()) {
    Values elements;
    for (Value input : inputs) {
      elements.push_back(emitter.emit(input, at));
      if (!elements.back())
        return sums;
    }
    return step(sums, elements);
  }
  auto inner = [&](LaneIndex x, ArrayRef<LaneIndex> rest, Values carried) {
    at.push_back(std::move(x));
    Values result = reduceFrom(dim + 1, rest, at, std::move(carried));
    at.pop_back();
    return result;
  };
  if (!isReducedDim(dim))
    return inner(index.front(), index.drop_front(), std::move(sums));
  return loop(dims[dim], sums, [&](LaneIndex x, Values carried) {
    return inner(std::move(x), index, std::move(carried));
  });
}

SmallVector<Value> ReduceWindowWithKernel::reduceAt(ArrayRef<LaneIndex> index,
                                                    Values start) {
  SmallVector<LaneIndex> at;
  return reduceFrom(0, index, at, BoundsGuard(emitter), true, std::move(start));
}

// Padding and gaps count as the first value.
SmallVector<Value> ReduceWindowWithKernel::reduceFrom(
    unsigned dim, ArrayRef<LaneIndex> index, SmallVector<LaneIndex> &at,
    const BoundsGuard &guard, bool possible, Values sums) {
  bool lanes = emitter.anyLanes(index);
  if (dim == dims.size()) {
    Values elements;
    for (auto [input, init] : llvm::zip(inputs, inits)) {
      Value from = input, otherwise = init;
      auto padding = [&] { return emitter.emit(otherwise, {}); };
      elements.push_back(
          possible ? guard.emit(
                         lanes, [&] { return emitter.emit(from, at); }, padding)
                   : padding());
      if (!elements.back())
        return sums;
    }
    return step(sums, elements);
  }
  IndexMath &math = emitter.indices;
  int64_t base = window.getBaseDilation()[dim], low = window.getLow()[dim];
  auto body = [&](const LaneIndex &w, Values carried) {
    LaneIndex position = math.add(
        math.shift(math.scale(index[dim], window.getStrides()[dim]), -low),
        math.scale(w, window.getDilation()[dim]));
    BoundsGuard here = guard;
    bool stays = possible;
    if (base > 1) {
      // Adds enough multiples to make every position in the padding
      // non-negative.
      int64_t turns = std::max<int64_t>(0, low) / base + 1;
      auto [quotient, rest] =
          math.divide(math.shift(position, turns * base), base);
      stays = stays && here.add(rest, 0, 1);
      position = math.shift(quotient, -turns);
    }
    stays = stays && here.add(position, 0, dims[dim]);
    at.push_back(position);
    Values result =
        reduceFrom(dim + 1, index, at, here, stays, std::move(carried));
    at.pop_back();
    return result;
  };
  int64_t count = window.getWindow()[dim];
  if (count == 1)
    return body(LaneIndex(0), std::move(sums));
  return loop(count, sums, body);
}

void RegionReduceKernel::emitElement(ArrayRef<LaneIndex> index) {
  bool lanes = emitter.anyLanes(index);
  Values start;
  for (Value init : inits) {
    Value value = emitter.emit(init, {});
    if (!value)
      return;
    start.push_back(alike(value, lanes));
  }
  Values sums = reduceAt(index, std::move(start));
  if (emitter.failed())
    return;
  for (auto [result, sum] : llvm::zip(op->getResults(), sums))
    if (auto number = kernel.resultOf(result))
      emitter.store(*number, sum, index);
}

FailureOr<KernelPlan> RegionReduceKernel::run() {
  // A loop shorter than this is not worth lanes.
  constexpr int64_t fewLanes = 4;
  bool lanes = lanesFit() && !resultDims.empty() &&
               resultDims.back().constant().value_or(fewLanes) >= fewLanes;
  if (lanes)
    emitter.indices.width =
        givenLanes(kernel.fusion, valueWidth(kernel.fusion, kernel.target));
  ArrayRef<DimExpr> outer(resultDims);
  DimExpr rowLength = lanes ? resultDims.back() : DimExpr(1);
  if (lanes)
    outer = outer.drop_back();
  DimExpr rows = 1;
  for (const DimExpr &size : outer)
    rows = rows * size;
  int64_t elements =
      std::max<int64_t>(8 * emitter.indices.width,
                        elementsPerTask / std::max<int64_t>(1, reducedCount()));
  RowTasks tasks = RowTasks::plan(rows, rowLength, elements);
  forEachRow(kernel, tasks, [&](Value row, Value low, Value high) {
    ElementEmitter::Scope scope(emitter);
    SmallVector<LaneIndex> index(resultDims.size());
    for (unsigned d = outer.size(); d-- > 0;) {
      Value here = d == 0 ? row : kernel.rem(row, kernel.size(outer[d]));
      if (d > 0)
        row = kernel.div(row, kernel.size(outer[d]));
      index[d] = emitter.indices.scalar(here, outer[d]);
    }
    if (!lanes)
      return emitElement(index);
    kernel.laneLoop(
        low, high, emitter.indices.width, [&](Value first, Value mask) {
          ElementEmitter::Scope scope(emitter);
          emitter.active.mask = mask;
          index.back() = emitter.indices.lanes(first, resultDims.back());
          emitElement(index);
        });
  });
  Launch launch = kernel.finish(tasks.tasks, tasks.elementsPerTask *
                                                 double(reducedCount()) *
                                                 costPerElement(kernel.fusion));
  KernelPlan plan;
  if (!addLaunch(plan, unlessFailed(emitter, std::move(launch))))
    return failure();
  return plan;
}

FailureOr<KernelPlan> emitRegionReduce(const EmissionContext &context) {
  graph::FusionOp fusion = context.fusion;
  Operation *found = nullptr;
  for (Operation &op : fusion.getBody().front())
    if (isa<graph::ReduceWithOp, graph::ReduceWindowWithOp>(op)) {
      if (found)
        return op.emitError()
               << "no kernel for two of '" << op.getName() << "' in one fusion";
      found = &op;
    }
  for (Value result : fusion.getBody().front().getTerminator()->getOperands())
    if (result.getDefiningOp() != found)
      return found->emitError()
             << "no kernel for '" << found->getName() << "' with other results";
  if (auto reduce = dyn_cast<graph::ReduceWithOp>(found))
    return ReduceWithKernel(context, reduce).run();
  return ReduceWindowWithKernel(context, cast<graph::ReduceWindowWithOp>(found))
      .run();
}

} // namespace zenith::kernels
