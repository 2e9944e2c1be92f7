// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// is_in, compact, searchsorted and non_max_suppression: routines on rows, some
// of which find out how many there are.

#include "ir/matchers/IotaIndices.h"
#include "lowering/routines/RoutineKernels.h"
#include "lowering/routines/RoutineCall.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

/// Rows of a value: how many, their elements, and bytes of the keys that tell
/// them apart. Integers are told apart by their own bytes.
namespace {
struct Rows {
  Rows(graph::DimAnalysis &dims, Value value) : elements(1) {
    const graph::DimVector shape = dims.dimsOf(value);
    count = shape[0];
    for (const DimExpr &size : ArrayRef(shape).drop_front())
      elements = elements * size;
    Type element = getElementTypeOrSelf(value.getType());
    bool complex = isa<ComplexType>(element);
    areBytes = element.isInteger() && element.getIntOrFloatBitWidth() >= 8;
    keyBytes = areBytes ? elements * elementBytesOf(value)
                        : elements * (complex ? 16 : 8);
  }
  DimExpr count, elements, keyBytes;
  bool areBytes = false;
};
} // namespace

/// Cost of a row, where its size is known.
static double rowCost(const Rows &rows, double perElement) {
  return perElement * double(rows.elements.constant().value_or(16));
}

static DimExpr slotsOf(const Rows &rows, double perElement) {
  return slotsFor(rows.count, rowCost(rows, perElement));
}

/// Slots that run even where there are no rows: one of them gives the count.
static DimExpr countingSlots(const DimExpr &rows) {
  return rows.constant() ? std::max<int64_t>(1, *slotsFor(rows, 2).constant())
                         : 32;
}

/// Cells, keys and marks of the table of is_in.
static DimExpr tableBytes(const Rows &set, const Rows &rows) {
  DimExpr least = DimExpr::min(set.count, rows.count);
  return (least * 2 + 2) * 8 + least * rows.keyBytes + least;
}

static DimExpr pairsOf(graph::NonMaxSuppressionOp op,
                       graph::DimAnalysis &dims) {
  return dims.dimOf(op.getScores(), 0) * dims.dimOf(op.getScores(), 1);
}

SmallVector<DimExpr> setScratch(Operation *op, graph::DimAnalysis &dims) {
  if (auto unique = dyn_cast<graph::UniqueOp>(op))
    return uniqueScratch(unique, dims);
  if (auto isIn = dyn_cast<graph::IsInOp>(op)) {
    Rows set(dims, isIn.getSet()), rows(dims, isIn.getOperand());
    return {tableBytes(set, rows),
            rows.areBytes ? DimExpr(8)
                          : (rows.count + set.count) * rows.keyBytes};
  }
  if (auto compact = dyn_cast<graph::CompactOp>(op))
    return {countingSlots(dims.dimOf(compact.getMask(), 0)) * 8};
  if (auto suppression = dyn_cast<graph::NonMaxSuppressionOp>(op))
    return {pairsOf(suppression, dims) *
            (dims.dimOf(suppression.getScores(), 2) * 5 + 1) * 8};
  return {};
}

namespace {
/// Numbers along a dimension of an array, as row / run % size of the row.
struct CountedRows {
  CountedRows(graph::DimAnalysis &dims, Value input) {
    graph::IotaOp iota = graph::iotaListOf(input);
    if (!iota)
      return;
    isCounted = true;
    const graph::DimVector shape = dims.dimsOf(iota.getResult());
    run = 1;
    size = shape[iota.getDim()];
    for (const DimExpr &inner : ArrayRef(shape).drop_front(iota.getDim() + 1))
      run = run * inner;
  }
  bool isCounted = false;
  DimExpr run = 0, size = 1;
};
} // namespace

FailureOr<KernelPlan> emitCompact(const EmissionContext &context,
                                  graph::CompactOp op) {
  DimExpr rows = context.dims.dimOf(op.getMask(), 0),
          slots = countingSlots(rows);
  double cost = double(rows.constant().value_or(4096)) /
                double(slots.constant().value_or(32));
  KernelPlan plan;
  RoutineCall counting(context, "compact_count", "_count");
  counting.number(rows);
  counting.number(slots);
  counting.scratch(0);
  counting.operand(op.getMask());
  if (!addLaunch(plan, counting.finish(slots, cost)))
    return failure();
  RoutineCall call(context, "compact");
  call.number(rows);
  call.number(slots);
  call.number(int64_t(op.getInputs().size()));
  SmallVector<CountedRows> counted;
  for (Value input : op.getInputs()) {
    call.number(Rows(context.dims, input).elements * elementBytesOf(input));
    counted.emplace_back(context.dims, input);
  }
  for (const CountedRows &each : counted)
    call.number(each.run);
  for (const CountedRows &each : counted)
    call.number(each.size);
  call.scratch(0);
  call.operand(op.getMask());
  call.pointer(countDataRows(call, plan, op.getResults(), context, rows));
  for (auto [input, each] : llvm::zip(op.getInputs(), counted))
    if (each.isCounted)
      call.pointer({});
    else
      call.operand(input);
  for (Value result : op.getResults())
    call.result(result);
  if (!addLaunch(plan,
                 call.finish(slots, 4 * cost * double(op->getNumResults()))))
    return failure();
  return plan;
}

FailureOr<KernelPlan> emitSearchSorted(const EmissionContext &context,
                                       graph::SearchSortedOp op) {
  DimExpr queries = context.dims.elementCount(op.getQueries()),
          slots = slotsFor(queries, 60);
  RoutineCall call(context, "searchsorted");
  call.number(context.dims.dimOf(op.getList(), 0));
  call.number(queries);
  call.number(int64_t(op.getRight()));
  call.dtype(op.getList());
  call.number(slots);
  call.operand(op.getList());
  call.operand(op.getQueries());
  call.result(op.getResult());
  KernelPlan plan;
  double each = double(queries.constant().value_or(4096)) /
                double(std::max<int64_t>(1, slots.constant().value_or(32)));
  if (!addLaunch(plan, call.finish(slots, 60 * each)))
    return failure();
  return plan;
}

FailureOr<KernelPlan> emitIsIn(const EmissionContext &context,
                               graph::IsInOp op) {
  Rows set(context.dims, op.getSet()), rows(context.dims, op.getOperand());
  KernelPlan plan;
  // A step that goes through so many rows, as tasks.
  struct Step {
    RoutineCall call;
    DimExpr slots;
    double cost;
  };
  auto begin = [&](StringRef step, const DimExpr &count, double perElement) {
    Rows side = rows;
    side.count = count;
    DimExpr slots = slotsOf(side, perElement);
    double each = double(count.constant().value_or(1024)) /
                  double(std::max<int64_t>(1, slots.constant().value_or(32)));
    Step result{RoutineCall(context,
                            step.empty() ? "is_in" : ("is_in_" + step).str(),
                            step.empty() ? "" : ("_" + step).str()),
                slots, each * rowCost(rows, perElement)};
    result.call.number(set.count);
    result.call.number(rows.count);
    result.call.number(rows.elements);
    result.call.dtype(op.getOperand());
    result.call.number(slots);
    result.call.scratch(0);
    return result;
  };
  auto finish = [&](Step &step) {
    return addLaunch(plan, step.call.finish(step.slots, step.cost));
  };
  DimExpr least = DimExpr::min(set.count, rows.count);
  // Cells are cleared even where there are no rows.
  Step clear = begin("clear", least + DimExpr(1), 4);
  clear.call.operand(op.getSet());
  clear.call.operand(op.getOperand());
  Step insert = begin("insert", least, 20);
  Step mark = begin("mark", set.count, 10);
  mark.call.scratch(1);
  mark.call.operand(op.getSet());
  Step ask = begin("", rows.count, 10);
  ask.call.scratch(1);
  ask.call.operand(op.getOperand());
  ask.call.result(op.getResult());
  if (!finish(clear) || !finish(insert) || !finish(mark) || !finish(ask))
    return failure();
  return plan;
}

FailureOr<KernelPlan> emitNonMaxSuppression(const EmissionContext &context,
                                            graph::NonMaxSuppressionOp op) {
  graph::DimAnalysis &dims = context.dims;
  DimExpr pairs = pairsOf(op, dims), boxes = dims.dimOf(op.getScores(), 2);
  KernelPlan plan;
  RoutineCall choice(context, "suppress", "_choose");
  choice.number(dims.dimOf(op.getScores(), 1));
  choice.number(boxes);
  choice.bits(op.getMaxPerClass());
  choice.bits(op.getIouThreshold());
  choice.number(int64_t(bool(op.getScoreThreshold())));
  if (op.getScoreThreshold())
    choice.bits(op.getScoreThreshold());
  else
    choice.number(int64_t(0));
  choice.number(int64_t(op.getCenter()));
  choice.scratch(0);
  choice.operand(op.getBoxes());
  choice.operand(op.getScores());
  double count = double(boxes.constant().value_or(1024));
  if (!addLaunch(plan, choice.finish(pairs, 100 * count)))
    return failure();
  RoutineCall call(context, "suppress_gather");
  call.number(dims.dimOf(op.getScores(), 0));
  call.number(dims.dimOf(op.getScores(), 1));
  call.number(boxes);
  call.scratch(0);
  call.result(op.getResult());
  DimExpr most = boxes;
  if (auto limit = dims.scalar(op.getMaxPerClass()).constant())
    most = DimExpr::min(boxes, std::max<int64_t>(0, *limit));
  call.pointer(
      countDataRows(call, plan, op->getResults(), context, pairs * most));
  if (!addLaunch(plan, call.finish(1, 10 * count)))
    return failure();
  return plan;
}

} // namespace zenith::kernels
