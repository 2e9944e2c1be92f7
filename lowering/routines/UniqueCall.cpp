// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// unique: routines that partition rows by hash and find the first of equal rows
// in each partition.

#include "lowering/routines/RoutineCall.h"
#include "lowering/routines/RoutineKernels.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {

using Arguments = zenith_unique_arguments;

/// Sizes of the steps of unique.
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
    // A slot's rows outweigh the start of a task; a partition's table is part
    // of a first-level cache.
    constexpr int64_t rowsPerSlot = 4096, mostSlots = 16, partitionRows = 1024,
                      mostPartitions = 2048;
    slots = DimExpr::min(mostSlots,
                         DimExpr::floorDiv(rows, rowsPerSlot) + DimExpr(1));
    partitions = DimExpr::min(
        mostPartitions, DimExpr::floorDiv(rows, partitionRows) + DimExpr(1));
  }

  DimExpr scratchBytes() const {
    return runtime::uniqueScratch<DimExpr>({rows, slots, partitions,
                                            keyWords * 8, sorted, inverted,
                                            counted})
        .total();
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
    RoutineCall call = stepCall<Arguments>(context, "unique", step);
    call.set(&Arguments::rows, sizes.rows);
    call.set(&Arguments::elements, sizes.elements);
    call.set(&Arguments::dtype, call.dtype(op.getOperand()));
    call.set(&Arguments::sorted, int64_t(sizes.sorted));
    call.set(&Arguments::wants_inverse, int64_t(sizes.inverted));
    call.set(&Arguments::wants_counts, int64_t(sizes.counted));
    call.set(&Arguments::slots, sizes.slots);
    call.set(&Arguments::partitions, sizes.partitions);
    call.set(&Arguments::scratch, call.scratch(0));
    call.set(&Arguments::operand, call.operand(op.getOperand()));
    return call;
  };
  auto setResults = [&](RoutineCall<Arguments> &call) {
    call.set(&Arguments::distinct, call.result(op.getRows()));
    call.set(&Arguments::first, call.result(op.getFirst()));
    call.set(&Arguments::counts, call.result(op.getCounts()));
  };
  double rowsPerTask = double(sizes.rows.constant().value_or(16384)) /
                       double(sizes.slots.constant().value_or(4)),
         width = double(sizes.elements.constant().value_or(16));
  auto finish = [&](RoutineCall<Arguments> &call, const DimExpr &tasks,
                    double perRow) {
    return addLaunch(plan, call.finish(tasks, rowsPerTask * perRow));
  };
  RoutineCall partition = begin("partition");
  if (!finish(partition, sizes.slots, 10 + width))
    return failure();
  RoutineCall find = begin("find");
  if (!finish(find, sizes.slots, 20))
    return failure();
  RoutineCall keep = begin("keep");
  if (!sizes.sorted)
    setResults(keep);
  keep.set(&Arguments::found,
           countDataRows(keep, plan,
                         {op.getRows(), op.getFirst(), op.getCounts()}, context,
                         sizes.rows));
  if (!finish(keep, sizes.slots, 5 + width))
    return failure();
  if (sizes.sorted) {
    RoutineCall sort = begin("sort");
    setResults(sort);
    if (!finish(sort, 1, 60 + width))
      return failure();
  }
  if (sizes.inverted) {
    RoutineCall invert = begin("invert");
    invert.set(&Arguments::inverse, invert.result(op.getInverse()));
    if (!finish(invert, sizes.slots, 4))
      return failure();
  }
  return plan;
}

} // namespace zenith::kernels
