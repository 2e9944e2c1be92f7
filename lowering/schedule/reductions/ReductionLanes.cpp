// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses lanes of reductions by their rows, and divides rows among tasks.

#include "lowering/schedule/reductions/ReductionLanes.h"
#include "lowering/schedule/LaneChoice.h"
#include "lowering/schedule/Schedule.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

unsigned placeBits(const Reduction &reduction, graph::DimAnalysis &dims) {
  auto op = cast<graph::ArgReduceOp>(reduction.op);
  DimExpr size = dims.dimOf(reduction.operand, op.getDim());
  return size.provablyAtMost(DimExpr(INT32_MAX)) ? 32 : 64;
}

bool isTableAccess(const ReductionSchedule &plan,
                   const IterationSpace::Access &access) {
  auto isOpaque = [&](unsigned loop) { return access.opaque[loop]; };
  return !access.written && access.factors[plan.lane].isConstant(1) &&
         llvm::any_of(plan.reducedLoops, isOpaque) &&
         llvm::any_of(plan.keptLoops, isOpaque);
}

bool readsTable(const ReductionSchedule &plan) {
  return llvm::any_of(plan.space->accesses(), [&](const auto &access) {
    return isTableAccess(plan, access);
  });
}

/// Whether rows are read in order, and only one scalar is kept per column.
static bool reducesWholeRows(const ReductionSchedule &plan) {
  return plan.reductions.size() == 1 && !plan.reductions.front().arg() &&
         llvm::none_of(
             plan.results,
             [](const ReducedResult &result) { return result.full; }) &&
         llvm::all_of(
             plan.space->accesses(), [&](const IterationSpace::Access &access) {
               return access.small || access.factors[plan.lane].isConstant(1) ||
                      access.factors[plan.lane].isConstant(0);
             });
}

unsigned lanesOfReduction(const ReductionSchedule &plan, graph::FusionOp fusion,
                          graph::DimAnalysis &dims, const TargetModel &target) {
  unsigned width = valueWidth(fusion, target);
  // Vectors of indices must not take all registers.
  for (const Reduction &reduction : plan.reductions)
    if (reduction.arg())
      width =
          std::min(width, 2 * target.lanes * 32 / placeBits(reduction, dims));
  auto size = plan.space->size(plan.lane).constant();
  // Short rows in narrow registers, with fewer steps to reduce the lanes.
  if (plan.lanesReduced && size && *size > 1 && target.lanes >= 16)
    return unsigned(
        std::min<uint64_t>(width, llvm::PowerOf2Ceil(uint64_t(*size))));
  if (plan.lanesReduced || !size || *size < 2)
    return width;
  unsigned many = 8 * target.lanes;
  // For long rows, some neighbouring cache lines of each at a time, where the
  // computation leaves registers for them.
  constexpr int64_t longRow = 512;
  constexpr unsigned vectorsInFlight = 4;
  constexpr double fewOps = 6;
  bool wide = reducesWholeRows(plan) && *size >= longRow &&
              costPerElement(fusion) <= fewOps;
  // Rows of few lanes need no masks where vectors are no wider.
  if (*size < width)
    return unsigned(llvm::PowerOf2Ceil(uint64_t(*size)));
  // A gathered address serves many lanes: those of a block of columns.
  return readsTable(plan)
             ? std::max(width, unsigned(std::min<uint64_t>(
                                   many, llvm::bit_floor(uint64_t(*size)))))
         : wide ? std::min(many, vectorsInFlight * width)
                : width;
}

std::optional<unsigned> innerRowsOf(const ReductionSchedule &plan,
                                    int64_t width) {
  constexpr int64_t fewVectors = 4;
  const IterationSpace &space = *plan.space;
  auto length = (space.size(plan.lane) * plan.reducedRows()).constant();
  if (plan.keptLoops.size() < 2 || !length || *length > fewVectors * width ||
      !space.size(plan.keptLoops.back()).constant())
    return std::nullopt;
  return plan.keptLoops.back();
}

RowTasks rowTasksOf(const ReductionSchedule &plan, int64_t width,
                    int64_t rowsPerTask) {
  const IterationSpace &space = *plan.space;
  DimExpr length = space.size(plan.lane) * plan.reducedRows(), rows = 1;
  std::optional<unsigned> inner = innerRowsOf(plan, width);
  for (unsigned loop : plan.keptLoops)
    if (loop == inner)
      length = length * space.size(loop);
    else
      rows = rows * space.size(loop);
  RowTasks tasks =
      RowTasks::plan(rows, length, elementsPerTask, /*cutRows=*/false);
  if (!rowsPerTask || rowsPerTask == tasks.rowsPerTask)
    return tasks;
  tasks.rowsPerTask = rowsPerTask;
  tasks.tasks = DimExpr::ceilDiv(rows, rowsPerTask);
  return tasks;
}

ReductionForm givenReductionForm(graph::FusionOp fusion,
                                 const ReductionSchedule &plan) {
  ReductionForm form;
  form.lanes = 0;
  form.chunk = plan.chunk;
  auto given = dyn_cast_or_null<sched::ReduceAttr>(
      sched::lastVariant(fusion.getScheduleAttr()));
  if (!given)
    return form;
  form.lanes = unsigned(given.getLanes() * given.getItem());
  form.rows = given.getRows();
  if (given.getChunk() && plan.chunk)
    form.chunk = given.getChunk();
  if (DenseI64ArrayAttr sums = given.getSums())
    form.sums.assign(sums.asArrayRef().begin(), sums.asArrayRef().end());
  form.together = given.getTogether();
  form.prefetch = given.getPrefetch();
  if (DenseI64ArrayAttr streams = given.getStreams())
    form.streams.emplace(streams.asArrayRef().begin(),
                         streams.asArrayRef().end());
  form.ahead = given.getAhead();
  return form;
}

} // namespace zenith::kernels
