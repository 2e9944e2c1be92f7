// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// count_neighbours: weights, then hashes of neighbours in partitions, then what
// each partition has more than once, and the sums.

#include "lowering/routines/RoutineCall.h"
#include "lowering/routines/RoutineKernels.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {

/// Sizes that the routines get.
struct NeighbourSizes {
  NeighbourSizes(search::CountNeighboursOp op, graph::DimAnalysis &dims)
      : columns(op.getLayer().getType().getDimSize(1)),
        generators(op.getSources().getType().getDimSize(0)),
        rows(dims.dimOf(op.getLayer(), 0)) {
    total = rows * generators;
    for (Value set : op.getSets()) {
      setRows.push_back(dims.dimOf(set, 0));
      total = total + setRows.back();
    }
    // Eight to sixteen bits for each entry of a partition fit a first-level
    // cache.
    constexpr int64_t perSlot = 4096, mostSlots = 1024, perPartition = 16384,
                      mostPartitions = 8192, mostFinders = 64;
    auto units = [&](int64_t each, int64_t most) {
      return DimExpr::min(most, DimExpr::floorDiv(total, each) + DimExpr(1));
    };
    slots = units(perSlot, mostSlots);
    // One has up to twice as many: partitioning takes longer than that.
    partitions =
        DimExpr::max(1, DimExpr::min(mostPartitions,
                                     DimExpr::floorDiv(total, perPartition)));
    finders = DimExpr::min(mostFinders, partitions);
  }

  DimExpr scratchBytes() const {
    return runtime::countNeighboursScratch<DimExpr>(
               {total, slots, partitions, finders, generators, columns})
        .total();
  }

  int64_t columns, generators;
  DimExpr rows, total, slots, partitions, finders;
  SmallVector<DimExpr> setRows;
};

} // namespace

FailureOr<KernelPlan> emitCountNeighbours(const EmissionContext &context,
                                          search::CountNeighboursOp op) {
  using Arguments = zenith_count_neighbours_arguments;
  NeighbourSizes sizes(op, context.dims);
  KernelPlan plan;
  auto begin = [&](StringRef step) {
    RoutineCall call = stepCall<Arguments>(context, "count_neighbours", step);
    call.set({{&Arguments::rows, sizes.rows},
              {&Arguments::columns, sizes.columns},
              {&Arguments::element_bytes, elementBytesOf(op.getLayer())},
              {&Arguments::generators, sizes.generators},
              {&Arguments::nsets, int64_t(sizes.setRows.size())},
              {&Arguments::slots, sizes.slots},
              {&Arguments::partitions, sizes.partitions},
              {&Arguments::finders, sizes.finders}});
    SmallVector<Value> rows;
    for (const DimExpr &count : sizes.setRows)
      rows.push_back(call.number(count));
    call.set(&Arguments::set_rows, rows);
    call.set(&Arguments::scratch, call.scratch(0));
    call.set(&Arguments::sources, call.operand(op.getSources()));
    return call;
  };
  auto setRows = [&](RoutineCall<Arguments> &call) {
    SmallVector<Value> sets;
    for (Value set : op.getSets())
      sets.push_back(call.operand(set));
    call.set(&Arguments::layer, call.operand(op.getLayer()));
    call.set(&Arguments::sets, sets);
  };
  RoutineCall weigh = begin("weigh");
  if (!addLaunch(plan,
                 weigh.finish(1, double(4 * sizes.columns * sizes.generators))))
    return failure();
  RoutineCall partition = begin("partition");
  setRows(partition);
  partition.set(&Arguments::firsts, partition.result(op.getFirsts()));
  if (!addLaunch(plan, partition.finish(sizes.slots, 50000)))
    return failure();
  RoutineCall find = begin("find");
  setRows(find);
  find.set(&Arguments::firsts, find.result(op.getFirsts()));
  if (!addLaunch(plan, find.finish(sizes.finders, 50000)))
    return failure();
  RoutineCall sum = begin("sum");
  sum.set(&Arguments::formed, sum.result(op.getFormed()));
  sum.set(&Arguments::fresh, sum.result(op.getFresh()));
  if (!addLaunch(plan, sum.finish(1, 100)))
    return failure();
  return plan;
}

SmallVector<DimExpr> neighbourScratch(search::CountNeighboursOp op,
                                      graph::DimAnalysis &dims) {
  return {NeighbourSizes(op, dims).scratchBytes()};
}

} // namespace zenith::kernels
