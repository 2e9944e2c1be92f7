// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// is_in, compact, searchsorted and non_max_suppression: routines on rows, some
// of which find out how many there are.

#include "ir/matchers/IotaIndices.h"
#include "lowering/routines/RoutineCall.h"
#include "lowering/routines/RoutineKernels.h"

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

static DimExpr pairsOf(graph::NonMaxSuppressionOp op,
                       graph::DimAnalysis &dims) {
  return dims.dimOf(op.getScores(), 0) * dims.dimOf(op.getScores(), 1);
}

SmallVector<DimExpr> setScratch(Operation *op, graph::DimAnalysis &dims) {
  if (auto unique = dyn_cast<graph::UniqueOp>(op))
    return uniqueScratch(unique, dims);
  if (auto isIn = dyn_cast<graph::IsInOp>(op)) {
    Rows set(dims, isIn.getSet()), rows(dims, isIn.getOperand());
    DimExpr least = DimExpr::min(set.count, rows.count);
    return {runtime::isInScratch(least, rows.keyBytes).total(),
            rows.areBytes ? DimExpr(8)
                          : (rows.count + set.count) * rows.keyBytes};
  }
  if (auto compact = dyn_cast<graph::CompactOp>(op))
    return {countingSlots(dims.dimOf(compact.getMask(), 0)) * 8};
  if (auto suppression = dyn_cast<graph::NonMaxSuppressionOp>(op))
    return {pairsOf(suppression, dims) *
            runtime::suppressWords(dims.dimOf(suppression.getScores(), 2)) * 8};
  return {};
}

namespace {
/// Indices along a dimension of an array, as row / run % size of the row.
struct IotaRows {
  IotaRows(graph::DimAnalysis &dims, Value input) {
    graph::IotaOp iota = graph::iotaListOf(input);
    if (!iota)
      return;
    isIota = true;
    const graph::DimVector shape = dims.dimsOf(iota.getResult());
    run = 1;
    size = shape[iota.getDim()];
    for (const DimExpr &inner : ArrayRef(shape).drop_front(iota.getDim() + 1))
      run = run * inner;
  }
  bool isIota = false;
  DimExpr run = 0, size = 1;
};
} // namespace

FailureOr<KernelPlan> emitCompact(const EmissionContext &context,
                                  graph::CompactOp op) {
  DimExpr rows = context.dims.dimOf(op.getMask(), 0),
          slots = countingSlots(rows);
  double cost = unitsOfSlot(rows, slots);
  KernelPlan plan;
  using Arguments = zenith_compact_arguments;
  auto begin = [&](StringRef routine, StringRef suffix) {
    RoutineCall<Arguments> call(context, routine, suffix);
    call.set(&Arguments::rows, rows);
    call.set(&Arguments::slots, slots);
    call.set(&Arguments::scratch, call.scratch(0));
    call.set(&Arguments::mask, call.operand(op.getMask()));
    return call;
  };
  RoutineCall counting = begin("compact_count", "_count");
  if (!addLaunch(plan, counting.finish(slots, cost)))
    return failure();
  RoutineCall call = begin("compact", "");
  SmallVector<Value> bytes, runs, sizes, inputs, results;
  for (auto [input, result] : llvm::zip(op.getInputs(), op.getResults())) {
    IotaRows iota(context.dims, input);
    bytes.push_back(call.number(Rows(context.dims, input).elements *
                                elementBytesOf(input)));
    runs.push_back(call.number(iota.run));
    sizes.push_back(call.number(iota.size));
    inputs.push_back(iota.isIota ? Value() : call.operand(input));
    results.push_back(call.result(result));
  }
  call.set(&Arguments::ninputs, int64_t(inputs.size()));
  call.set(&Arguments::row_bytes, bytes);
  call.set(&Arguments::iota_runs, runs);
  call.set(&Arguments::iota_sizes, sizes);
  call.set(&Arguments::found,
           countDataRows(call, plan, op.getResults(), context, rows));
  call.set(&Arguments::inputs, inputs);
  call.set(&Arguments::results, results);
  if (!addLaunch(plan,
                 call.finish(slots, 4 * cost * double(op->getNumResults()))))
    return failure();
  return plan;
}

FailureOr<KernelPlan> emitSearchSorted(const EmissionContext &context,
                                       graph::SearchSortedOp op) {
  DimExpr queries = context.dims.elementCount(op.getQueries()),
          slots = slotsFor(queries, 60);
  using Arguments = zenith_searchsorted_arguments;
  RoutineCall<Arguments> call(context, "searchsorted");
  call.set(&Arguments::length, context.dims.dimOf(op.getList(), 0));
  call.set(&Arguments::nqueries, queries);
  call.set(&Arguments::right, int64_t(op.getRight()));
  call.set(&Arguments::dtype, call.dtype(op.getList()));
  call.set(&Arguments::slots, slots);
  call.set(&Arguments::list, call.operand(op.getList()));
  call.set(&Arguments::queries, call.operand(op.getQueries()));
  call.set(&Arguments::result, call.result(op.getResult()));
  KernelPlan plan;
  if (!addLaunch(plan, call.finish(slots, 60 * unitsOfSlot(queries, slots))))
    return failure();
  return plan;
}

FailureOr<KernelPlan> emitIsIn(const EmissionContext &context,
                               graph::IsInOp op) {
  Rows set(context.dims, op.getSet()), rows(context.dims, op.getOperand());
  KernelPlan plan;
  using Arguments = zenith_is_in_arguments;
  struct Step {
    RoutineCall<Arguments> call;
    DimExpr slots;
    double cost;
  };
  // A step over `count` rows, divided among tasks.
  auto begin = [&](StringRef step, const DimExpr &count, double perElement) {
    Rows side = rows;
    side.count = count;
    DimExpr slots = slotsOf(side, perElement);
    double each = double(count.constant().value_or(1024)) /
                  double(std::max<int64_t>(1, slots.constant().value_or(32)));
    Step result{RoutineCall<Arguments>(
                    context, step.empty() ? "is_in" : ("is_in_" + step).str(),
                    step.empty() ? "" : ("_" + step).str()),
                slots, each * rowCost(rows, perElement)};
    RoutineCall<Arguments> &call = result.call;
    call.set(&Arguments::set_rows, set.count);
    call.set(&Arguments::rows, rows.count);
    call.set(&Arguments::elements, rows.elements);
    call.set(&Arguments::dtype, call.dtype(op.getOperand()));
    call.set(&Arguments::slots, slots);
    call.set(&Arguments::table, call.scratch(0));
    return result;
  };
  auto finish = [&](Step &step) {
    return addLaunch(plan, step.call.finish(step.slots, step.cost));
  };
  DimExpr least = DimExpr::min(set.count, rows.count);
  // Cells are cleared even where there are no rows.
  Step clear = begin("clear", least + DimExpr(1), 4);
  clear.call.set(&Arguments::set, clear.call.operand(op.getSet()));
  clear.call.set(&Arguments::operand, clear.call.operand(op.getOperand()));
  Step insert = begin("insert", least, 20);
  Step mark = begin("mark", set.count, 10);
  mark.call.set(&Arguments::keys, mark.call.scratch(1));
  mark.call.set(&Arguments::set, mark.call.operand(op.getSet()));
  Step lookUp = begin("", rows.count, 10);
  lookUp.call.set(&Arguments::keys, lookUp.call.scratch(1));
  lookUp.call.set(&Arguments::operand, lookUp.call.operand(op.getOperand()));
  lookUp.call.set(&Arguments::result, lookUp.call.result(op.getResult()));
  if (!finish(clear) || !finish(insert) || !finish(mark) || !finish(lookUp))
    return failure();
  return plan;
}

FailureOr<KernelPlan> emitNonMaxSuppression(const EmissionContext &context,
                                            graph::NonMaxSuppressionOp op) {
  graph::DimAnalysis &dims = context.dims;
  DimExpr pairs = pairsOf(op, dims), boxes = dims.dimOf(op.getScores(), 2);
  KernelPlan plan;
  using Arguments = zenith_suppress_arguments;
  auto begin = [&](StringRef routine, StringRef suffix) {
    RoutineCall<Arguments> call(context, routine, suffix);
    call.set(&Arguments::batches, dims.dimOf(op.getScores(), 0));
    call.set(&Arguments::classes, dims.dimOf(op.getScores(), 1));
    call.set(&Arguments::boxes, boxes);
    call.set(&Arguments::scratch, call.scratch(0));
    return call;
  };
  RoutineCall choice = begin("suppress", "_choose");
  choice.set(&Arguments::max_per_class, choice.bits(op.getMaxPerClass()));
  choice.set(&Arguments::iou_threshold, choice.bits(op.getIouThreshold()));
  if (Value threshold = op.getScoreThreshold()) {
    choice.set(&Arguments::has_score_threshold, 1);
    choice.set(&Arguments::score_threshold, choice.bits(threshold));
  }
  choice.set(&Arguments::center, int64_t(op.getCenter()));
  choice.set(&Arguments::corners, choice.operand(op.getBoxes()));
  choice.set(&Arguments::scores, choice.operand(op.getScores()));
  double count = double(boxes.constant().value_or(1024));
  if (!addLaunch(plan, choice.finish(pairs, 100 * count)))
    return failure();
  RoutineCall call = begin("suppress_gather", "");
  call.set(&Arguments::result, call.result(op.getResult()));
  DimExpr most = boxes;
  if (auto limit = dims.scalar(op.getMaxPerClass()).constant())
    most = DimExpr::min(boxes, std::max<int64_t>(0, *limit));
  call.set(&Arguments::found,
           countDataRows(call, plan, op->getResults(), context, pairs * most));
  if (!addLaunch(plan, call.finish(1, 10 * count)))
    return failure();
  return plan;
}

} // namespace zenith::kernels
