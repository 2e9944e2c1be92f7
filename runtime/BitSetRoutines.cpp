// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets as bits: positions of the members, and new members among candidates.

#include "runtime/ChunkProducer.h"
#include "runtime/RoutineArguments.h"
#include "runtime/Routines.h"

#include <algorithm>

using namespace zenith::runtime;

static int64_t countBits(const uint64_t *words, int64_t count) {
  int64_t bits = 0;
  for (int64_t i = 0; i < count; ++i)
    bits += __builtin_popcountll(words[i]);
  return bits;
}

void zenith_routine_bit_positions(void *const *pointers, const int64_t *numbers,
                                  int64_t begin, int64_t end) {
  RoutineArguments args(pointers, numbers);
  int64_t words = args.number(), slots = args.number();
  auto *bits = args.pointer<const uint64_t>();
  auto *found = args.pointer<int64_t>();
  auto *result = args.pointer<uint64_t>();
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
    *found = at;
}

namespace {

/// Numbers of both steps and the buffers of the slots.
struct FreshBits {
  FreshBits(RoutineArguments &args)
      : words(args.number()), sourceSize(args.number()), lists(args.number()),
        slots(args.number()), chunkRows(args.number()), pieces(args.number()) {
    auto *next = args.pointer<uint64_t>();
    bits = next;
    chunks = next + slots * words;
  }
  int64_t words;
  int64_t sourceSize; ///< words of bits, or rows of candidates
  int64_t lists, slots, chunkRows, pieces;
  uint64_t *bits;   ///< one set per slot
  uint64_t *chunks; ///< positions and candidates of each slot
};

} // namespace

/// Sets the bits of `count` candidates; further ones are asked of memory ahead.
static void setBits(uint64_t *bits, uint64_t words, const uint64_t *positions,
                    int64_t count) {
  constexpr int64_t ahead = 24;
  for (int64_t i = 0; i < count; ++i) {
    if (i + ahead < count)
      __builtin_prefetch(bits + std::min(positions[i + ahead] / 64, words), 1);
    uint64_t word = positions[i] / 64;
    if (word < words)
      bits[word] |= uint64_t(1) << positions[i] % 64;
  }
}

namespace {

/// One slot at work: candidates come in chunks.
class BitSetter {
public:
  BitSetter(const FreshBits &set, const ChunkProducer &producer, int64_t slot)
      : set(set), producer(producer), slot(slot),
        bits(set.bits + slot * set.words),
        positions(set.chunks + slot * set.chunkRows * (set.lists + 1)),
        candidates(positions + set.chunkRows) {
    std::fill(bits, bits + set.words, 0);
  }

  /// Candidates of the positions of the source's bits.
  void setFromBits(const uint64_t *source) {
    int64_t count = 0;
    // Slots take turns, so that each gets its share of crowded parts.
    constexpr int64_t turn = 64;
    for (int64_t first = slot * turn; first < set.sourceSize;
         first += set.slots * turn)
      for (int64_t word = first; word < std::min(first + turn, set.sourceSize);
           ++word) {
        uint64_t rest = source[word];
        if (rest && count + 64 > set.chunkRows) {
          setChunk(0, count);
          count = 0;
        }
        for (; rest; rest &= rest - 1)
          positions[count++] = uint64_t(word * 64 + __builtin_ctzll(rest));
      }
    setChunk(0, count);
  }

  /// Candidates of the slot's rows.
  void setFromRows() {
    auto [first, last] = rowsOfSlot(set.sourceSize, set.slots, slot);
    for (int64_t row = first; row < last; row += set.chunkRows)
      setChunk(row, std::min(row + set.chunkRows, last));
  }

private:
  void setChunk(int64_t begin, int64_t end) {
    if (begin == end)
      return;
    producer.run(begin, end, candidates, positions);
    for (int64_t list = 0; list < set.lists; ++list)
      setBits(bits, uint64_t(set.words), candidates + list * set.chunkRows,
              end - begin);
  }

  const FreshBits &set;
  const ChunkProducer &producer;
  int64_t slot;
  uint64_t *bits, *positions, *candidates;
};

} // namespace

void zenith_routine_fresh_bits_set(void *const *pointers,
                                   const int64_t *numbers, int64_t begin,
                                   int64_t end) {
  RoutineArguments args(pointers, numbers);
  FreshBits set(args);
  auto *source = args.pointer<const uint64_t>();
  ChunkProducer producer(args);
  for (int64_t slot = begin; slot < end; ++slot) {
    BitSetter setter(set, producer, slot);
    if (producer.reads())
      setter.setFromBits(source);
    else
      setter.setFromRows();
  }
}

void zenith_routine_fresh_bits_join(void *const *pointers,
                                    const int64_t *numbers, int64_t begin,
                                    int64_t end) {
  RoutineArguments args(pointers, numbers);
  FreshBits set(args);
  auto *counts = reinterpret_cast<int64_t *>(
      set.chunks + set.slots * set.chunkRows * (set.lists + 1));
  auto *known = args.pointer<const uint64_t>();
  auto *result = args.pointer<uint64_t>();
  for (int64_t piece = begin; piece < end; ++piece) {
    auto [first, last] = rowsOfSlot(set.words, set.pieces, piece);
    int64_t found = 0;
    for (int64_t word = first; word < last; ++word) {
      uint64_t joined = 0;
      for (int64_t slot = 0; slot < set.slots; ++slot)
        joined |= set.bits[slot * set.words + word];
      joined &= ~known[word];
      found += __builtin_popcountll(joined);
      if (result)
        result[word] = joined;
    }
    counts[piece] = found;
  }
}

void zenith_routine_fresh_bits_count(void *const *pointers,
                                     const int64_t *numbers, int64_t begin,
                                     int64_t end) {
  RoutineArguments args(pointers, numbers);
  FreshBits set(args);
  auto *counts = reinterpret_cast<const int64_t *>(
      set.chunks + set.slots * set.chunkRows * (set.lists + 1));
  auto *result = args.pointer<int64_t>();
  if (begin == end || !result)
    return;
  int64_t total = 0;
  for (int64_t piece = 0; piece < set.pieces; ++piece)
    total += counts[piece];
  *result = total;
}
