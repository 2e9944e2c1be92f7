// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// coset_bit_rows: counts of the rows' bits, rows by the slot, and their sum.

#include "lowering/routines/RoutineCall.h"
#include "lowering/routines/RoutineKernels.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {

/// Sizes that the routines get.
struct BitRowSizes {
  BitRowSizes(search::CosetBitRowsOp op, graph::DimAnalysis &dims)
      : rows(dims.dimOf(op.getLayer(), 0)), words(dims.dimOf(op.getLayer(), 1)),
        generators(dims.dimOf(op.getSources(), 1)),
        moves(dims.dimOf(op.getColumns(), 0)),
        columns(dims.dimOf(op.getColumns(), 1)) {
    // A slot's rows outweigh the start of a task.
    constexpr int64_t rowsPerSlot = 16, mostSlots = 256;
    slots = DimExpr::min(mostSlots,
                         DimExpr::floorDiv(rows, rowsPerSlot) + DimExpr(1));
  }
  DimExpr scratchBytes() const {
    return runtime::cosetBitRowsScratch(rows, slots, moves, columns).total();
  }
  DimExpr rows, words, generators, moves, columns, slots;
};

} // namespace

FailureOr<KernelPlan> emitCosetBitRows(const EmissionContext &context,
                                       search::CosetBitRowsOp op) {
  using Arguments = zenith_coset_bit_rows_arguments;
  BitRowSizes sizes(op, context.dims);
  KernelPlan plan;
  auto begin = [&](StringRef step) {
    RoutineCall<Arguments> call(context, ("coset_bit_rows_" + step).str(),
                                ("_" + step).str());
    call.set(&Arguments::rows, sizes.rows);
    call.set(&Arguments::words, sizes.words);
    call.set(&Arguments::generators, sizes.generators);
    call.set(&Arguments::moves, sizes.moves);
    call.set(&Arguments::columns, sizes.columns);
    call.set(&Arguments::slots, sizes.slots);
    call.set(&Arguments::scratch, call.scratch(0));
    return call;
  };
  RoutineCall count = begin("count");
  count.set(&Arguments::layer, count.operand(op.getLayer()));
  count.set(&Arguments::column_maps, count.operand(op.getColumns()));
  if (!addLaunch(plan, count.finish(sizes.slots, 10000)))
    return failure();
  RoutineCall move = begin("move");
  move.set(&Arguments::known, move.operand(op.getKnown()));
  move.set(&Arguments::layer, move.operand(op.getLayer()));
  move.set(&Arguments::sources, move.operand(op.getSources()));
  move.set(&Arguments::row_moves, move.operand(op.getMoves()));
  move.set(&Arguments::column_maps, move.operand(op.getColumns()));
  move.set(&Arguments::bits, move.result(op.getBits()));
  move.set(&Arguments::all, move.result(op.getAll()));
  if (!addLaunch(plan, move.finish(sizes.slots, 100000)))
    return failure();
  return endWithSum(std::move(plan), begin("sum"), op.getCount());
}

SmallVector<DimExpr> bitRowScratch(search::CosetBitRowsOp op,
                                   graph::DimAnalysis &dims) {
  return {BitRowSizes(op, dims).scratchBytes()};
}

bool routineMayShareBytes(graph::FusionOp fusion, unsigned operand,
                          unsigned result) {
  Value yielded = fusion.getBody().front().getTerminator()->getOperand(result),
        argument = fusion.getBody().getArgument(operand), known;
  if (auto rows = yielded.getDefiningOp<search::CosetBitRowsOp>();
      rows && yielded == rows.getAll())
    known = rows.getKnown();
  if (auto marks = yielded.getDefiningOp<search::TestAndSetOp>();
      marks && yielded == marks.getBits())
    known = marks.getKnown();
  if (auto lists = yielded.getDefiningOp<search::AppendNewOp>()) {
    unsigned number = cast<OpResult>(yielded).getResultNumber();
    if (number <= lists.getKnown().size())
      known = lists->getOperand(number);
  }
  return argument == known && argument.hasOneUse() &&
         yielded.getType() == argument.getType() &&
         llvm::count(fusion.getInputs(), fusion.getInputs()[operand]) == 1;
}

} // namespace zenith::kernels
