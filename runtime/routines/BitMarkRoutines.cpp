// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// test_and_set: candidates whose bits are not set are dealt to parts of the set,
// each of which one task marks. So no thread waits for another's words, a part
// stays in a cache, and new positions come part by part: the next candidates
// that are made of them lie near each other too.

#include "runtime/StreamingStores.h"
#include "runtime/routines/BitCandidates.h"
#include "runtime/routines/ChunkProducer.h"
#include "runtime/routines/HashPartition.h"
#include "runtime/routines/Routines.h"

using namespace zenith::runtime;

namespace {

/// What the steps of test_and_set share.
struct MarkBits {
  explicit MarkBits(RoutineArguments &args)
      : candidates(args), parts(args.number()), slotNumbers(args.number()),
        form{uint64_t(candidates.words), unsigned(args.number()), 6},
        written(args.pointer<int64_t>()),
        chunks(reinterpret_cast<uint64_t *>(written + 8)),
        dealt(reinterpret_cast<uint32_t *>(chunksOf(candidates.slots))),
        bits(args.pointer<uint64_t>()) {
    if (!bits)
      bits = chunksOf(candidates.slots) + candidates.slots * slotNumbers / 2;
    uint64_t lastWord = uint64_t(std::max<int64_t>(candidates.words, 1)) - 1;
    while (lastWord >> (form.partBits - 6) >= uint64_t(parts))
      ++form.partBits;
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
  TaggedPositions form;
  int64_t *written; ///< positions so far, in a line of its own
  uint64_t *chunks;
  uint32_t *dealt;
  uint64_t *bits;
};

/// Lists of candidates, those of one chunk after the other.
struct CandidateLists {
  /// An empty one behind the last.
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

  const MarkBits &set;
  const ChunkProducer &producer;
  uint64_t *chunk, *other;
  int64_t next, end; ///< rows of the slot
  int64_t list, rows = 0, chunks = 0;
  bool isEnd = false;
};

/// Which candidates are looked up before they are dealt. That saves dealing and
/// marking those that are known, which take twice as long as looking up: it
/// pays where half of them are. Some of each slot tell.
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

/// Those whose bits are not set, while the next list's are asked for.
ZENITH_PROCESSOR_CLONES
static int64_t lookUp(const BitSet &set, PositionList list, PositionList next,
                      uint64_t *lacking) {
  return set.lookUp(list, next, lacking);
}

/// Deals those of the rows whose bits are not set, and perhaps others.
static void dealRows(const MarkBits &set, const ChunkProducer &producer,
                     int64_t slot) {
  const BitCandidates &all = set.candidates;
  const BitSet looked{set.bits, uint64_t(all.words), set.form.tagBits};
  const DealtPositions dealt = set.dealtOf(slot);
  auto blocks = uint32_t(set.parts);
  for (uint32_t part = 0; part < blocks; ++part)
    dealt.ends[part] = part * DealtPositions::blockSize;
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
    blocks =
        dealPositions(set.form, dealt, fresh.positions, fresh.count, blocks);
    list = next;
    isAsked = asks;
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

/// Sets the bits of a block of numbers of a part, which begins at `base`; those
/// that were not set go to `fresh`. How many.
ZENITH_INLINE int64_t markBlock(const TaggedPositions &form, uint64_t *bits,
                                uint64_t base, const uint32_t *numbers,
                                int64_t count, uint64_t *fresh) {
  const unsigned tagBits = form.tagBits;
  for (int64_t i = 0; i < count; ++i)
    askForStore(bits + (numbers[i] >> tagBits) / 64);
  uint64_t *to = fresh;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t position = numbers[i] >> tagBits;
    uint64_t &word = bits[position / 64];
    uint64_t before = word;
    word = before | uint64_t(1) << position % 64;
    *to = base + numbers[i];
    to += ~(before >> position % 64) & 1;
  }
  return to - fresh;
}

ZENITH_PROCESSOR_CLONES
static void markPart(const MarkBits &set, int64_t part,
                     PositionWriter &writer) {
  constexpr uint32_t blockSize = DealtPositions::blockSize;
  uint64_t base = uint64_t(part) << set.form.numberBits();
  uint64_t *bits = set.bits + (uint64_t(part) << set.form.partBits) / 64;
  for (int64_t slot = 0; slot < set.candidates.slots; ++slot) {
    DealtPositions dealt = set.dealtOf(slot);
    uint32_t end = dealt.ends[part], block = uint32_t(part);
    while (true) {
      const uint32_t *numbers = dealt.numbers + size_t(block) * blockSize;
      bool isLast = block == end / blockSize;
      int64_t count = isLast ? end % blockSize : numbers[DealtPositions::count];
      writer.add(
          markBlock(set.form, bits, base, numbers, count, writer.room()));
      if (isLast)
        break;
      block = numbers[DealtPositions::next];
    }
  }
}

void zenith_routine_test_and_set_copy(void *const *pointers,
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

void zenith_routine_test_and_set_deal(void *const *pointers,
                                   const int64_t *numbers, int64_t begin,
                                   int64_t end) {
  RoutineArguments args(pointers, numbers);
  MarkBits set(args);
  ChunkProducer producer(args);
  for (int64_t slot = begin; slot < end; ++slot)
    dealRows(set, producer, slot);
}

void zenith_routine_test_and_set_set(void *const *pointers, const int64_t *numbers,
                                  int64_t begin, int64_t end) {
  RoutineArguments args(pointers, numbers);
  MarkBits set(args);
  PositionWriter writer(args.pointer<uint64_t>(), set.written);
  for (int64_t part = begin; part < end; ++part)
    markPart(set, part, writer);
  writer.flush();
}

void zenith_routine_test_and_set_end(void *const *pointers, const int64_t *numbers,
                                  int64_t begin, int64_t end) {
  RoutineArguments args(pointers, numbers);
  MarkBits set(args);
  auto *found = args.pointer<int64_t>();
  if (begin < end && found)
    *found = *set.written;
}
