// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dedup: routines whose candidates a kernel of their own computes chunk by
// chunk, so that they are never materialised.

#include "lowering/routines/ChunkCalls.h"
#include "lowering/routines/RoutineKernels.h"
#include <numeric>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {

using Arguments = zenith_dedup_arguments;

/// Sizes of the steps of dedup.
struct KeySetSizes {
  KeySetSizes(search::DedupOp op, graph::DimAnalysis &dims)
      : words(op.words()), lists(op.candidateLists()),
        blockRows(words == 1   ? 64
                  : words == 2 ? 32
                               : 16),
        rows(dims.dimOf(op.getCandidates().front(), 0)) {
    DimExpr known = 0;
    for (unsigned list = 0; list < op.knownLists(); ++list) {
      knownRows.push_back(dims.dimOf(op.getKnown()[list * words], 0));
      known = known + knownRows.back();
    }
    total = rows * lists + known;
    // A slot's rows outweigh the start of a task.
    constexpr int64_t rowsPerSlot = 4096, mostSlots = 16;
    slots = DimExpr::min(mostSlots, unitsOf(total, rowsPerSlot));
    // A partition has at most twice as many rows: its table is part of a
    // second-level cache.
    const int64_t partitionRows = words == 1 ? 4096 : 2048;
    partitions = DimExpr::min(mostPartitions, unitsOf(total, partitionRows));
    DimExpr slotRows = unitsOf(rows, slots) * lists;
    for (const DimExpr &list : knownRows)
      slotRows = slotRows + unitsOf(list, slots);
    slotBlocks = unitsOf(slotRows, blockRows) + partitions * 2;
    // Twice the mean: the routine takes a power of two of partitions. A table
    // has two cells a row, and of keys of one word a byte for each four of
    // them. Before there are tables the rows of a partition fill whole cache
    // lines here.
    DimExpr most = DimExpr::min(
        total, DimExpr::floorDiv(total * 5, partitions * 2) + DimExpr(256));
    int64_t lineWords = words / std::gcd(words, int64_t(8)) * 8;
    DimExpr cells = DimExpr::floorDiv(most * 33, 16);
    tableWords =
        DimExpr::floorDiv(
            DimExpr::max(partitions * lineWords, cells + DimExpr(64)), 8) *
            8 +
        DimExpr(8);
  }

  DimExpr scratchBytes() const {
    return runtime::dedupScratch<DimExpr>(
               {words, lists, int64_t(knownRows.size()), blockRows, chunkRows,
                total, slots, partitions, slotBlocks, tableWords})
        .total();
  }

  /// At least one, and enough for `size` at `each`: a shorter expression than
  /// the rounded-up quotient.
  static DimExpr unitsOf(const DimExpr &size, const DimExpr &each) {
    return DimExpr::floorDiv(size, each) + DimExpr(1);
  }

  static constexpr int64_t mostPartitions = 4096;
  int64_t words, lists;
  /// A power of two; half of each slot's last block of each partition is
  /// unused.
  int64_t blockRows;
  DimExpr rows, total, slots, partitions, slotBlocks, tableWords;
  SmallVector<DimExpr> knownRows;
};

/// Calls of the steps of one fusion, each with the same first arguments.
class KeySetSteps {
public:
  KeySetSteps(const EmissionContext &context, search::DedupOp op)
      : context(context), op(op), sizes(op, context.dims) {}

  FailureOr<KernelPlan> emit();

private:
  RoutineCall<Arguments> begin(StringRef step);
  void setImages(RoutineCall<Arguments> &call);
  SmallVector<Value> knownLists(RoutineKernel &call);
  bool finish(RoutineCall<Arguments> &call, const DimExpr &tasks,
              double perRow);

  const EmissionContext &context;
  search::DedupOp op;
  KeySetSizes sizes;
  KernelPlan plan;
};

} // namespace

RoutineCall<Arguments> KeySetSteps::begin(StringRef step) {
  RoutineCall call = stepCall<Arguments>(context, "dedup", step);
  SmallVector<Value> knownRows, key;
  for (const DimExpr &rows : sizes.knownRows)
    knownRows.push_back(call.number(rows));
  for (int64_t bits : op.getKey())
    key.push_back(call.number(bits));
  call.set(&Arguments::words, sizes.words);
  call.set(&Arguments::lists, sizes.lists);
  call.set(&Arguments::rows, sizes.rows);
  call.set(&Arguments::nknown, int64_t(knownRows.size()));
  call.set(&Arguments::known_rows, knownRows);
  call.set(&Arguments::key, key);
  call.set(&Arguments::slots, sizes.slots);
  call.set(&Arguments::partitions, sizes.partitions);
  call.set(&Arguments::slot_blocks, sizes.slotBlocks);
  call.set(&Arguments::block_rows, sizes.blockRows);
  call.set(&Arguments::table_words, sizes.tableWords);
  call.set(&Arguments::chunk_rows, chunkRows);
  call.set(&Arguments::has_absent, int64_t(op.getAbsent().has_value()));
  call.set(&Arguments::absent, int64_t(op.getAbsent().value_or(0)));
  call.set(&Arguments::part_bits, 1);
  if (op.getTies())
    setImages(call);
  call.set(&Arguments::scratch, call.scratch(0));
  return call;
}

void KeySetSteps::setImages(RoutineCall<Arguments> &call) {
  ArrayRef<int64_t> images = op.getImageParts().getType().getShape();
  call.set(&Arguments::images, images[0]);
  call.set(&Arguments::image_parts, images[2]);
  call.set(&Arguments::part_bits, int64_t(op.partBits()));
  call.set(&Arguments::ties, int64_t(*op.getTies()));
}

SmallVector<Value> KeySetSteps::knownLists(RoutineKernel &call) {
  SmallVector<Value> lists;
  for (Value list : op.getKnown())
    lists.push_back(call.operand(list));
  return lists;
}

bool KeySetSteps::finish(RoutineCall<Arguments> &call, const DimExpr &tasks,
                         double perRow) {
  constexpr double typicalRows = 16384;
  return addLaunch(
      plan, call.finish(tasks, perRow * typicalRows * double(sizes.words)));
}

FailureOr<KernelPlan> KeySetSteps::emit() {
  FailureOr<Launch> chunk = emitChunk(context, op.getCandidates());
  if (failed(chunk))
    return failure();
  RoutineCall partition = begin("partition");
  partition.set(&Arguments::known, knownLists(partition));
  if (op.getTies()) {
    partition.set(&Arguments::image_numbers,
                  partition.operand(op.getImageParts()));
    partition.set(&Arguments::image_bits, partition.operand(op.getImageBits()));
  }
  Value producer = chunkProducer(partition, *chunk);
  partition.set(&Arguments::producer, producer);
  if (!producer || !finish(partition, sizes.slots, 4))
    return failure();
  RoutineCall counting = begin("plan");
  if (!finish(counting, 1, 0.1))
    return failure();
  RoutineCall merge = begin("merge");
  merge.set(&Arguments::known, knownLists(merge));
  if (!finish(merge, sizes.slots, 8))
    return failure();
  RoutineCall gather = begin("gather");
  gather.set(&Arguments::found,
             countDataRows(gather, plan, op.getResults(), context,
                           sizes.rows * sizes.lists));
  SmallVector<Value> results;
  for (Value result : op.getResults())
    results.push_back(gather.result(result));
  gather.set(&Arguments::results, results);
  if (!finish(gather, sizes.slots, 1))
    return failure();
  return std::move(plan);
}

FailureOr<KernelPlan> emitDedup(const EmissionContext &context,
                                search::DedupOp op) {
  return KeySetSteps(context, op).emit();
}

SmallVector<DimExpr> keySetScratch(search::DedupOp op,
                                   graph::DimAnalysis &dims) {
  return {KeySetSizes(op, dims).scratchBytes()};
}

} // namespace zenith::kernels
