// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets as bits: positions of the members, and new members among candidates.

#include "runtime/ChunkProducer.h"
#include "runtime/ProcessorClones.h"
#include "runtime/RoutineArguments.h"
#include "runtime/Routines.h"

#include <algorithm>

using namespace zenith::runtime;

ZENITH_PROCESSOR_CLONES
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

/// Candidates that a producer computes, and memory for a chunk of each slot.
struct Candidates {
  Candidates(RoutineArguments &args)
      : words(args.number()), sourceSize(args.number()), lists(args.number()),
        slots(args.number()), chunkRows(args.number()) {}

  /// The memory: positions, then candidates by list.
  uint64_t *chunkOf(uint64_t *chunks, int64_t slot) const {
    return chunks + slot * chunkRows * (lists + 1);
  }
  int64_t chunkWords() const { return slots * chunkRows * (lists + 1); }

  int64_t words;      ///< of the set of bits
  int64_t sourceSize; ///< words of bits, or rows of candidates
  int64_t lists, slots, chunkRows;
};

/// Sets bits that several threads set in the same words.
struct SharedBits {
  const uint64_t *known; ///< bits that stay as they are, or null
  uint64_t *bits;
  uint64_t words;
};

} // namespace

/// Sets the bits of candidates; `fresh` gets those that were not set, unless it
/// is null, and has room for all. How many these are.
ZENITH_INLINE int64_t setBits(const SharedBits &set, const uint64_t *positions,
                              int64_t count, uint64_t *fresh) {
  constexpr int64_t most = 256;
  const uint64_t *const looked = set.known ? set.known : set.bits;
  uint64_t inside[most], lacking[most];
  int64_t found = 0;
  for (int64_t first = 0; first < count; first += most) {
    const uint64_t *from = positions + first;
    int64_t here = std::min(most, count - first);
    uint64_t last = 0;
    for (int64_t i = 0; i < here; ++i)
      last = std::max(last, from[i]);
    // Seldom are there positions behind the last word.
    if (__builtin_expect(last / 64 >= set.words, 0)) {
      int64_t kept = 0;
      for (int64_t i = 0; i < here; ++i)
        if (from[i] / 64 < set.words)
          inside[kept++] = from[i];
      from = inside;
      here = kept;
    }
    for (int64_t i = 0; i < here; ++i)
      __builtin_prefetch(looked + from[i] / 64);
    // Whether a bit is set is no branch: nobody can foretell it.
    uint64_t *to = lacking;
    for (int64_t i = 0; i < here; ++i) {
      uint64_t word = __atomic_load_n(looked + from[i] / 64, __ATOMIC_RELAXED);
      *to = from[i];
      to += ~(word >> from[i] % 64) & 1;
    }
    // Only these wait for other threads.
    for (const uint64_t *at = lacking; at < to; ++at) {
      uint64_t bit = uint64_t(1) << *at % 64;
      bool isFresh = !(
          __atomic_fetch_or(set.bits + *at / 64, bit, __ATOMIC_RELAXED) & bit);
      if (fresh)
        fresh[found] = *at;
      found += isFresh;
    }
  }
  return found;
}

ZENITH_PROCESSOR_CLONES
static void setAll(const SharedBits &set, const uint64_t *positions,
                   int64_t count) {
  setBits(set, positions, count, nullptr);
}

/// Lists those that were not set; how many.
ZENITH_PROCESSOR_CLONES
static int64_t listFresh(const SharedBits &set, const uint64_t *positions,
                         int64_t count, uint64_t *fresh) {
  return setBits(set, positions, count, fresh);
}

namespace {

/// One slot at work: candidates come in chunks.
class BitSetter {
public:
  BitSetter(const Candidates &all, const ChunkProducer &producer,
            const SharedBits &set, uint64_t *chunk)
      : all(all), producer(producer), set(set), positions(chunk),
        candidates(chunk + all.chunkRows) {}

  /// Candidates of the positions of the source's bits.
  void setFromBits(const uint64_t *source, int64_t slot) {
    int64_t count = 0;
    // Slots take turns, so that each gets its share of crowded parts.
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

  /// Those of the slot's rows whose bits were not set go to `to`, in no
  /// particular order; `written` counts what all slots wrote.
  void listFromRows(int64_t slot, uint64_t *to, int64_t *written) {
    auto [first, last] = rowsOfSlot(all.sourceSize, all.slots, slot);
    for (int64_t row = first; row < last; row += all.chunkRows) {
      int64_t rows = std::min(all.chunkRows, last - row);
      producer.run(row, row + rows, candidates);
      for (int64_t list = 0; list < all.lists; ++list) {
        int64_t count =
            listFresh(set, candidates + list * all.chunkRows, rows, positions);
        int64_t at = __atomic_fetch_add(written, count, __ATOMIC_RELAXED);
        if (to)
          std::copy(positions, positions + count, to + at);
      }
    }
  }

private:
  void setChunk(int64_t begin, int64_t end) {
    if (begin == end)
      return;
    producer.run(begin, end, candidates, positions);
    for (int64_t list = 0; list < all.lists; ++list)
      setAll(set, candidates + list * all.chunkRows, end - begin);
  }

  const Candidates &all;
  const ChunkProducer &producer;
  const SharedBits &set;
  uint64_t *positions, *candidates;
};

/// What the steps of fresh_bits share.
struct FreshBits {
  FreshBits(RoutineArguments &args) : candidates(args), pieces(args.number()) {
    chunks = args.pointer<uint64_t>();
    counts = reinterpret_cast<int64_t *>(chunks + candidates.chunkWords());
    bits = args.pointer<uint64_t>();
    if (!bits)
      bits = reinterpret_cast<uint64_t *>(counts + pieces);
  }
  Candidates candidates;
  int64_t pieces;
  uint64_t *chunks, *bits;
  int64_t *counts; ///< by piece
};

} // namespace

void zenith_routine_fresh_bits_clear(void *const *pointers,
                                     const int64_t *numbers, int64_t begin,
                                     int64_t end) {
  RoutineArguments args(pointers, numbers);
  FreshBits set(args);
  if (begin == end)
    return;
  int64_t words = set.candidates.words,
          first = rowsOfSlot(words, set.pieces, begin).first,
          last = rowsOfSlot(words, set.pieces, end - 1).second;
  std::fill(set.bits + first, set.bits + last, 0);
}

void zenith_routine_fresh_bits_set(void *const *pointers,
                                   const int64_t *numbers, int64_t begin,
                                   int64_t end) {
  RoutineArguments args(pointers, numbers);
  FreshBits set(args);
  auto *known = args.pointer<const uint64_t>();
  auto *source = args.pointer<const uint64_t>();
  ChunkProducer producer(args);
  SharedBits bits{known, set.bits, uint64_t(set.candidates.words)};
  for (int64_t slot = begin; slot < end; ++slot) {
    BitSetter setter(set.candidates, producer, bits,
                     set.candidates.chunkOf(set.chunks, slot));
    if (producer.reads())
      setter.setFromBits(source, slot);
    else
      setter.setFromRows(slot);
  }
}

void zenith_routine_fresh_bits_count(void *const *pointers,
                                     const int64_t *numbers, int64_t begin,
                                     int64_t end) {
  RoutineArguments args(pointers, numbers);
  FreshBits set(args);
  for (int64_t piece = begin; piece < end; ++piece) {
    auto [first, last] = rowsOfSlot(set.candidates.words, set.pieces, piece);
    set.counts[piece] = countBits(set.bits + first, last - first);
  }
}

void zenith_routine_fresh_bits_sum(void *const *pointers,
                                   const int64_t *numbers, int64_t begin,
                                   int64_t end) {
  RoutineArguments args(pointers, numbers);
  FreshBits set(args);
  auto *result = args.pointer<int64_t>();
  if (begin == end || !result)
    return;
  int64_t total = 0;
  for (int64_t piece = 0; piece < set.pieces; ++piece)
    total += set.counts[piece];
  *result = total;
}

namespace {

/// What the steps of mark_bits share.
struct MarkBits {
  MarkBits(RoutineArguments &args)
      : candidates(args), written(args.pointer<int64_t>()),
        chunks(reinterpret_cast<uint64_t *>(written + 8)),
        bits(args.pointer<uint64_t>()) {
    if (!bits)
      bits = chunks + candidates.chunkWords();
  }
  Candidates candidates;
  int64_t *written; ///< positions so far, in a line of its own
  uint64_t *chunks, *bits;
};

} // namespace

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
  const Candidates &all = set.candidates;
  int64_t first = rowsOfSlot(all.words, all.slots, begin).first,
          last = rowsOfSlot(all.words, all.slots, end - 1).second;
  if (known != set.bits)
    std::copy(known + first, known + last, set.bits + first);
}

void zenith_routine_mark_bits_set(void *const *pointers, const int64_t *numbers,
                                  int64_t begin, int64_t end) {
  RoutineArguments args(pointers, numbers);
  MarkBits set(args);
  auto *positions = args.pointer<uint64_t>();
  ChunkProducer producer(args);
  SharedBits bits{nullptr, set.bits, uint64_t(set.candidates.words)};
  for (int64_t slot = begin; slot < end; ++slot)
    BitSetter(set.candidates, producer, bits,
              set.candidates.chunkOf(set.chunks, slot))
        .listFromRows(slot, positions, set.written);
}

void zenith_routine_mark_bits_end(void *const *pointers, const int64_t *numbers,
                                  int64_t begin, int64_t end) {
  RoutineArguments args(pointers, numbers);
  MarkBits set(args);
  auto *found = args.pointer<int64_t>();
  if (begin < end && found)
    *found = *set.written;
}
