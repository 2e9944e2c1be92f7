// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bitsets: positions of the set bits, and new bits among candidates.

#include "runtime/RoutineScratch.h"
#include "runtime/routines/BitCandidates.h"
#include "runtime/routines/ChunkProducer.h"
#include "runtime/routines/Routines.h"

#include <algorithm>

using namespace zenith::runtime;

ZENITH_TARGET_CLONES
static int64_t countBits(const uint64_t *words, int64_t count) {
  int64_t bits = 0;
  for (int64_t i = 0; i < count; ++i)
    bits += __builtin_popcountll(words[i]);
  return bits;
}

void zenith_routine_bit_positions(
    const zenith_bit_positions_arguments *arguments, int64_t begin,
    int64_t end) {
  const zenith_bit_positions_arguments &given = checked(arguments);
  const int64_t words = given.words, slots = given.slots;
  const uint64_t *bits = given.bits;
  uint64_t *result = given.result;
  if (begin == end)
    return;
  auto [first, last] = rowsOfSlot(words, slots, begin);
  int64_t at = countBits(bits, first);
  last = rowsOfSlot(words, slots, end - 1).second;
  for (int64_t word = first; word < last; ++word)
    for (uint64_t rest = bits[word]; rest; rest &= rest - 1, ++at)
      if (result)
        result[at] = uint64_t(word * 64 + __builtin_ctzll(rest));
  if (end == slots)
    *given.found = at;
}

/// Sets bits that several threads set in the same words.
ZENITH_TARGET_CLONES
static void setBits(const BitSet &looked, uint64_t *bits, PositionList list) {
  uint64_t lacking[BitCandidates::mostRows];
  list = looked.inside(list);
  looked.ask(list);
  int64_t found = looked.lookUp(list, PositionList{nullptr, 0}, lacking);
  // Only these may wait for other threads.
  for (int64_t i = 0; i < found; ++i)
    __atomic_fetch_or(bits + lacking[i] / 64, uint64_t(1) << lacking[i] % 64,
                      __ATOMIC_RELAXED);
}

namespace {

/// One slot at work: candidates come in chunks.
class BitSetter {
public:
  BitSetter(const BitCandidates &all, const ChunkProducer &producer,
            const BitSet &looked, uint64_t *bits, uint64_t *chunk)
      : all(all), producer(producer), looked(looked), bits(bits),
        positions(chunk), candidates(chunk + all.chunkRows) {}

  /// Candidates of the positions of the source's bits.
  void setFromBits(const uint64_t *source, int64_t slot) {
    int64_t count = 0;
    // Slots take turns, so that each gets its share of dense regions.
    constexpr int64_t turn = 64;
    for (int64_t first = slot * turn; first < all.sourceSize;
         first += all.slots * turn)
      for (int64_t word = first; word < std::min(first + turn, all.sourceSize);
           ++word) {
        uint64_t rest = source[word];
        if (rest && count + 64 > all.chunkRows) {
          setChunk(0, count);
          count = 0;
        }
        for (; rest; rest &= rest - 1)
          positions[count++] = uint64_t(word * 64 + __builtin_ctzll(rest));
      }
    setChunk(0, count);
  }

  /// Candidates of the slot's rows.
  void setFromRows(int64_t slot) {
    auto [first, last] = rowsOfSlot(all.sourceSize, all.slots, slot);
    for (int64_t row = first; row < last; row += all.chunkRows)
      setChunk(row, std::min(row + all.chunkRows, last));
  }

private:
  void setChunk(int64_t begin, int64_t end) {
    if (begin == end)
      return;
    producer.run(begin, end, candidates, positions);
    for (int64_t list = 0; list < all.lists; ++list)
      setBits(looked, bits, {candidates + list * all.chunkRows, end - begin});
  }

  const BitCandidates &all;
  const ChunkProducer &producer;
  const BitSet &looked;
  uint64_t *bits, *positions, *candidates;
};

/// What the steps of bitset_difference share.
struct BitsetDifference {
  explicit BitsetDifference(const zenith_bitset_difference_arguments &given)
      : candidates(given), blocks(given.blocks) {
    const auto layout = bitsetDifferenceScratch<int64_t>(
        candidates.slots, blocks, candidates.words, candidates.lists,
        candidates.chunkRows, /*holdsBits=*/!given.bits);
    ScratchReader scratch(given.scratch, layout);
    chunks = scratch.take<uint64_t>();
    counts = scratch.take<int64_t>();
    auto *ownBits = scratch.take<uint64_t>();
    bits = given.bits ? given.bits : ownBits;
  }
  BitCandidates candidates;
  int64_t blocks; ///< of words that are cleared and counted as one task
  uint64_t *chunks, *bits;
  int64_t *counts; ///< by block
};

} // namespace

void zenith_routine_bitset_difference_clear(
    const zenith_bitset_difference_arguments *arguments, int64_t begin,
    int64_t end) {
  const zenith_bitset_difference_arguments &given = checked(arguments);
  BitsetDifference set(given);
  if (begin == end)
    return;
  int64_t words = set.candidates.words,
          first = rowsOfSlot(words, set.blocks, begin).first,
          last = rowsOfSlot(words, set.blocks, end - 1).second;
  std::fill(set.bits + first, set.bits + last, 0);
}

void zenith_routine_bitset_difference_set(
    const zenith_bitset_difference_arguments *arguments, int64_t begin,
    int64_t end) {
  const zenith_bitset_difference_arguments &given = checked(arguments);
  BitsetDifference set(given);
  ChunkProducer producer(given.producer);
  BitSet looked{given.known, uint64_t(set.candidates.words)};
  for (int64_t slot = begin; slot < end; ++slot) {
    BitSetter setter(set.candidates, producer, looked, set.bits,
                     set.candidates.chunkOf(set.chunks, slot));
    if (producer.reads())
      setter.setFromBits(given.source, slot);
    else
      setter.setFromRows(slot);
  }
}

void zenith_routine_bitset_difference_count(
    const zenith_bitset_difference_arguments *arguments, int64_t begin,
    int64_t end) {
  const zenith_bitset_difference_arguments &given = checked(arguments);
  BitsetDifference set(given);
  for (int64_t block = begin; block < end; ++block) {
    auto [first, last] = rowsOfSlot(set.candidates.words, set.blocks, block);
    set.counts[block] = countBits(set.bits + first, last - first);
  }
}

void zenith_routine_bitset_difference_sum(
    const zenith_bitset_difference_arguments *arguments, int64_t begin,
    int64_t end) {
  const zenith_bitset_difference_arguments &given = checked(arguments);
  BitsetDifference set(given);
  if (begin == end || !given.count)
    return;
  int64_t total = 0;
  for (int64_t block = 0; block < set.blocks; ++block)
    total += set.counts[block];
  *given.count = total;
}
