// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// test_and_set: candidates whose bits are not set are divided among partitions
// of the bitset, and one task marks each partition. So no thread waits for the
// words of another, and a partition stays in a cache. New positions come
// partition by partition, so the candidates of the next step that are made of
// them have locality too.

#include "runtime/RoutineScratch.h"
#include "runtime/StreamingStores.h"
#include "runtime/routines/BitCandidates.h"
#include "runtime/routines/ChunkProducer.h"
#include "runtime/routines/HashPartition.h"
#include "runtime/routines/Routines.h"

using namespace zenith::runtime;

namespace {

/// What the steps of test_and_set share.
struct TestAndSet {
  explicit TestAndSet(const zenith_test_and_set_arguments &given)
      : candidates(given), partitions(given.partitions),
        slotEntries(given.slot_entries),
        form{uint64_t(candidates.words), unsigned(given.tag_bits), 6} {
    const auto layout = testAndSetScratch<int64_t>(
        candidates.slots, slotEntries, candidates.words, candidates.lists,
        candidates.chunkRows, /*holdsBits=*/!given.bits);
    ScratchReader scratch(given.scratch, layout);
    written = scratch.take<int64_t>();
    chunks = scratch.take<uint64_t>();
    partitioned = scratch.take<uint32_t>();
    auto *ownBits = scratch.take<uint64_t>();
    bits = given.bits ? given.bits : ownBits;
    uint64_t lastWord = uint64_t(std::max<int64_t>(candidates.words, 1)) - 1;
    while (lastWord >> (form.partitionBits - 6) >= uint64_t(partitions))
      ++form.partitionBits;
  }
  /// Two chunks of a slot's candidates.
  uint64_t *chunksOf(int64_t slot) const {
    return chunks + 2 * slot * candidates.lists * candidates.chunkRows;
  }
  PartitionedPositions partitionedOf(int64_t slot) const {
    uint32_t *own = partitioned + slot * slotEntries;
    return {own, own + (partitions + 1) / 2 * 2};
  }

  BitCandidates candidates;
  int64_t partitions;
  int64_t slotEntries; ///< of a slot, for ends and entries: even
  TaggedPositions form;
  int64_t *written; ///< positions so far, in a cache line of its own
  uint64_t *chunks;
  uint32_t *partitioned;
  uint64_t *bits;
};

/// Lists of candidates, chunk after chunk.
struct CandidateLists {
  /// An empty one after the last.
  PositionList take() {
    if (list == set.candidates.lists) {
      list = 0;
      // The last list of the chunk before is still in use.
      std::swap(chunk, other);
      rows = std::min(set.candidates.chunkRows, end - next);
      if (rows > 0)
        producer.run(next, next + rows, chunk);
      next += rows;
      ++chunks;
    }
    isEnd = rows == 0;
    uint64_t *own = chunk + list++ * set.candidates.chunkRows;
    return {own, keepInside(set.form, own, rows)};
  }

  const TestAndSet &set;
  const ChunkProducer &producer;
  uint64_t *chunk, *other;
  int64_t next, end; ///< rows of the slot
  int64_t list, rows = 0, chunks = 0;
  bool isEnd = false;
};

/// Whether candidates are looked up before they are partitioned. Looking up a
/// known candidate saves partitioning and marking it, which take twice as long:
/// it pays where half of the candidates are known. A sample of each slot's
/// chunks is always looked up to measure how many are.
class LookUps {
public:
  bool areDue(int64_t chunk) const {
    constexpr int64_t turn = 32;
    return chunk % turn == 1 || 2 * lacking <= seen;
  }
  void add(int64_t count, int64_t missing) {
    seen += count;
    lacking += missing;
  }

private:
  int64_t seen = 0, lacking = 0;
};

} // namespace

/// Candidates whose bits are not set; prefetches the words of the next list.
ZENITH_TARGET_CLONES
static int64_t lookUp(const BitSet &set, PositionList list, PositionList next,
                      uint64_t *lacking) {
  return set.lookUp(list, next, lacking);
}

/// Partitions the candidates of a slot whose bits are not set, and those that
/// were not looked up.
static void partitionRows(const TestAndSet &set, const ChunkProducer &producer,
                          int64_t slot) {
  const BitCandidates &all = set.candidates;
  const BitSet looked{set.bits, uint64_t(all.words), set.form.tagBits};
  const PartitionedPositions partitioned = set.partitionedOf(slot);
  auto blocks = uint32_t(set.partitions);
  for (uint32_t partition = 0; partition < blocks; ++partition)
    partitioned.ends[partition] = partition * PartitionedPositions::blockSize;
  uint64_t lacking[BitCandidates::mostRows];
  auto [first, last] = rowsOfSlot(all.sourceSize, all.slots, slot);
  uint64_t *chunks = set.chunksOf(slot);
  CandidateLists lists{
      set,   producer, chunks,   chunks + all.lists * all.chunkRows,
      first, last,     all.lists};
  LookUps lookUps;
  const PositionList none{nullptr, 0};
  PositionList list = lists.take();
  bool isAsked = lookUps.areDue(lists.chunks);
  if (isAsked)
    looked.ask(list);
  for (bool isEnd = lists.isEnd; !isEnd;) {
    PositionList next = lists.take();
    isEnd = lists.isEnd;
    bool asks = lookUps.areDue(lists.chunks);
    PositionList fresh = list;
    if (isAsked) {
      fresh = {lacking, lookUp(looked, list, asks ? next : none, lacking)};
      lookUps.add(list.count, fresh.count);
    } else if (asks) {
      looked.ask(next);
    }
    blocks = partitionPositions(set.form, partitioned, fresh.positions,
                                fresh.count, blocks);
    list = next;
    isAsked = asks;
  }
}

namespace {

/// Writes new positions, a few hundred at a time, after those of other tasks.
class PositionWriter {
public:
  PositionWriter(uint64_t *positions, int64_t *written)
      : positions(positions), written(written) {}

  static constexpr int64_t most = 512;

  /// Memory for a block; add() says how many positions it got.
  uint64_t *reserve() {
    if (count + PartitionedPositions::blockSize > most)
      flush();
    return kept + count;
  }
  void add(int64_t more) { count += more; }
  void flush() {
    int64_t at = __atomic_fetch_add(written, count, __ATOMIC_RELAXED);
    if (positions)
      std::copy(kept, kept + count, positions + at);
    count = 0;
  }

private:
  uint64_t *positions;
  int64_t *written;
  int64_t count = 0;
  uint64_t kept[most];
};

} // namespace

/// Sets the bits of a block of entries of a partition, which begins at `base`.
/// Candidates whose bits were not set go to `fresh`; gives how many.
ZENITH_INLINE int64_t markBlock(const TaggedPositions &form, uint64_t *bits,
                                uint64_t base, const uint32_t *entries,
                                int64_t count, uint64_t *fresh) {
  const unsigned tagBits = form.tagBits;
  for (int64_t i = 0; i < count; ++i)
    prefetchForStore(bits + (entries[i] >> tagBits) / 64);
  uint64_t *to = fresh;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t position = entries[i] >> tagBits;
    uint64_t &word = bits[position / 64];
    uint64_t before = word;
    word = before | uint64_t(1) << position % 64;
    *to = base + entries[i];
    to += ~(before >> position % 64) & 1;
  }
  return to - fresh;
}

ZENITH_TARGET_CLONES
static void markPartition(const TestAndSet &set, int64_t partition,
                          PositionWriter &writer) {
  constexpr uint32_t blockSize = PartitionedPositions::blockSize;
  uint64_t base = uint64_t(partition) << set.form.entryBits();
  uint64_t *bits =
      set.bits + (uint64_t(partition) << set.form.partitionBits) / 64;
  for (int64_t slot = 0; slot < set.candidates.slots; ++slot) {
    PartitionedPositions partitioned = set.partitionedOf(slot);
    uint32_t end = partitioned.ends[partition], block = uint32_t(partition);
    while (true) {
      const uint32_t *entries = partitioned.entries + size_t(block) * blockSize;
      bool isLast = block == end / blockSize;
      int64_t count =
          isLast ? end % blockSize : entries[PartitionedPositions::count];
      writer.add(
          markBlock(set.form, bits, base, entries, count, writer.reserve()));
      if (isLast)
        break;
      block = entries[PartitionedPositions::next];
    }
  }
}

void zenith_routine_test_and_set_copy(
    const zenith_test_and_set_arguments *arguments, int64_t begin,
    int64_t end) {
  const zenith_test_and_set_arguments &given = checked(arguments);
  TestAndSet set(given);
  const uint64_t *known = given.known;
  if (begin == end)
    return;
  if (begin == 0)
    *set.written = 0;
  const BitCandidates &all = set.candidates;
  int64_t first = rowsOfSlot(all.words, all.slots, begin).first,
          last = rowsOfSlot(all.words, all.slots, end - 1).second;
  if (known != set.bits)
    std::copy(known + first, known + last, set.bits + first);
}

void zenith_routine_test_and_set_partition(
    const zenith_test_and_set_arguments *arguments, int64_t begin,
    int64_t end) {
  const zenith_test_and_set_arguments &given = checked(arguments);
  TestAndSet set(given);
  ChunkProducer producer(given.producer);
  for (int64_t slot = begin; slot < end; ++slot)
    partitionRows(set, producer, slot);
}

void zenith_routine_test_and_set_set(
    const zenith_test_and_set_arguments *arguments, int64_t begin,
    int64_t end) {
  const zenith_test_and_set_arguments &given = checked(arguments);
  TestAndSet set(given);
  PositionWriter writer(given.positions, set.written);
  for (int64_t partition = begin; partition < end; ++partition)
    markPartition(set, partition, writer);
  writer.flush();
}

void zenith_routine_test_and_set_end(
    const zenith_test_and_set_arguments *arguments, int64_t begin,
    int64_t end) {
  const zenith_test_and_set_arguments &given = checked(arguments);
  TestAndSet set(given);
  if (begin < end && given.found)
    *given.found = *set.written;
}
