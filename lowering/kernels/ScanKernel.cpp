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
#include "lowering/schedule/LaneChoice.h"
#include "lowering/schedule/ScanSchedule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {
class ScanKernel {
public:
  ScanKernel(const EmissionContext &context, const ScanSchedule &scan)
      : kernel(context.fusion, context.dims, context.target, context.kernels,
               context.name),
        emitter(kernel), scan(scan), space(scan.space) {}

  FailureOr<KernelPlan> run();

private:
  void emitRow(SmallVector<LaneIndex> loopIndex);
  void emitRowByRow(
      SmallVector<LaneIndex> loopIndex,
      function_ref<void(function_ref<void(const LaneIndex &)>)> forLanes);
  void whereFew(Value lanes, function_ref<void()> few,
                function_ref<void()> many);
  SmallVector<Value> neutrals();
  SmallVector<Value> step(ValueRange carried, ArrayRef<LaneIndex> index);
  Value position(const DimExpr &count, Value step);

  KernelBuilder kernel;
  ElementEmitter emitter;
  const ScanSchedule &scan;
  const IterationSpace &space;
};
} // namespace

SmallVector<Value> ScanKernel::neutrals() {
  SmallVector<Value> start;
  for (graph::CumulativeOp op : scan.reductions)
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
  for (unsigned number = 0; number < scan.reductions.size(); ++number) {
    graph::CumulativeOp op = scan.reductions[number];
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
  graph::CumulativeOp first = scan.reductions.front();
  return first.getReverse() ? kernel.sub(kernel.size(count - 1), step) : step;
}

void ScanKernel::emitRow(SmallVector<LaneIndex> loopIndex) {
  bool lanes = llvm::any_of(loopIndex, [&](const LaneIndex &x) {
    return !emitter.indices.uniform(x);
  });
  SmallVector<Value> start = neutrals();
  DimExpr count = scan.length();
  for (Value &neutral : start)
    if (lanes)
      neutral = kernel.broadcast(neutral, emitter.indices.width);
  kernel.loop(kernel.index(0), kernel.size(count), kernel.index(1), start,
              [&](Value number, ValueRange carried) {
                ElementEmitter::Scope scope(emitter);
                unflattenRow(emitter, space, scan.along,
                             position(count, number), loopIndex);
                return step(carried,
                            space.shapeIndex(emitter.indices, loopIndex));
              });
}

// All lanes of a row before the next one: rows are read and written in order,
// and the running state is the previous row of the result. An exclusive scan
// still has to add the previous row of the operand to it.
void ScanKernel::emitRowByRow(
    SmallVector<LaneIndex> loopIndex,
    function_ref<void(function_ref<void(const LaneIndex &)>)> forLanes) {
  graph::CumulativeOp op = scan.reductions.front();
  Type element = getElementTypeOrSelf(op.getOperand().getType());
  DimExpr count = scan.length();
  auto indexAt = [&](Value row, const LaneIndex &lanes) {
    SmallVector<LaneIndex> at(loopIndex);
    at[*scan.lane] = lanes;
    unflattenRow(emitter, space, scan.along, position(count, row), at);
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
          emitter.memory.load(kernel.result(*scan.kept), element,
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

/// `few` where a run has as few lanes as two wide values, whose state stays in
/// registers, else `many`.
void ScanKernel::whereFew(Value lanes, function_ref<void()> few,
                          function_ref<void()> many) {
  unsigned narrow = emitter.indices.width, wide = 2 * narrow;
  Value fits = kernel.b.create<arith::CmpIOp>(
      kernel.loc, arith::CmpIPredicate::sle, lanes, kernel.index(2 * wide));
  auto branch =
      kernel.b.create<scf::IfOp>(kernel.loc, fits, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(kernel.b);
  kernel.b.setInsertionPoint(branch.thenBlock()->getTerminator());
  {
    ElementEmitter::Scope scope(emitter);
    emitter.indices.width = wide;
    few();
    emitter.indices.width = narrow;
  }
  kernel.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  ElementEmitter::Scope scope(emitter);
  many();
}

FailureOr<KernelPlan> ScanKernel::run() {
  if (scan.lane)
    emitter.indices.width = scan.width;
  forEachRowIndex(
      emitter, space, scan.others, scan.tasks,
      [&](SmallVector<LaneIndex> loopIndex, Value low, Value high) {
        if (!scan.lane) {
          emitRow(loopIndex);
          return;
        }
        auto forLanes = [&](function_ref<void(const LaneIndex &)> body) {
          forEachLaneBlock(emitter, space, *scan.lane, low, high, body);
        };
        auto inRegisters = [&] {
          forLanes([&](const LaneIndex &lanes) {
            SmallVector<LaneIndex> at(loopIndex);
            at[*scan.lane] = lanes;
            emitRow(at);
          });
        };
        if (!scan.kept)
          inRegisters();
        else if (space.size(*scan.lane).constant())
          emitRowByRow(loopIndex, forLanes);
        else
          whereFew(kernel.sub(high, low), inRegisters,
                   [&] { emitRowByRow(loopIndex, forLanes); });
      });
  constexpr int64_t unknownLength = 64;
  double cost =
      scan.tasks.elementsPerTask * costPerElement(kernel.fusion) *
      (scan.lane ? double(scan.length().constant().value_or(unknownLength))
                 : 1);
  Launch launch = kernel.finish(scan.tasks.tasks, cost);
  KernelPlan plan;
  if (!addLaunch(plan, unlessFailed(emitter, std::move(launch))))
    return failure();
  return plan;
}

FailureOr<KernelPlan> emitScan(const EmissionContext &context) {
  FailureOr<ScanSchedule> scan =
      scanSchedule(context.fusion, context.dims, context.target);
  if (failed(scan))
    return failure();
  return ScanKernel(context, *scan).run();
}

} // namespace zenith::kernels
