// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mark_bits: candidates whose bits are not set are dealt to parts of the set,
// each of which one task marks. So no thread waits for another's words, a part
// stays in a cache, and new positions come part by part: the next candidates
// that are made of them lie near each other too.

#include "runtime/BitCandidates.h"
#include "runtime/ChunkProducer.h"
#include "runtime/Routines.h"
#include "runtime/StreamingStores.h"

using namespace zenith::runtime;

namespace {

/// Memory of one slot: blocks of positions, a chain of them for each part. The
/// last number of a full block is the next block.
struct DealtPositions {
  static constexpr uint32_t blockSize = 64, last = blockSize - 1;

  uint32_t *ends;    ///< by part: where its next position goes in `numbers`
  uint32_t *numbers; ///< blocks; the chain of part p begins with block p
};

/// What the steps of mark_bits share.
struct MarkBits {
  explicit MarkBits(RoutineArguments &args)
      : candidates(args), parts(args.number()), slotNumbers(args.number()),
        written(args.pointer<int64_t>()),
        chunks(reinterpret_cast<uint64_t *>(written + 8)),
        dealt(reinterpret_cast<uint32_t *>(chunksOf(candidates.slots))),
        bits(args.pointer<uint64_t>()) {
    if (!bits)
      bits = chunksOf(candidates.slots) + candidates.slots * slotNumbers / 2;
    uint64_t lastWord = uint64_t(std::max<int64_t>(candidates.words, 1)) - 1;
    while (lastWord >> (partBits - 6) >= uint64_t(parts))
      ++partBits;
  }
  /// Two chunks of a slot's candidates.
  uint64_t *chunksOf(int64_t slot) const {
    return chunks + 2 * slot * candidates.lists * candidates.chunkRows;
  }
  DealtPositions dealtOf(int64_t slot) const {
    uint32_t *own = dealt + slot * slotNumbers;
    return {own, own + (parts + 1) / 2 * 2};
  }

  BitCandidates candidates;
  int64_t parts;
  int64_t slotNumbers; ///< memory of a slot for positions: even
  int64_t *written;    ///< positions so far, in a line of its own
  uint64_t *chunks;
  uint32_t *dealt;
  uint64_t *bits;
  unsigned partBits = 6; ///< a part has 2^partBits positions: at most 2^32
};

} // namespace

namespace {

/// Lists of candidates, those of one chunk after the other.
struct CandidateLists {
  /// An empty one behind the last.
  ZENITH_METHOD PositionList take() {
    if (list == all.lists) {
      list = 0;
      // The last list of the chunk before is still in use.
      std::swap(chunk, other);
      rows = std::min(all.chunkRows, end - next);
      if (rows > 0)
        producer.run(next, next + rows, chunk);
      next += rows;
    }
    return {chunk + list++ * all.chunkRows, rows};
  }

  const BitCandidates &all;
  const ChunkProducer &producer;
  uint64_t *chunk, *other;
  int64_t next, end; ///< rows of the slot
  int64_t list = all.lists, rows = 0;
};

} // namespace

/// Deals those of the rows whose bits are not set.
ZENITH_PROCESSOR_CLONES
static void dealRows(const MarkBits &set, const ChunkProducer &producer,
                     int64_t slot) {
  const BitCandidates &all = set.candidates;
  const BitSet looked{set.bits, uint64_t(all.words)};
  const unsigned partBits = set.partBits;
  const DealtPositions dealt = set.dealtOf(slot);
  uint32_t *ends = dealt.ends, *numbers = dealt.numbers;
  uint32_t blocks = uint32_t(set.parts);
  for (uint32_t part = 0; part < blocks; ++part)
    ends[part] = part * DealtPositions::blockSize;
  uint64_t lacking[BitCandidates::mostRows];
  auto [first, last] = rowsOfSlot(all.sourceSize, all.slots, slot);
  uint64_t *chunks = set.chunksOf(slot);
  CandidateLists lists{
      all, producer, chunks, chunks + all.lists * all.chunkRows, first, last};
  PositionList list = lists.take();
  bool isEnd = list.count == 0;
  list = looked.inside(list);
  looked.ask(list);
  while (!isEnd) {
    PositionList next = lists.take();
    isEnd = next.count == 0;
    next = looked.inside(next);
    int64_t count = looked.lookUp(list, next, lacking);
    // Often many of a list are of one part.
    for (int64_t i = 0; i < count;) {
      const uint64_t part = lacking[i] >> partBits;
      uint32_t at = ends[part];
      do {
        numbers[at++] = uint32_t(lacking[i] - (part << partBits));
        if (at % DealtPositions::blockSize == DealtPositions::last) {
          numbers[at] = blocks;
          at = DealtPositions::blockSize * blocks++;
        }
      } while (++i < count && lacking[i] >> partBits == part);
      ends[part] = at;
    }
    list = next;
  }
}

namespace {

/// Writes new positions, a few hundred at a time, behind those of other tasks.
class PositionWriter {
public:
  PositionWriter(uint64_t *positions, int64_t *written)
      : positions(positions), written(written) {}

  static constexpr int64_t most = 512;

  /// Room for a block; add() says how many there are.
  uint64_t *room() {
    if (count + DealtPositions::blockSize > most)
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

/// Sets the bits of a block of positions of a part; those that were not set go
/// to `fresh`. How many.
ZENITH_INLINE int64_t markBlock(uint64_t *bits, uint64_t base,
                                const uint32_t *numbers, int64_t count,
                                uint64_t *fresh) {
  for (int64_t i = 0; i < count; ++i)
    askForStore(bits + numbers[i] / 64);
  uint64_t *to = fresh;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t &word = bits[numbers[i] / 64];
    uint64_t before = word;
    word = before | uint64_t(1) << numbers[i] % 64;
    *to = base + numbers[i];
    to += ~(before >> numbers[i] % 64) & 1;
  }
  return to - fresh;
}

ZENITH_PROCESSOR_CLONES
static void markPart(const MarkBits &set, int64_t part,
                     PositionWriter &writer) {
  constexpr uint32_t blockSize = DealtPositions::blockSize;
  uint64_t base = uint64_t(part) << set.partBits;
  for (int64_t slot = 0; slot < set.candidates.slots; ++slot) {
    DealtPositions dealt = set.dealtOf(slot);
    uint32_t end = dealt.ends[part], block = uint32_t(part);
    while (true) {
      const uint32_t *numbers = dealt.numbers + size_t(block) * blockSize;
      bool isLast = block == end / blockSize;
      int64_t count = isLast ? end % blockSize : DealtPositions::last;
      writer.add(
          markBlock(set.bits + base / 64, base, numbers, count, writer.room()));
      if (isLast)
        break;
      block = numbers[DealtPositions::last];
    }
  }
}

void zenith_routine_mark_bits_copy(void *const *pointers,
                                   const int64_t *numbers, int64_t begin,
                                   int64_t end) {
  RoutineArguments args(pointers, numbers);
  MarkBits set(args);
  auto *known = args.pointer<const uint64_t>();
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

void zenith_routine_mark_bits_deal(void *const *pointers,
                                   const int64_t *numbers, int64_t begin,
                                   int64_t end) {
  RoutineArguments args(pointers, numbers);
  MarkBits set(args);
  ChunkProducer producer(args);
  for (int64_t slot = begin; slot < end; ++slot)
    dealRows(set, producer, slot);
}

void zenith_routine_mark_bits_set(void *const *pointers, const int64_t *numbers,
                                  int64_t begin, int64_t end) {
  RoutineArguments args(pointers, numbers);
  MarkBits set(args);
  PositionWriter writer(args.pointer<uint64_t>(), set.written);
  for (int64_t part = begin; part < end; ++part)
    markPart(set, part, writer);
  writer.flush();
}

void zenith_routine_mark_bits_end(void *const *pointers, const int64_t *numbers,
                                  int64_t begin, int64_t end) {
  RoutineArguments args(pointers, numbers);
  MarkBits set(args);
  auto *found = args.pointer<int64_t>();
  if (begin < end && found)
    *found = *set.written;
}
