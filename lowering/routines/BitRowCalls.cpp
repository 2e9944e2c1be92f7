// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// coset_bit_rows: counts of the rows' bits, rows by the slot, and their sum.
// coset_bits, test_bits and index_bits: one routine each. note_bits: a copy
// where the list is not changed where it is, entries by the slot, and the sum
// of their counts.

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
    RoutineCall call = stepCall<Arguments>(context, "coset_bit_rows", step);
    call.set({{&Arguments::rows, sizes.rows},
              {&Arguments::words, sizes.words},
              {&Arguments::generators, sizes.generators},
              {&Arguments::moves, sizes.moves},
              {&Arguments::columns, sizes.columns},
              {&Arguments::slots, sizes.slots}});
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

FailureOr<KernelPlan> emitCosetBits(const EmissionContext &context,
                                    search::CosetBitsOp op) {
  auto states = cast<RankedTensorType>(op.getStates().getType());
  int64_t columns = states.getDimSize(1);
  DimExpr count = context.dims.dimOf(op.getStates(), 0);
  // A lookup for each position, and half of them once more for each group.
  double cost = double(columns) * double(4 + 2 * op.getSizes().size());
  DimExpr slots = slotsFor(count, cost);
  using Arguments = zenith_coset_bits_arguments;
  RoutineCall<Arguments> call(context, "coset_bits");
  call.set(&Arguments::count, count);
  call.set(&Arguments::columns, columns);
  call.set(&Arguments::element_bytes, elementBytesOf(op.getStates()));
  call.set(&Arguments::groups, int64_t(op.getSizes().size()));
  call.set(&Arguments::row_groups, int64_t(op.getRowGroups()));
  call.set(&Arguments::words, int64_t(op.getWords()));
  call.set(&Arguments::slots, slots);
  auto numbers = [&](ArrayRef<int64_t> values) {
    return llvm::map_to_vector(
        values, [&](int64_t value) { return call.number(value); });
  };
  call.set(&Arguments::points, ArrayRef<Value>(numbers(op.getPoints())));
  call.set(&Arguments::group_points,
           ArrayRef<Value>(numbers(op.getGroupPoints())));
  call.set(&Arguments::sizes, ArrayRef<Value>(numbers(op.getSizes())));
  call.set(&Arguments::states, call.operand(op.getStates()));
  call.set(&Arguments::start, call.operand(op.getStart()));
  call.set(&Arguments::indices, call.operand(op.getIndices()));
  call.set(&Arguments::inverses, call.operand(op.getInverses()));
  call.set(&Arguments::representatives, call.operand(op.getRepresentatives()));
  call.set(&Arguments::bits, call.result(op.getBits()));
  KernelPlan plan;
  if (!addLaunch(plan, call.finish(slots, cost * unitsOfSlot(count, slots))))
    return failure();
  return plan;
}

FailureOr<KernelPlan> emitTestBits(const EmissionContext &context,
                                   search::TestBitsOp op) {
  constexpr double cost = 2;
  DimExpr count = context.dims.dimOf(op.getPositions(), 0),
          slots = slotsFor(count, cost);
  using Arguments = zenith_test_bits_arguments;
  RoutineCall<Arguments> call(context, "test_bits");
  call.set(&Arguments::words, context.dims.dimOf(op.getBits(), 0));
  call.set(&Arguments::count, count);
  call.set(&Arguments::slots, slots);
  call.set(&Arguments::bits, call.operand(op.getBits()));
  call.set(&Arguments::positions, call.operand(op.getPositions()));
  call.set(&Arguments::result, call.result(op.getResult()));
  KernelPlan plan;
  if (!addLaunch(plan, call.finish(slots, cost * unitsOfSlot(count, slots))))
    return failure();
  return plan;
}

/// A word of bits, and now and then a position of it.
static constexpr double costPerEntry = 2;

FailureOr<KernelPlan> emitIndexBits(const EmissionContext &context,
                                    search::IndexBitsOp op) {
  using Arguments = zenith_index_bits_arguments;
  RoutineCall<Arguments> call(context, "index_bits");
  for (Value result : op->getResults())
    if (!call.kernel.resultOf(result))
      return op.emitError("no kernel for index_bits with an unused result");
  DimExpr count = context.dims.dimOf(op.getPositions(), 0);
  call.set(&Arguments::count, count);
  call.set(&Arguments::words, int64_t(op.getWords()));
  call.set(&Arguments::entries, context.dims.dimOf(op.getMasks(), 0));
  call.set(&Arguments::scratch, call.scratch(0));
  call.set(&Arguments::positions, call.operand(op.getPositions()));
  call.set(&Arguments::places, call.result(op.getPlaces()));
  call.set(&Arguments::counts, call.result(op.getCounts()));
  call.set(&Arguments::entry_words, call.result(op.getEntryWords()));
  call.set(&Arguments::masks, call.result(op.getMasks()));
  call.set(&Arguments::firsts, call.result(op.getFirsts()));
  constexpr double perPosition = 10;
  KernelPlan plan;
  if (!addLaunch(plan,
                 call.finish(1, perPosition * unitsOfSlot(count, DimExpr(1)))))
    return failure();
  return plan;
}

static DimExpr slotsOf(search::NoteBitsOp op, graph::DimAnalysis &dims) {
  return slotsFor(dims.dimOf(op.getMasks(), 0), costPerEntry);
}

FailureOr<KernelPlan> emitNoteBits(const EmissionContext &context,
                                   search::NoteBitsOp op) {
  using Arguments = zenith_note_bits_arguments;
  graph::DimAnalysis &dims = context.dims;
  DimExpr entries = dims.dimOf(op.getMasks(), 0),
          size = dims.dimOf(op.getNoted(), 0), slots = slotsOf(op, dims);
  KernelPlan plan;
  auto begin = [&](StringRef step) {
    RoutineCall call = stepCall<Arguments>(context, "note_bits", step);
    call.set({{&Arguments::entries, entries},
              {&Arguments::size, size},
              {&Arguments::slots, slots}});
    call.set(&Arguments::scratch, call.scratch(0));
    return call;
  };
  RoutineCall copy = begin("copy");
  if (!copy.kernel.resultOf(op.getAll()))
    return op.emitError("no kernel for note_bits with an unused list");
  copy.set(&Arguments::noted, copy.operand(op.getNoted()));
  copy.set(&Arguments::all, copy.result(op.getAll()));
  if (!addLaunch(plan, copy.finish(slots, unitsOfSlot(size, slots))))
    return failure();
  RoutineCall find = begin("find");
  find.set(&Arguments::words, dims.dimOf(op.getBits(), 0));
  find.set(&Arguments::places,
           DimExpr::min(size, dims.dimOf(op.getCounts(), 0)));
  find.set(&Arguments::number, dims.scalar(op.getNumber()));
  find.set(&Arguments::bits, find.operand(op.getBits()));
  find.set(&Arguments::entry_words, find.operand(op.getEntryWords()));
  find.set(&Arguments::masks, find.operand(op.getMasks()));
  find.set(&Arguments::firsts, find.operand(op.getFirsts()));
  find.set(&Arguments::counts, find.operand(op.getCounts()));
  find.set(&Arguments::all, find.result(op.getAll()));
  if (!addLaunch(
          plan, find.finish(slots, costPerEntry * unitsOfSlot(entries, slots))))
    return failure();
  return endWithSum(std::move(plan), begin("sum"), op.getCount());
}

SmallVector<DimExpr> notedBitsScratch(Operation *op, graph::DimAnalysis &dims) {
  if (auto index = dyn_cast<search::IndexBitsOp>(op))
    return {runtime::indexBitsScratch(dims.dimOf(index.getMasks(), 0)).total()};
  DimExpr slots = slotsOf(cast<search::NoteBitsOp>(op), dims);
  return {runtime::noteBitsScratch(slots).total()};
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
  if (auto notes = yielded.getDefiningOp<search::NoteBitsOp>();
      notes && yielded == notes.getAll())
    known = notes.getNoted();
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
