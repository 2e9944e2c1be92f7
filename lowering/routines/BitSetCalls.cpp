// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bit_positions, bitset_difference and test_and_set: sets of bits, whose candidates a
// kernel of their own computes chunk by chunk, so that they are never written
// out.

#include "lowering/routines/ChunkCalls.h"
#include "lowering/routines/RoutineKernels.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

FailureOr<KernelPlan> emitBitPositions(const EmissionContext &context,
                                       search::BitPositionsOp op) {
  DimExpr words = context.dims.dimOf(op.getOperand(), 0);
  RoutineCall call(context, "bit_positions");
  KernelPlan plan;
  call.number(words);
  DimExpr slots = DimExpr::max(1, slotsFor(words, 64));
  call.number(slots);
  call.operand(op.getOperand());
  call.pointer(
      countDataRows(call, plan, op->getResults(), context, words * 64));
  call.result(op.getResult());
  FailureOr<Launch> launch = call.finish(slots, 10000);
  if (failed(launch))
    return failure();
  plan.launches.push_back(std::move(*launch));
  return plan;
}

/// Slots of tasks of some ten microseconds, enough for all to end together.
static DimExpr slotsOf(const DimExpr &pieces, int64_t piece) {
  constexpr int64_t most = 32;
  return DimExpr::min(most, DimExpr::floorDiv(pieces, piece) + DimExpr(1));
}

namespace {

/// Sizes of the steps of bitset_difference. Threads share the words that they set:
/// bits of their own would take more memory than the sets themselves.
struct BitSetSizes {
  BitSetSizes(search::BitsetDifferenceOp op, graph::DimAnalysis &dims)
      : words(dims.dimOf(op.getKnown(), 0)),
        writesBits(!op.getBits().use_empty()),
        lists(op.getCandidates().size()) {
    // Positions computed here are what all candidates are made of; else
    // candidates are lists as long as they are.
    for (auto found : op->getBlock()->getOps<search::BitPositionsOp>())
      positions = found;
    sourceSize = dims.dimOf(
        positions ? positions.getOperand() : op.getCandidates().front(), 0);
    slots = slotsOf(sourceSize, positions ? 512 : 4096);
    pieces = slotsOf(words, 8192);
  }
  DimExpr scratchBytes() const {
    DimExpr sum = slots * DimExpr(chunkRows * (lists + 1)) + pieces;
    return (writesBits ? sum : sum + words) * DimExpr(8);
  }
  DimExpr words, sourceSize, slots, pieces;
  search::BitPositionsOp positions;
  bool writesBits;
  int64_t lists;
};

} // namespace

FailureOr<KernelPlan> emitBitsetDifference(const EmissionContext &context,
                                    search::BitsetDifferenceOp op) {
  BitSetSizes sizes(op, context.dims);
  FailureOr<Launch> chunk =
      emitChunk(context, op.getCandidates(),
                sizes.positions ? sizes.positions.getResult() : Value());
  if (failed(chunk))
    return failure();
  KernelPlan plan;
  auto begin = [&](StringRef step) {
    RoutineCall call(context, ("bitset_difference_" + step).str(), ("_" + step).str());
    call.number(sizes.words);
    call.number(sizes.sourceSize);
    call.number(sizes.lists);
    call.number(sizes.slots);
    call.number(chunkRows);
    call.number(sizes.pieces);
    call.scratch(0);
    call.result(op.getBits());
    return call;
  };
  RoutineCall clear = begin("clear");
  if (!addLaunch(plan, clear.finish(sizes.pieces, 5000)))
    return failure();
  RoutineCall set = begin("set");
  set.operand(op.getKnown());
  if (sizes.positions)
    set.operand(sizes.positions.getOperand());
  else
    set.pointer(Value());
  if (failed(addChunkProducer(set, *chunk)) ||
      !addLaunch(plan, set.finish(sizes.slots, 100000)))
    return failure();
  RoutineCall count = begin("count");
  if (!addLaunch(plan, count.finish(sizes.pieces, 5000)))
    return failure();
  RoutineCall sum = begin("sum");
  sum.result(op.getCount());
  if (!addLaunch(plan, sum.finish(1, 100)))
    return failure();
  return plan;
}

SmallVector<DimExpr> bitSetScratch(search::BitsetDifferenceOp op,
                                   graph::DimAnalysis &dims) {
  return {BitSetSizes(op, dims).scratchBytes()};
}

namespace {

/// Sizes of the steps of test_and_set (runtime/routines/BitMarkRoutines.cpp).
struct MarkSizes {
  MarkSizes(search::TestAndSetOp op, graph::DimAnalysis &dims)
      : words(dims.dimOf(op.getKnown(), 0)),
        rows(dims.dimOf(op.getCandidates().front(), 0)),
        slots(slotsOf(rows, rowsPerSlot)),
        tagBits(int64_t(op.getTagBits().value_or(0))),
        writesBits(!op.getBits().use_empty()),
        lists(op.getCandidates().size()) {
    // Parts of a set of some megabytes fit a second-level cache; numbers in a
    // part have at most 32 bits with their tags.
    constexpr int64_t mostParts = 64, rowsPerPart = 1024;
    const int64_t mostWords = int64_t(1) << (26 - tagBits);
    parts = DimExpr::max(
        DimExpr::min(mostParts,
                     DimExpr::floorDiv(rows, rowsPerPart) + DimExpr(1)),
        DimExpr::floorDiv(words, mostWords) + DimExpr(1));
    // Numbers of a block, and how many it has at least before another begins
    // (runtime/routines/HashPartition.h). A slot has at most its share of rows
    // and one.
    constexpr int64_t block = 128, least = 119;
    DimExpr candidates =
        (DimExpr::floorDiv(rows, slots) + DimExpr(1)) * DimExpr(lists);
    DimExpr blocks = DimExpr::floorDiv(candidates, least) + parts + DimExpr(1);
    slotNumbers = (blocks * DimExpr(block / 2) + parts) * DimExpr(2);
  }
  DimExpr scratchBytes() const {
    DimExpr sum = slots * DimExpr(2 * chunkRows * lists) + DimExpr(8);
    DimExpr bytes = (writesBits ? sum : sum + words) * DimExpr(8);
    return bytes + slots * slotNumbers * DimExpr(4);
  }
  static constexpr int64_t rowsPerSlot = 2048;
  DimExpr words, rows, slots, parts, slotNumbers;
  int64_t tagBits;
  bool writesBits;
  int64_t lists;
};

} // namespace

FailureOr<KernelPlan> emitTestAndSet(const EmissionContext &context,
                                   search::TestAndSetOp op) {
  MarkSizes sizes(op, context.dims);
  FailureOr<Launch> chunk = emitChunk(context, op.getCandidates());
  if (failed(chunk))
    return failure();
  KernelPlan plan;
  auto begin = [&](StringRef step) {
    RoutineCall call(context, ("test_and_set_" + step).str(), ("_" + step).str());
    call.number(sizes.words);
    call.number(sizes.rows);
    call.number(sizes.lists);
    call.number(sizes.slots);
    call.number(chunkRows);
    call.number(sizes.parts);
    call.number(sizes.slotNumbers);
    call.number(sizes.tagBits);
    call.scratch(0);
    call.result(op.getBits());
    return call;
  };
  RoutineCall copy = begin("copy");
  copy.operand(op.getKnown());
  if (!addLaunch(plan, copy.finish(sizes.slots, 1000)))
    return failure();
  RoutineCall deal = begin("deal");
  if (failed(addChunkProducer(deal, *chunk)) ||
      !addLaunch(plan, deal.finish(sizes.slots, 50000)))
    return failure();
  RoutineCall set = begin("set");
  set.result(op.getPositions());
  if (!addLaunch(plan, set.finish(sizes.parts, 5000)))
    return failure();
  RoutineCall end = begin("end");
  end.pointer(countDataRows(end, plan, ValueRange(op.getPositions()), context,
                            sizes.rows * DimExpr(sizes.lists)));
  if (!addLaunch(plan, end.finish(1, 100)))
    return failure();
  return plan;
}

SmallVector<DimExpr> markBitsScratch(search::TestAndSetOp op,
                                     graph::DimAnalysis &dims) {
  return {MarkSizes(op, dims).scratchBytes()};
}

} // namespace zenith::kernels
