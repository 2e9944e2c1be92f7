// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// unique: routines that deal rows to partitions and find the first of equal
// rows in each.

#include "lowering/routines/RoutineKernels.h"
#include "lowering/routines/RoutineCall.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {

/// Sizes of the scratch buffer, which the routines divide in the same order
/// (runtime/routines/UniqueRoutines.cpp).
struct UniqueSizes {
  UniqueSizes(graph::UniqueOp op, graph::DimAnalysis &dims)
      : elements(1), sorted(op.getSorted()),
        inverted(!op.getInverse().use_empty()),
        counted(!op.getCounts().use_empty()) {
    const graph::DimVector shape = dims.dimsOf(op.getOperand());
    rows = shape[0];
    for (const DimExpr &size : ArrayRef(shape).drop_front())
      elements = elements * size;
    Type element = getElementTypeOrSelf(op.getOperand().getType());
    bool areBytes =
        !sorted && element.isInteger() && element.getIntOrFloatBitWidth() >= 8;
    keyWords = areBytes                    ? DimExpr(0)
               : isa<ComplexType>(element) ? elements * 2
                                           : elements;
    // Tasks of about 50 microseconds; a partition's table is part of a
    // first-level cache.
    constexpr int64_t rowsPerSlot = 4096, mostSlots = 16, partitionRows = 1024,
                      mostPartitions = 2048;
    slots = DimExpr::min(mostSlots,
                         DimExpr::floorDiv(rows, rowsPerSlot) + DimExpr(1));
    partitions = DimExpr::min(
        mostPartitions, DimExpr::floorDiv(rows, partitionRows) + DimExpr(1));
  }

  DimExpr scratchBytes() const {
    // Entries and tables with two cells a row; what was asked for besides.
    int64_t perRow = 3 + inverted * 2 + counted + sorted * 3;
    DimExpr words = rows * perRow + rows * keyWords + partitions * 2;
    return (words + slots * (partitions * 2 + 1)) * 8;
  }

  DimExpr rows, elements, keyWords, slots, partitions;
  bool sorted, inverted, counted;
};

} // namespace

SmallVector<DimExpr> uniqueScratch(graph::UniqueOp op,
                                   graph::DimAnalysis &dims) {
  return {UniqueSizes(op, dims).scratchBytes()};
}

FailureOr<KernelPlan> emitUnique(const EmissionContext &context,
                                 graph::UniqueOp op) {
  UniqueSizes sizes(op, context.dims);
  KernelPlan plan;
  auto begin = [&](StringRef step) {
    RoutineCall call(context, ("unique_" + step).str(), ("_" + step).str());
    call.number(sizes.rows);
    call.number(sizes.elements);
    call.dtype(op.getOperand());
    call.number(int64_t(sizes.sorted));
    call.number(int64_t(sizes.inverted));
    call.number(int64_t(sizes.counted));
    call.number(sizes.slots);
    call.number(sizes.partitions);
    call.scratch(0);
    call.operand(op.getOperand());
    return call;
  };
  double rowsPerTask = double(sizes.rows.constant().value_or(16384)) /
                       double(sizes.slots.constant().value_or(4)),
         width = double(sizes.elements.constant().value_or(16));
  auto finish = [&](RoutineCall &call, const DimExpr &tasks, double perRow) {
    return addLaunch(plan, call.finish(tasks, rowsPerTask * perRow));
  };
  RoutineCall deal = begin("deal");
  if (!finish(deal, sizes.slots, 10 + width))
    return failure();
  RoutineCall find = begin("find");
  if (!finish(find, sizes.slots, 20))
    return failure();
  RoutineCall keep = begin("keep");
  keep.result(sizes.sorted ? Value() : op.getRows());
  keep.result(sizes.sorted ? Value() : op.getFirst());
  keep.result(sizes.sorted ? Value() : op.getCounts());
  keep.pointer(countDataRows(keep, plan,
                             {op.getRows(), op.getFirst(), op.getCounts()},
                             context, sizes.rows));
  if (!finish(keep, sizes.slots, 5 + width))
    return failure();
  if (sizes.sorted) {
    RoutineCall sort = begin("sort");
    sort.result(op.getRows());
    sort.result(op.getFirst());
    sort.result(op.getCounts());
    if (!finish(sort, 1, 60 + width))
      return failure();
  }
  if (sizes.inverted) {
    RoutineCall invert = begin("invert");
    invert.result(op.getInverse());
    if (!finish(invert, sizes.slots, 4))
      return failure();
  }
  return plan;
}

} // namespace zenith::kernels
