// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels with running folds: one pass along the dimension, lanes along another
// one where that is contiguous.

#include "lowering/kernels/FusionKernels.h"
#include "lowering/kernels/Schedule.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {
class CumulativeKernel {
public:
  CumulativeKernel(const EmissionContext &context,
                   ArrayRef<graph::CumulativeOp> folds,
                   ArrayRef<SpaceRoot> roots, ArrayRef<unsigned> groups)
      : kernel(context.fusion, context.dims, context.target, context.kernels,
               context.name),
        emitter(kernel), folds(folds.begin(), folds.end()),
        space(context.dims, context.dims.dimsOf(roots[0].value), roots,
              groups) {}

  FailureOr<KernelPlan> run();

private:
  void emitRow(SmallVector<Ix> loopIndex, ArrayRef<unsigned> along);

  KernelBuilder kernel;
  ElementEmitter emitter;
  SmallVector<graph::CumulativeOp> folds;
  IterationSpace space;
};
} // namespace

void CumulativeKernel::emitRow(SmallVector<Ix> loopIndex,
                               ArrayRef<unsigned> along) {
  bool lanes = llvm::any_of(
      loopIndex, [&](const Ix &x) { return !emitter.indices.uniform(x); });
  SmallVector<Value> start;
  DimExpr count = 1;
  for (unsigned loop : along)
    count = count * space.size(loop);
  for (graph::CumulativeOp op : folds) {
    Value neutral = emitter.neutral(
        op.getKind(), getElementTypeOrSelf(op.getOperand().getType()),
        kernel.b.getIndexType());
    start.push_back(lanes ? kernel.broadcast(neutral, emitter.indices.width)
                          : neutral);
  }
  graph::FusionOp fusion = kernel.fusion;
  auto results = fusion.getBody().front().getTerminator()->getOperands();
  kernel.loop(
      kernel.index(0), kernel.size(count), kernel.index(1), start,
      [&](Value step, ValueRange carried) {
        ElementEmitter::Scope scope(emitter);
        Value position = step;
        if (folds.front().getReverse())
          position = kernel.sub(kernel.size(count - 1), step);
        unflattenRow(emitter, space, along, position, loopIndex);
        SmallVector<Ix> index = space.shapeIndex(emitter.indices, loopIndex);
        SmallVector<Value> next(carried);
        for (unsigned number = 0; number < folds.size(); ++number) {
          graph::CumulativeOp op = folds[number];
          Type element = getElementTypeOrSelf(op.getOperand().getType());
          Value x = emitter.emit(op.getOperand(), index);
          if (!x)
            return next;
          // Rounded at every element: small floats too carry what they give.
          next[number] = emitter.roundTo(
              element, emitter.fold(op.getKind(), element, carried[number], x));
          emitter.bind(op.getResult(), op.getExclusive()
                                           ? Value(carried[number])
                                           : next[number]);
        }
        for (auto [number, value] : llvm::enumerate(results))
          emitter.store(number, emitter.emit(value, index), index);
        return next;
      });
}

FailureOr<KernelPlan> CumulativeKernel::run() {
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
  DimExpr length = 1;
  for (unsigned loop : along)
    length = length * space.size(loop);
  RowTasks tasks;
  if (lane) {
    // Wide enough for some cache lines of each row on the way down.
    constexpr unsigned vectors = 4;
    unsigned narrow = valueWidth(kernel.fusion, kernel.target);
    emitter.indices.width = folds.size() == 1 ? vectors * narrow : narrow;
    llvm::erase(others, *lane);
    DimExpr rows = 1;
    for (unsigned loop : others)
      rows = rows * space.size(loop);
    tasks = RowTasks::plan(rows, space.size(*lane), 8 * narrow);
  } else {
    DimExpr rows = 1;
    for (unsigned loop : others)
      rows = rows * space.size(loop);
    tasks = RowTasks::plan(rows, length, elementsPerTask, /*cutRows=*/false);
  }
  forEachRow(kernel, tasks, [&](Value row, Value low, Value high) {
    ElementEmitter::Scope scope(emitter);
    SmallVector<Ix> loopIndex(space.rank());
    unflattenRow(emitter, space, others, row, loopIndex);
    if (!lane) {
      emitRow(loopIndex, along);
      return;
    }
    forEachLaneBlock(emitter, space, *lane, low, high, [&](const Ix &lanes) {
      SmallVector<Ix> at(loopIndex);
      at[*lane] = lanes;
      emitRow(at, along);
    });
  });
  double cost = tasks.elementsPerTask * costPerElement(kernel.fusion) *
                (lane ? double(length.constant().value_or(64)) : 1);
  Launch launch = kernel.finish(tasks.tasks, cost);
  if (emitter.failed()) {
    launch.kernel.erase();
    return failure();
  }
  KernelPlan plan;
  plan.launches.push_back(std::move(launch));
  return plan;
}

FailureOr<KernelPlan> emitCumulative(const EmissionContext &context) {
  graph::FusionOp fusion = context.fusion;
  Block &body = fusion.getBody().front();
  SmallVector<graph::CumulativeOp> folds(body.getOps<graph::CumulativeOp>());
  graph::CumulativeOp first = folds.front();
  const graph::DimVector dims = context.dims.dimsOf(first.getResult());
  for (graph::CumulativeOp op : folds)
    if (op.getDim() != first.getDim() ||
        op.getReverse() != first.getReverse() ||
        context.dims.dimsOf(op.getResult()) != dims)
      return op.emitError() << "no kernel for running folds along different "
                               "dimensions in one fusion";
  // What follows a running fold must be at the same index.
  for (graph::CumulativeOp op : folds)
    for (Operation *user : op.getResult().getUsers())
      for (Operation *next = user; next && !isa<graph::YieldOp>(next);
           next = next->hasOneUse() ? *next->user_begin() : nullptr)
        if (graph::familyOf(next) != graph::Family::Elementwise &&
            !isa<graph::CumulativeOp>(next))
          return next->emitError()
                 << "no kernel that moves the result of a running fold";
  for (Value result : body.getTerminator()->getOperands())
    if (context.dims.dimsOf(result).size() != dims.size())
      return fusion.emitError()
             << "no kernel that moves the result of a running fold";
  SmallVector<SpaceRoot> roots;
  for (Value result : body.getTerminator()->getOperands()) {
    SpaceRoot root{result, {}, true};
    for (unsigned d = 0; d < dims.size(); ++d)
      root.dims.push_back(d);
    roots.push_back(std::move(root));
  }
  SmallVector<unsigned> groups(dims.size(), 0);
  groups[first.getDim()] = 1;
  return CumulativeKernel(context, folds, roots, groups).run();
}

} // namespace zenith::kernels
