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
        dealt(reinterpret_cast<uint32_t *>(chunks + candidates.chunkWords())),
        bits(args.pointer<uint64_t>()) {
    if (!bits)
      bits =
          chunks + candidates.chunkWords() + candidates.slots * slotNumbers / 2;
    uint64_t lastWord = uint64_t(std::max<int64_t>(candidates.words, 1)) - 1;
    while (lastWord >> (partBits - 6) >= uint64_t(parts))
      ++partBits;
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
  uint64_t *chunk = all.chunkOf(set.chunks, slot);
  uint64_t lacking[BitCandidates::mostRows];
  auto [first, last] = rowsOfSlot(all.sourceSize, all.slots, slot);
  for (int64_t row = first; row < last; row += all.chunkRows) {
    int64_t rows = std::min(all.chunkRows, last - row);
    producer.run(row, row + rows, chunk);
    for (int64_t list = 0; list < all.lists; ++list) {
      int64_t count =
          looked.lookUp(chunk + list * all.chunkRows, rows, lacking);
      for (int64_t i = 0; i < count; ++i) {
        uint64_t part = lacking[i] >> partBits;
        uint32_t at = ends[part];
        numbers[at++] = uint32_t(lacking[i] - (part << partBits));
        if (at % DealtPositions::blockSize == DealtPositions::last) {
          numbers[at] = blocks;
          at = DealtPositions::blockSize * blocks++;
        }
        ends[part] = at;
      }
    }
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
