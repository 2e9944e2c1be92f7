// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans (prefix sums, cumsum and other cumulative reductions): one pass along
// the dimension, with lanes along another one where that is contiguous.

#include "lowering/builder/EmissionContext.h"
#include "lowering/builder/RowTasks.h"
#include "lowering/elements/ElementConversions.h"
#include "lowering/elements/LoopNests.h"
#include "lowering/elements/ReductionSteps.h"
#include "lowering/kernels/KernelEmitters.h"
#include "lowering/schedule/ElementsSchedule.h"
#include "lowering/schedule/LaneChoice.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {
class ScanKernel {
public:
  ScanKernel(const EmissionContext &context,
             ArrayRef<graph::CumulativeOp> reductions,
             ArrayRef<SpaceRoot> roots, ArrayRef<unsigned> groups)
      : kernel(context.fusion, context.dims, context.target, context.kernels,
               context.name),
        emitter(kernel), reductions(reductions.begin(), reductions.end()),
        space(context.dims, context.dims.dimsOf(roots[0].value), roots,
              groups) {}

  FailureOr<KernelPlan> run();

private:
  void emitRow(SmallVector<LaneIndex> loopIndex, ArrayRef<unsigned> along);
  bool roundsEachStep();
  std::optional<unsigned> keptResult(const DimExpr &lanes, int64_t inRegisters);
  void emitRowByRow(
      SmallVector<LaneIndex> loopIndex, ArrayRef<unsigned> along,
      function_ref<void(function_ref<void(const LaneIndex &)>)> forLanes,
      unsigned lane, unsigned result);
  SmallVector<Value> neutrals();
  SmallVector<Value> step(ValueRange carried, ArrayRef<LaneIndex> index);
  Value position(const DimExpr &count, Value step);

  KernelBuilder kernel;
  ElementEmitter emitter;
  SmallVector<graph::CumulativeOp> reductions;
  IterationSpace space;
};
} // namespace

SmallVector<Value> ScanKernel::neutrals() {
  SmallVector<Value> start;
  for (graph::CumulativeOp op : reductions)
    start.push_back(
        neutralElement(emitter.kernel, op.getKind(),
                       getElementTypeOrSelf(op.getOperand().getType()),
                       kernel.b.getIndexType()));
  return start;
}

// Adds the elements at `index` to the running state and stores the results
// there.
SmallVector<Value> ScanKernel::step(ValueRange carried,
                                    ArrayRef<LaneIndex> index) {
  SmallVector<Value> next(carried);
  for (unsigned number = 0; number < reductions.size(); ++number) {
    graph::CumulativeOp op = reductions[number];
    Type element = getElementTypeOrSelf(op.getOperand().getType());
    Value x = emitter.emit(op.getOperand(), index);
    if (!x)
      return next;
    // Rounded at every element: the running state has the precision of the
    // result.
    next[number] =
        roundTo(emitter.kernel, element,
                reduceStep(emitter, op.getKind(), element, carried[number], x));
    emitter.bind(op.getResult(),
                 op.getExclusive() ? Value(carried[number]) : next[number]);
  }
  graph::FusionOp fusion = kernel.fusion;
  auto results = fusion.getBody().front().getTerminator()->getOperands();
  for (auto [number, value] : llvm::enumerate(results))
    emitter.store(number, emitter.emit(value, index), index);
  return next;
}

Value ScanKernel::position(const DimExpr &count, Value step) {
  return reductions.front().getReverse()
             ? kernel.sub(kernel.size(count - 1), step)
             : step;
}

void ScanKernel::emitRow(SmallVector<LaneIndex> loopIndex,
                         ArrayRef<unsigned> along) {
  bool lanes = llvm::any_of(loopIndex, [&](const LaneIndex &x) {
    return !emitter.indices.uniform(x);
  });
  SmallVector<Value> start = neutrals();
  DimExpr count = 1;
  for (unsigned loop : along)
    count = count * space.size(loop);
  for (Value &neutral : start)
    if (lanes)
      neutral = kernel.broadcast(neutral, emitter.indices.width);
  kernel.loop(
      kernel.index(0), kernel.size(count), kernel.index(1), start,
      [&](Value number, ValueRange carried) {
        ElementEmitter::Scope scope(emitter);
        unflattenRow(emitter, space, along, position(count, number), loopIndex);
        return step(carried, space.shapeIndex(emitter.indices, loopIndex));
      });
}

/// The result that keeps the single scan over rows of `lanes` lanes, if they
/// are too many for registers.
std::optional<unsigned> ScanKernel::keptResult(const DimExpr &lanes,
                                               int64_t inRegisters) {
  if (reductions.size() != 1 || lanes.provablyAtMost(DimExpr(inRegisters)))
    return std::nullopt;
  return kernel.resultOf(reductions.front().getResult());
}

// All lanes of a row before the next one: rows are read and written in order,
// and the running state is the previous row of the result. An exclusive scan
// still has to add the previous row of the operand to it.
void ScanKernel::emitRowByRow(
    SmallVector<LaneIndex> loopIndex, ArrayRef<unsigned> along,
    function_ref<void(function_ref<void(const LaneIndex &)>)> forLanes,
    unsigned lane, unsigned result) {
  graph::CumulativeOp op = reductions.front();
  Type element = getElementTypeOrSelf(op.getOperand().getType());
  DimExpr count = 1;
  for (unsigned loop : along)
    count = count * space.size(loop);
  auto indexAt = [&](Value row, const LaneIndex &lanes) {
    SmallVector<LaneIndex> at(loopIndex);
    at[lane] = lanes;
    unflattenRow(emitter, space, along, position(count, row), at);
    return space.shapeIndex(emitter.indices, at);
  };
  Value zero = kernel.index(0), one = kernel.index(1);
  kernel.loop(zero, kernel.min(kernel.size(count), one), one, [&](Value row) {
    forLanes(
        [&](const LaneIndex &lanes) { step(neutrals(), indexAt(row, lanes)); });
  });
  kernel.loop(one, kernel.size(count), one, [&](Value row) {
    forLanes([&](const LaneIndex &lanes) {
      SmallVector<LaneIndex> last = indexAt(kernel.sub(row, one), lanes);
      Value before =
          emitter.memory.load(kernel.result(result), element,
                              emitter.linearize(op.getResult(), last));
      Value x =
          op.getExclusive() ? emitter.emit(op.getOperand(), last) : Value();
      if (x)
        before = roundTo(emitter.kernel, element,
                         reduceStep(emitter, op.getKind(), element, before, x));
      step(before, indexAt(row, lanes));
    });
  });
}

/// A step in a narrow float type waits for the widening, the addition and the
/// rounding of the step before. Neighbouring rows fill that latency, although
/// their elements are not contiguous.
bool ScanKernel::roundsEachStep() {
  return llvm::all_of(reductions, [](graph::CumulativeOp op) {
    Type element = getElementTypeOrSelf(op.getOperand().getType());
    return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  });
}

FailureOr<KernelPlan> ScanKernel::run() {
  SmallVector<unsigned> along, others;
  for (unsigned loop = 0; loop < space.rank(); ++loop)
    (space.group(loop) ? along : others).push_back(loop);
  std::optional<unsigned> lane = chooseLaneLoop(space, others);
  if (lane && llvm::none_of(space.accesses(),
                            [&](const IterationSpace::Access &access) {
                              return access.written &&
                                     access.factors[*lane].isConstant(1);
                            }))
    lane.reset();
  bool apart = !lane && !others.empty() && roundsEachStep();
  if (apart)
    lane = others.back();
  // A few lanes are faster one by one than under a mask.
  constexpr int64_t fewLanes = 4;
  if (lane && space.size(*lane).provablyAtMost(DimExpr(fewLanes)))
    lane.reset();
  DimExpr length = 1;
  for (unsigned loop : along)
    length = length * space.size(loop);
  RowTasks tasks;
  std::optional<unsigned> kept;
  if (lane) {
    // Wide enough for several cache lines of each row.
    constexpr unsigned vectors = 4;
    constexpr int64_t columnsOfRows = 1024;
    unsigned narrow =
        givenLanes(kernel.fusion, valueWidth(kernel.fusion, kernel.target));
    if (!apart)
      kept = keptResult(space.size(*lane), vectors * narrow);
    emitter.indices.width =
        reductions.size() == 1 && !kept && !apart ? vectors * narrow : narrow;
    if (auto size = space.size(*lane).constant(); size && *size > 0)
      emitter.indices.width = std::min<unsigned>(
          emitter.indices.width, unsigned(llvm::PowerOf2Ceil(uint64_t(*size))));
    llvm::erase(others, *lane);
    DimExpr rows = 1;
    for (unsigned loop : others)
      rows = rows * space.size(loop);
    tasks = RowTasks::plan(rows, space.size(*lane),
                           kept ? columnsOfRows : 8 * int64_t(narrow));
  } else {
    DimExpr rows = 1;
    for (unsigned loop : others)
      rows = rows * space.size(loop);
    tasks = RowTasks::plan(rows, length, elementsPerTask, /*cutRows=*/false);
  }
  forEachRow(kernel, tasks, [&](Value row, Value low, Value high) {
    ElementEmitter::Scope scope(emitter);
    SmallVector<LaneIndex> loopIndex(space.rank());
    unflattenRow(emitter, space, others, row, loopIndex);
    if (!lane) {
      emitRow(loopIndex, along);
      return;
    }
    auto forLanes = [&](function_ref<void(const LaneIndex &)> body) {
      forEachLaneBlock(emitter, space, *lane, low, high, body);
    };
    if (kept)
      return emitRowByRow(loopIndex, along, forLanes, *lane, *kept);
    forLanes([&](const LaneIndex &lanes) {
      SmallVector<LaneIndex> at(loopIndex);
      at[*lane] = lanes;
      emitRow(at, along);
    });
  });
  double cost = tasks.elementsPerTask * costPerElement(kernel.fusion) *
                (lane ? double(length.constant().value_or(64)) : 1);
  Launch launch = kernel.finish(tasks.tasks, cost);
  KernelPlan plan;
  if (!addLaunch(plan, unlessFailed(emitter, std::move(launch))))
    return failure();
  return plan;
}

FailureOr<KernelPlan> emitScan(const EmissionContext &context) {
  graph::FusionOp fusion = context.fusion;
  Block &body = fusion.getBody().front();
  SmallVector<graph::CumulativeOp> reductions(
      body.getOps<graph::CumulativeOp>());
  graph::CumulativeOp first = reductions.front();
  const graph::DimVector dims = context.dims.dimsOf(first.getResult());
  for (graph::CumulativeOp op : reductions)
    if (op.getDim() != first.getDim() ||
        op.getReverse() != first.getReverse() ||
        context.dims.dimsOf(op.getResult()) != dims)
      return op.emitError() << "no kernel for scans along different "
                               "dimensions in one fusion";
  // The epilogue of a scan must use it at the same index.
  for (graph::CumulativeOp op : reductions)
    for (Operation *user : op.getResult().getUsers())
      for (Operation *next = user; next && !isa<graph::YieldOp>(next);
           next = next->hasOneUse() ? *next->user_begin() : nullptr)
        if (graph::familyOf(next) != graph::Family::Elementwise &&
            !isa<graph::CumulativeOp>(next))
          return next->emitError()
                 << "no kernel that moves the result of a running reduction";
  for (Value result : body.getTerminator()->getOperands())
    if (context.dims.dimsOf(result).size() != dims.size())
      return fusion.emitError()
             << "no kernel that moves the result of a running reduction";
  SmallVector<SpaceRoot> roots;
  for (Value result : body.getTerminator()->getOperands()) {
    SpaceRoot root{result, {}, true};
    for (unsigned d = 0; d < dims.size(); ++d)
      root.dims.push_back(d);
    roots.push_back(std::move(root));
  }
  SmallVector<unsigned> groups(dims.size(), 0);
  groups[first.getDim()] = 1;
  return ScanKernel(context, reductions, roots, groups).run();
}

} // namespace zenith::kernels
