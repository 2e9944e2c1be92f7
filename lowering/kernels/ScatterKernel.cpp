// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// scatter and scatter_with: copies the operands to the results, then combines
// updates in order. Tasks own parts of the results, so the order of updates of
// an element is the same for any number of threads: columns of wide windows;
// updates of their own along a dimension where update i goes to index i; or
// indices along a dimension that scatter indices choose, for which every task
// walks all indices. A range of tasks is one walk.

#include "lowering/builder/EmissionContext.h"
#include "lowering/builder/RowTasks.h"
#include "lowering/elements/ElementConversions.h"
#include "lowering/elements/LoopNests.h"
#include "lowering/elements/ReductionSteps.h"
#include "lowering/elements/RegionElements.h"
#include "lowering/kernels/KernelEmitters.h"
#include "lowering/schedule/ElementsSchedule.h"
#include "lowering/schedule/LaneChoice.h"
#include "lowering/schedule/ScatterSchedule.h"
#include "lowering/schedule/Schedule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {
class ScatterKernel {
public:
  ScatterKernel(const EmissionContext &context, const ScatterSchedule &schedule)
      : kernel(context.fusion, context.dims, context.target, context.kernels,
               (context.name + "_combine").str()),
        emitter(kernel), schedule(schedule), scatter(schedule.scatter),
        operandDims(schedule.operandDims), updateDims(schedule.updateDims),
        scatterDims(schedule.scatterDims), windowDims(schedule.windowDims),
        windowOf(schedule.windowOf), lane(schedule.lane),
        tasks(schedule.tasks()) {
    if (schedule.parts)
      (schedule.own ? ownDim : part) =
          schedule.own ? schedule.own : schedule.named;
  }

  FailureOr<Launch> run();

private:
  std::pair<Value, Value> share(const DimExpr &size);
  void forEachPosition(ArrayRef<unsigned> dims,
                       MutableArrayRef<LaneIndex> index,
                       function_ref<void()> body);
  Value inWindow(ArrayRef<LaneIndex> update, MutableArrayRef<LaneIndex> start);
  Value owned(const LaneIndex &place);
  void combineWindow(SmallVector<LaneIndex> update, ArrayRef<LaneIndex> start);
  void combineElement(ArrayRef<LaneIndex> update, ArrayRef<LaneIndex> start);
  SmallVector<Value> join(ArrayRef<Value> old, ArrayRef<Value> updates);
  bool uses(graph::ScatterKind kind) const {
    auto op = dyn_cast<graph::ScatterOp>(scatter.op);
    return op && op.getKind() == kind;
  }

  KernelBuilder kernel;
  ElementEmitter emitter;
  const ScatterSchedule &schedule;
  const ScatterView &scatter;
  const graph::DimVector &operandDims, &updateDims;
  ArrayRef<unsigned> scatterDims, windowDims; ///< of the updates
  ArrayRef<int> windowOf;
  std::optional<unsigned> lane;   ///< of the updates
  std::optional<unsigned> part;   ///< operand dimension that tasks divide
  std::optional<unsigned> ownDim; ///< dimension of the updates that they divide
  DimExpr tasks;
};
} // namespace

// The part of [0, size) that the range of tasks owns.
std::pair<Value, Value> ScatterKernel::share(const DimExpr &size) {
  auto bound = [&](Value task) {
    return kernel.div(kernel.mul(task, kernel.size(size)), kernel.size(tasks));
  };
  return {bound(kernel.begin()), bound(kernel.end())};
}

// Loops over dimensions of the updates, in order.
void ScatterKernel::forEachPosition(ArrayRef<unsigned> dims,
                                    MutableArrayRef<LaneIndex> index,
                                    function_ref<void()> body) {
  if (dims.empty())
    return body();
  const DimExpr &size = updateDims[dims.front()];
  auto [low, high] = ownDim == dims.front()
                         ? share(size)
                         : std::make_pair(kernel.index(0), kernel.size(size));
  kernel.loop(low, high, kernel.index(1), [&](Value at) {
    ElementEmitter::Scope scope(emitter);
    index[dims.front()] = emitter.indices.scalar(at, size);
    forEachPosition(dims.drop_front(), index, body);
  });
}

static Value both(KernelBuilder &kernel, Value x, Value y) {
  return !x   ? y
         : !y ? x
              : kernel.b.create<arith::AndIOp>(kernel.loc, x, y).getResult();
}

// Whether the tasks own an index along the divided dimension.
Value ScatterKernel::owned(const LaneIndex &place) {
  auto [low, high] = share(operandDims[*part]);
  OpBuilder &b = kernel.b;
  // Smaller indices wrap to large ones.
  Value behind =
      b.create<arith::SubIOp>(kernel.loc, emitter.indices.value(place), low);
  return b.create<arith::CmpIOp>(kernel.loc, arith::CmpIPredicate::ult, behind,
                                 kernel.sub(high, low));
}

// The start of the window, and whether it is in bounds and (partly) owned by
// the tasks.
Value ScatterKernel::inWindow(ArrayRef<LaneIndex> update,
                              MutableArrayRef<LaneIndex> start) {
  auto dims = scatter.dims;
  OpBuilder &b = kernel.b;
  auto type = cast<RankedTensorType>(scatter.indices.getType());
  int64_t vectorDim = dims.getIndexVectorDim();
  SmallVector<LaneIndex> batch;
  for (unsigned d : scatterDims)
    batch.push_back(update[d]);
  Value holds;
  for (auto [d, source] :
       llvm::zip(dims.getInputBatchingDims(), dims.getIndicesBatchingDims()))
    start[d] = batch[source > vectorDim ? source - 1 : source];
  for (auto [component, d] : llvm::enumerate(dims.getIndexMap())) {
    SmallVector<LaneIndex> at(batch);
    if (vectorDim < type.getRank())
      at.insert(at.begin() + vectorDim, LaneIndex(int64_t(component)));
    Value index = emitter.emit(scatter.indices, at);
    if (!index)
      return {};
    Value place =
        type.getElementType().isUnsignedInteger()
            ? b.create<arith::IndexCastUIOp>(kernel.loc, b.getIndexType(),
                                             index)
                  .getResult()
            : b.create<arith::IndexCastOp>(kernel.loc, b.getIndexType(), index)
                  .getResult();
    DimExpr window = windowOf[d] < 0 ? DimExpr(1) : updateDims[windowOf[d]],
            places = DimExpr::max(operandDims[d] - window + 1, 0);
    // Negative indices wrap to large ones.
    Value fits = b.create<arith::CmpIOp>(kernel.loc, arith::CmpIPredicate::ult,
                                         place, kernel.size(places));
    holds = both(kernel, holds, fits);
    start[d] = emitter.indices.scalar(place, places);
  }
  for (unsigned d = 0; d < operandDims.size(); ++d)
    if (windowOf[d] >= 0 &&
        !llvm::is_contained(dims.getIndexMap(), int64_t(d)) &&
        !updateDims[windowOf[d]].provablyAtMost(operandDims[d])) {
      Value fits = b.create<arith::CmpIOp>(
          kernel.loc, arith::CmpIPredicate::sle,
          kernel.size(updateDims[windowOf[d]]), kernel.size(operandDims[d]));
      holds = both(kernel, holds, fits);
    }
  if (part)
    holds = both(kernel, holds, owned(start[*part]));
  return holds ? holds : kernel.integer(b.getI1Type(), 1);
}

/// The smaller or larger of two floats, -0 below 0, or a NaN where one is.
/// Selecting between scalar floats is free of branches only if a float
/// comparison decides, so zeros are distinguished by the AND or OR of their
/// bits.
static Value extremeOf(KernelBuilder &kernel, Value x, Value y, bool smaller) {
  OpBuilder &b = kernel.b;
  Location loc = kernel.loc;
  using P = arith::CmpFPredicate;
  auto choose = [&](P predicate, Value yes, Value no) -> Value {
    Value holds = b.create<arith::CmpFOp>(loc, predicate, y, x);
    return b.create<arith::SelectOp>(loc, holds, yes, no);
  };
  Type bits = b.getIntegerType(x.getType().getIntOrFloatBitWidth());
  Value left = b.create<arith::BitcastOp>(loc, bits, x),
        right = b.create<arith::BitcastOp>(loc, bits, y);
  Value same = smaller ? b.create<arith::OrIOp>(loc, left, right).getResult()
                       : b.create<arith::AndIOp>(loc, left, right).getResult();
  same = b.create<arith::BitcastOp>(loc, x.getType(), same);
  Value chosen = choose(smaller ? P::OLT : P::OGT, y, x);
  chosen = choose(P::OEQ, same, chosen);
  return choose(P::UNO, b.create<arith::AddFOp>(loc, x, y), chosen);
}

SmallVector<Value> ScatterKernel::join(ArrayRef<Value> old,
                                       ArrayRef<Value> updates) {
  using K = graph::ScatterKind;
  auto op = dyn_cast<graph::ScatterOp>(scatter.op);
  if (!op) {
    SmallVector<Value> arguments(old);
    llvm::append_range(arguments, updates);
    return emitRegion(emitter, cast<graph::ScatterWithOp>(scatter.op).getBody(),
                      arguments);
  }
  if (op.getKind() == K::set)
    return SmallVector<Value>(updates);
  Type element = getElementTypeOrSelf(op.getOperand().getType());
  graph::ReduceKind kind = op.getKind() == K::sum    ? graph::ReduceKind::sum
                           : op.getKind() == K::prod ? graph::ReduceKind::prod
                           : op.getKind() == K::max  ? graph::ReduceKind::max
                                                     : graph::ReduceKind::min;
  Value x = old[0], y = updates[0];
  bool isExtreme = op.getKind() == K::max || op.getKind() == K::min;
  Value joined = isa<FloatType>(x.getType()) && isExtreme
                     ? extremeOf(kernel, x, y, op.getKind() == K::min)
                     : reduceStep(emitter, kind, element, x, y);
  return {roundTo(emitter.kernel, element, joined)};
}

void ScatterKernel::combineElement(ArrayRef<LaneIndex> update,
                                   ArrayRef<LaneIndex> start) {
  SmallVector<LaneIndex> at(start);
  for (unsigned d = 0; d < at.size(); ++d)
    if (windowOf[d] >= 0)
      at[d] = emitter.indices.add(at[d], update[windowOf[d]]);
  LaneIndex linear = emitter.linearize(operandDims, at);
  SmallVector<Value> old, updates;
  for (auto [number, input] : llvm::enumerate(scatter.inputs)) {
    Type element = getElementTypeOrSelf(input.getType());
    Value memory =
        kernel.result(*kernel.resultOf(scatter.op->getResult(number)));
    if (!uses(graph::ScatterKind::set))
      old.push_back(emitter.memory.load(memory, element, linear));
    updates.push_back(emitter.emit(scatter.updates[number], update));
    if (!updates.back())
      return;
  }
  SmallVector<Value> joined = join(old, updates);
  for (auto [number, value] : llvm::enumerate(joined)) {
    Type element = getElementTypeOrSelf(scatter.inputs[number].getType());
    emitter.memory.store(
        kernel.result(*kernel.resultOf(scatter.op->getResult(number))), element,
        value, linear);
  }
}

void ScatterKernel::combineWindow(SmallVector<LaneIndex> update,
                                  ArrayRef<LaneIndex> start) {
  SmallVector<unsigned> loops(windowDims);
  if (lane)
    loops.pop_back();
  forEachPosition(loops, update, [&] {
    if (!lane)
      return combineElement(update, start);
    const DimExpr &size = updateDims[*lane];
    Value low = kernel.index(0), high = kernel.size(size);
    if (schedule.block) {
      Value chunk = kernel.index(schedule.block);
      low = kernel.mul(kernel.begin(), chunk);
      high = kernel.min(kernel.mul(kernel.end(), chunk), high);
    }
    kernel.laneLoop(low, high, emitter.indices.width,
                    [&](Value first, Value mask) {
                      ElementEmitter::Scope scope(emitter);
                      emitter.active.mask = mask;
                      SmallVector<LaneIndex> at(update);
                      at[*lane] = emitter.indices.lanes(first, size);
                      combineElement(at, start);
                    });
  });
}

FailureOr<Launch> ScatterKernel::run() {
  if (lane)
    emitter.indices.width =
        givenLanes(kernel.fusion, valueWidth(kernel.fusion, kernel.target));
  SmallVector<LaneIndex> update(updateDims.size());
  forEachPosition(scatterDims, update, [&] {
    SmallVector<LaneIndex> start(operandDims.size());
    Value holds = inWindow(update, start);
    if (!holds)
      return;
    kernel.ifThen(holds, [&] {
      ElementEmitter::Scope scope(emitter);
      combineWindow(update, start);
    });
  });
  double elements = double(kernel.dims.elementCount(scatter.updates[0])
                               .constant()
                               .value_or(1 << 16)) /
                    double(std::max<int64_t>(1, tasks.constant().value_or(4)));
  return unlessFailed(
      emitter,
      kernel.finish(tasks, 4 * elements * costPerElement(kernel.fusion)));
}

FailureOr<KernelPlan> emitScatter(const EmissionContext &context) {
  graph::FusionOp fusion = context.fusion;
  auto schedule = ScatterSchedule::make(fusion, context.dims);
  if (failed(schedule))
    return failure();
  auto said =
      cast<sched::ScatterAttr>(sched::lastVariant(fusion.getScheduleAttr()));
  schedule->setTasks(said.getBlock(), said.getParts());
  if ((schedule->block && !schedule->lane) ||
      (schedule->parts && !schedule->hasParts()))
    return fusion.emitOpError("schedule: block, parts: got what tasks of this "
                              "scatter do not divide (sched_c3)");
  SmallVector<Value> inputs;
  SmallVector<unsigned> numbers;
  auto results = fusion.getBody().front().getTerminator()->getOperands();
  for (auto [number, result] : llvm::enumerate(results)) {
    inputs.push_back(
        schedule->scatter.inputs[cast<OpResult>(result).getResultNumber()]);
    numbers.push_back(number);
  }
  KernelPlan plan;
  if (!addLaunch(plan, emitValues(context, context.name, inputs, numbers)) ||
      !addLaunch(plan, ScatterKernel(context, *schedule).run()))
    return failure();
  return plan;
}

} // namespace zenith::kernels
