// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dedup: routines whose candidates a kernel of their own computes chunk by
// chunk, so that they are never written out.

#include "lowering/routines/ChunkCalls.h"
#include "lowering/routines/RoutineKernels.h"
#include <numeric>

using namespace mlir;
using zenith::graph::DimExpr;

namespace zenith::kernels {

namespace {

/// Sizes of the scratch buffer of dedup. The routine divides it in the
/// same order (runtime/routines/KeySetRoutines.cpp).
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
    // Tasks of about 50 microseconds.
    constexpr int64_t rowsPerSlot = 4096, mostSlots = 16;
    slots = DimExpr::min(mostSlots, piecesOf(total, rowsPerSlot));
    // A partition has at most twice as many rows: its table is part of a
    // second-level cache.
    const int64_t partitionRows = words == 1 ? 4096 : 2048;
    partitions = DimExpr::min(mostPartitions, piecesOf(total, partitionRows));
    DimExpr slotRows = piecesOf(rows, slots) * lists;
    for (const DimExpr &list : knownRows)
      slotRows = slotRows + piecesOf(list, slots);
    slotBlocks = piecesOf(slotRows, blockRows) + partitions * 2;
    // Twice the mean: the routine takes a power of two of partitions. A table
    // has two cells a row, and of keys of one word a byte for each four of
    // them. Before there are tables the rows of a partition fill whole cache
    // lines here.
    DimExpr most = DimExpr::min(
        total, DimExpr::floorDiv(total * 5, partitions * 2) + DimExpr(256));
    int64_t lineWords = words / std::gcd(words, int64_t(8)) * 8;
    DimExpr tableWords = DimExpr::floorDiv(most * 33, 16);
    roomWords =
        DimExpr::floorDiv(
            DimExpr::max(partitions * lineWords, tableWords + DimExpr(64)), 8) *
            8 +
        DimExpr(8);
  }

  DimExpr scratchBytes() const {
    DimExpr blocks = slots * slotBlocks;
    DimExpr bytes = blocks * (blockRows * words * 8) + blocks * 8;
    bytes = bytes + slots * partitions * (2 * 16) + partitions * 64;
    bytes = bytes +
            slots * int64_t(knownRows.size()) * (partitions + DimExpr(1)) * 8;
    bytes = bytes + slots * roomWords * 8;
    bytes = bytes + slots * (chunkRows * lists * (words + 1) * 2 * 8);
    // Tables of partitions that outgrow a slot's, and what alignment takes.
    return bytes + total * 10 + partitions * 256 + DimExpr(1024);
  }

  /// At least one, and enough for `size` at `each`; a shorter text than the
  /// exact number of pieces has.
  static DimExpr piecesOf(const DimExpr &size, const DimExpr &each) {
    return DimExpr::floorDiv(size, each) + DimExpr(1);
  }

  static constexpr int64_t mostPartitions = 4096;
  int64_t words, lists;
  /// A power of two; half of each slot's last block of each partition is
  /// unused.
  int64_t blockRows;
  DimExpr rows, total, slots, partitions, slotBlocks, roomWords;
  SmallVector<DimExpr> knownRows;
};

/// Calls of the steps of one fusion, each with the same first arguments.
class KeySetSteps {
public:
  KeySetSteps(const EmissionContext &context, search::DedupOp op)
      : context(context), op(op), sizes(op, context.dims) {}

  FailureOr<KernelPlan> emit();

private:
  RoutineCall begin(StringRef step);
  bool finish(RoutineCall &call, const DimExpr &tasks, double perRow);

  const EmissionContext &context;
  search::DedupOp op;
  KeySetSizes sizes;
  KernelPlan plan;
};

} // namespace

RoutineCall KeySetSteps::begin(StringRef step) {
  RoutineCall call(context, ("dedup_" + step).str(), ("_" + step).str());
  call.number(sizes.words);
  call.number(sizes.lists);
  call.number(sizes.rows);
  call.number(int64_t(sizes.knownRows.size()));
  for (const DimExpr &rows : sizes.knownRows)
    call.number(rows);
  for (int64_t bits : op.getKey())
    call.number(bits);
  call.number(sizes.slots);
  call.number(sizes.partitions);
  call.number(sizes.slotBlocks);
  call.number(sizes.blockRows);
  call.number(sizes.roomWords);
  call.number(chunkRows);
  call.number(int64_t(op.getAbsent().has_value()));
  call.number(int64_t(op.getAbsent().value_or(0)));
  ArrayRef<int64_t> images;
  if (op.getTies())
    images = op.getImageParts().getType().getShape();
  call.number(images.empty() ? 0 : images[0]);
  call.number(images.empty() ? 0 : images[2]);
  call.number(int64_t(images.empty() ? 1 : op.partBits()));
  call.number(op.getTies().value_or(0));
  call.scratch(0);
  return call;
}

bool KeySetSteps::finish(RoutineCall &call, const DimExpr &tasks,
                         double perRow) {
  constexpr double typicalRows = 16384;
  FailureOr<Launch> launch =
      call.finish(tasks, perRow * typicalRows * double(sizes.words));
  if (failed(launch))
    return false;
  plan.launches.push_back(std::move(*launch));
  return true;
}

FailureOr<KernelPlan> KeySetSteps::emit() {
  FailureOr<Launch> chunk = emitChunk(context, op.getCandidates());
  if (failed(chunk))
    return failure();
  RoutineCall deal = begin("deal");
  for (Value list : op.getKnown())
    deal.operand(list);
  if (op.getTies()) {
    deal.operand(op.getImageParts());
    deal.operand(op.getImageBits());
  }
  if (failed(addChunkProducer(deal, *chunk)) || !finish(deal, sizes.slots, 4))
    return failure();
  RoutineCall counting = begin("plan");
  if (!finish(counting, 1, 0.1))
    return failure();
  RoutineCall merge = begin("merge");
  for (Value list : op.getKnown())
    merge.operand(list);
  if (!finish(merge, sizes.slots, 8))
    return failure();
  RoutineCall gather = begin("gather");
  gather.pointer(countDataRows(gather, plan, op.getResults(), context,
                               sizes.rows * sizes.lists));
  for (Value result : op.getResults())
    gather.result(result);
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
