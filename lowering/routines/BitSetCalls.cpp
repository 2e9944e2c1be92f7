// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bit_positions, bitset_difference and test_and_set: bitsets, whose candidates
// a kernel of their own computes chunk by chunk, so that they are never
// materialised.

#include "lowering/routines/ChunkCalls.h"
#include "lowering/routines/RoutineKernels.h"

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

FailureOr<KernelPlan> emitBitPositions(const EmissionContext &context,
                                       search::BitPositionsOp op) {
  DimExpr words = context.dims.dimOf(op.getOperand(), 0);
  using Arguments = zenith_bit_positions_arguments;
  RoutineCall<Arguments> call(context, "bit_positions");
  KernelPlan plan;
  DimExpr slots = DimExpr::max(1, slotsFor(words, 64));
  call.set(&Arguments::words, words);
  call.set(&Arguments::slots, slots);
  call.set(&Arguments::bits, call.operand(op.getOperand()));
  call.set(&Arguments::found,
           countDataRows(call, plan, op->getResults(), context, words * 64));
  call.set(&Arguments::result, call.result(op.getResult()));
  if (!addLaunch(plan, call.finish(slots, 10000)))
    return failure();
  return plan;
}

/// Slots of `perSlot` units each: enough of them for all to end together.
static DimExpr slotsOf(const DimExpr &units, int64_t perSlot) {
  constexpr int64_t most = 32;
  return DimExpr::min(most, DimExpr::floorDiv(units, perSlot) + DimExpr(1));
}

namespace {

/// Sizes of the steps of bitset_difference. Threads share the words that they
/// set: bits of their own would take more memory than the sets themselves.
struct BitSetSizes {
  BitSetSizes(search::BitsetDifferenceOp op, graph::DimAnalysis &dims)
      : words(dims.dimOf(op.getKnown(), 0)),
        writesBits(!op.getBits().use_empty()),
        lists(op.getCandidates().size()) {
    // If the fusion computes positions, all candidates are computed from them;
    // else candidates are lists of their own size.
    for (auto found : op->getBlock()->getOps<search::BitPositionsOp>())
      positions = found;
    sourceSize = dims.dimOf(
        positions ? positions.getOperand() : op.getCandidates().front(), 0);
    slots = slotsOf(sourceSize, positions ? 512 : 4096);
    blocks = slotsOf(words, 8192);
  }
  DimExpr scratchBytes() const {
    return runtime::bitsetDifferenceScratch(slots, blocks, words, lists,
                                            chunkRows, !writesBits)
        .total();
  }
  DimExpr words, sourceSize, slots, blocks;
  search::BitPositionsOp positions;
  bool writesBits;
  int64_t lists;
};

} // namespace

FailureOr<KernelPlan> emitBitsetDifference(const EmissionContext &context,
                                           search::BitsetDifferenceOp op) {
  using Arguments = zenith_bitset_difference_arguments;
  BitSetSizes sizes(op, context.dims);
  FailureOr<Launch> chunk =
      emitChunk(context, op.getCandidates(),
                sizes.positions ? sizes.positions.getResult() : Value());
  if (failed(chunk))
    return failure();
  KernelPlan plan;
  auto begin = [&](StringRef step) {
    RoutineCall call = stepCall<Arguments>(context, "bitset_difference", step);
    call.set({{&Arguments::words, sizes.words},
              {&Arguments::source_size, sizes.sourceSize},
              {&Arguments::lists, sizes.lists},
              {&Arguments::slots, sizes.slots},
              {&Arguments::chunk_rows, chunkRows},
              {&Arguments::blocks, sizes.blocks}});
    call.set(&Arguments::scratch, call.scratch(0));
    call.set(&Arguments::bits, call.result(op.getBits()));
    return call;
  };
  RoutineCall clear = begin("clear");
  if (!addLaunch(plan, clear.finish(sizes.blocks, 5000)))
    return failure();
  RoutineCall set = begin("set");
  set.set(&Arguments::known, set.operand(op.getKnown()));
  if (sizes.positions)
    set.set(&Arguments::source, set.operand(sizes.positions.getOperand()));
  Value producer = chunkProducer(set, *chunk);
  set.set(&Arguments::producer, producer);
  if (!producer || !addLaunch(plan, set.finish(sizes.slots, 100000)))
    return failure();
  RoutineCall count = begin("count");
  if (!addLaunch(plan, count.finish(sizes.blocks, 5000)))
    return failure();
  return endWithSum(std::move(plan), begin("sum"), op.getCount());
}

SmallVector<DimExpr> bitSetScratch(search::BitsetDifferenceOp op,
                                   graph::DimAnalysis &dims) {
  return {BitSetSizes(op, dims).scratchBytes()};
}

namespace {

/// Sizes of the steps of test_and_set.
struct TestAndSetSizes {
  TestAndSetSizes(search::TestAndSetOp op, graph::DimAnalysis &dims)
      : words(dims.dimOf(op.getKnown(), 0)),
        rows(dims.dimOf(op.getCandidates().front(), 0)),
        slots(slotsOf(rows, rowsPerSlot)),
        tagBits(int64_t(op.getTagBits().value_or(0))),
        writesBits(!op.getBits().use_empty()),
        lists(op.getCandidates().size()) {
    // Partitions of a set of some megabytes fit a second-level cache; entries
    // of a partition have at most 32 bits with their tags.
    constexpr int64_t mostPartitions = 64, rowsPerPartition = 1024;
    const int64_t mostWords = int64_t(1) << (26 - tagBits);
    partitions = DimExpr::max(
        DimExpr::min(mostPartitions,
                     DimExpr::floorDiv(rows, rowsPerPartition) + DimExpr(1)),
        DimExpr::floorDiv(words, mostWords) + DimExpr(1));
    // Entries of a block, and how many it has at least before another begins
    // (runtime/routines/HashPartition.h). A slot has at most its share of rows
    // and one.
    constexpr int64_t block = 128, least = 119;
    DimExpr candidates =
        (DimExpr::floorDiv(rows, slots) + DimExpr(1)) * DimExpr(lists);
    DimExpr blocks =
        DimExpr::floorDiv(candidates, least) + partitions + DimExpr(1);
    slotEntries = (blocks * DimExpr(block / 2) + partitions) * DimExpr(2);
  }
  DimExpr scratchBytes() const {
    return runtime::testAndSetScratch(slots, slotEntries, words, lists,
                                      chunkRows, !writesBits)
        .total();
  }
  static constexpr int64_t rowsPerSlot = 2048;
  DimExpr words, rows, slots, partitions, slotEntries;
  int64_t tagBits;
  bool writesBits;
  int64_t lists;
};

} // namespace

FailureOr<KernelPlan> emitTestAndSet(const EmissionContext &context,
                                     search::TestAndSetOp op) {
  using Arguments = zenith_test_and_set_arguments;
  TestAndSetSizes sizes(op, context.dims);
  FailureOr<Launch> chunk = emitChunk(context, op.getCandidates());
  if (failed(chunk))
    return failure();
  KernelPlan plan;
  auto begin = [&](StringRef step) {
    RoutineCall call = stepCall<Arguments>(context, "test_and_set", step);
    call.set({{&Arguments::words, sizes.words},
              {&Arguments::rows, sizes.rows},
              {&Arguments::lists, sizes.lists},
              {&Arguments::slots, sizes.slots},
              {&Arguments::chunk_rows, chunkRows},
              {&Arguments::partitions, sizes.partitions},
              {&Arguments::slot_entries, sizes.slotEntries},
              {&Arguments::tag_bits, sizes.tagBits}});
    call.set(&Arguments::scratch, call.scratch(0));
    call.set(&Arguments::bits, call.result(op.getBits()));
    return call;
  };
  RoutineCall copy = begin("copy");
  copy.set(&Arguments::known, copy.operand(op.getKnown()));
  if (!addLaunch(plan, copy.finish(sizes.slots, 1000)))
    return failure();
  RoutineCall partition = begin("partition");
  Value producer = chunkProducer(partition, *chunk);
  partition.set(&Arguments::producer, producer);
  if (!producer || !addLaunch(plan, partition.finish(sizes.slots, 50000)))
    return failure();
  RoutineCall set = begin("set");
  set.set(&Arguments::positions, set.result(op.getPositions()));
  if (!addLaunch(plan, set.finish(sizes.partitions, 5000)))
    return failure();
  RoutineCall end = begin("end");
  end.set(&Arguments::found,
          countDataRows(end, plan, ValueRange(op.getPositions()), context,
                        sizes.rows * DimExpr(sizes.lists)));
  if (!addLaunch(plan, end.finish(1, 100)))
    return failure();
  return plan;
}

SmallVector<DimExpr> markBitsScratch(search::TestAndSetOp op,
                                     graph::DimAnalysis &dims) {
  return {TestAndSetSizes(op, dims).scratchBytes()};
}

} // namespace zenith::kernels
