// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An index of positions by words of a set of bits, and numbers noted where
// their bits are set.

#include "runtime/RoutineScratch.h"
#include "runtime/TargetClones.h"
#include "runtime/routines/DigitSort.h"
#include "runtime/routines/Routines.h"
#include "runtime/routines/RowSlots.h"

#include <algorithm>

#if defined(__x86_64__) && defined(__linux__) && defined(__clang__)
#define ZENITH_WITH_ENTRY_COMPRESS
#include <immintrin.h>
#define ZENITH_ENTRY_BASELINE __attribute__((target("default")))
#define ZENITH_ENTRY_COMPRESS __attribute__((target("avx512vl,popcnt")))
#else
#define ZENITH_ENTRY_BASELINE
#endif

using namespace zenith::runtime;

/// Bits of `mask` below the lowest one of `bits`.
ZENITH_INLINE uint64_t bitsBelow(uint64_t mask, uint64_t bits) {
  return uint64_t(__builtin_popcountll(mask & ((bits & -bits) - 1)));
}

/// Set in the first place of an entry with a position that is listed twice.
static constexpr uint64_t repeatedBit = uint64_t(1) << 63;

/// An entry for each word.
ZENITH_TARGET_CLONES
static void indexByWord(const zenith_index_bits_arguments &given) {
  const auto words = uint64_t(given.words);
  uint64_t *masks = given.masks, *firsts = given.firsts;
  std::fill(masks, masks + words, 0);
  std::fill(firsts, firsts + words, 0);
  for (int64_t i = 0; i < given.count; ++i) {
    const uint64_t position = given.positions[i], word = position / 64,
                   bit = uint64_t(1) << position % 64;
    if (word >= words)
      continue;
    if (masks[word] & bit)
      firsts[word] = repeatedBit;
    masks[word] |= bit;
  }
  uint64_t before = 0;
  for (uint64_t word = 0; word < words; ++word) {
    given.entry_words[word] = word;
    firsts[word] |= before;
    before += uint64_t(__builtin_popcountll(masks[word]));
  }
  for (int64_t i = 0; i < given.count; ++i) {
    const uint64_t position = given.positions[i], word = position / 64;
    given.places[i] = given.count;
    if (word >= words)
      continue;
    const uint64_t place = (firsts[word] & ~repeatedBit) +
                           bitsBelow(masks[word], uint64_t(1) << position % 64);
    given.places[i] = int64_t(place);
    if (firsts[word] & repeatedBit)
      ++given.counts[place];
  }
}

/// An entry for each word that has positions, from the sorted list.
static void indexByPosition(const zenith_index_bits_arguments &given) {
  const auto layout = indexBitsScratch<int64_t>(given.entries);
  ScratchReader scratch(given.scratch, layout);
  auto *list = scratch.take<ListedPosition>();
  auto *other = scratch.take<ListedPosition>();
  const auto words = uint64_t(given.words);
  int64_t listed = 0;
  uint64_t most = 0;
  for (int64_t i = 0; i < given.count; ++i) {
    given.places[i] = given.count;
    if (uint64_t position = given.positions[i]; position / 64 < words) {
      list[listed++] = {position, i};
      most = std::max(most, position);
    }
  }
  unsigned bits = most > 0 ? 64 - unsigned(__builtin_clzll(most)) : 0;
  sortByDigits(list, other, listed, 0, bits,
               [](const ListedPosition &entry) { return entry.position; });
  int64_t entry = 0;
  uint64_t place = 0;
  for (int64_t first = 0, end; first < listed; first = end, ++entry) {
    const uint64_t word = list[first].position / 64, before = place;
    uint64_t mask = 0;
    for (end = first; end < listed && list[end].position / 64 == word; ++end) {
      place += mask != 0 && list[end].position != list[end - 1].position;
      mask |= uint64_t(1) << list[end].position % 64;
      given.places[list[end].place] = int64_t(place);
    }
    ++place;
    const bool repeats = uint64_t(end - first) != place - before;
    for (int64_t i = first; repeats && i < end; ++i)
      ++given.counts[given.places[list[i].place]];
    given.entry_words[entry] = word;
    given.masks[entry] = mask;
    given.firsts[entry] = before | (repeats ? repeatedBit : 0);
  }
  for (; entry < given.entries; ++entry) {
    given.entry_words[entry] = words;
    given.masks[entry] = 0;
    given.firsts[entry] = place;
  }
}

void zenith_routine_index_bits(const zenith_index_bits_arguments *arguments,
                               int64_t begin, int64_t end) {
  const zenith_index_bits_arguments &given = checked(arguments);
  if (begin == end)
    return;
  std::fill(given.counts, given.counts + given.count + 1, 0);
  if (given.entries == given.words)
    indexByWord(given);
  else
    indexByPosition(given);
}

/// Entries that are looked at together.
static constexpr int64_t notedEntries = 512;
/// Of them, those of one branch: most have no hits.
static constexpr int64_t branchEntries = 32;

#ifdef ZENITH_WITH_ENTRY_COMPRESS

/// The entries whose words and masks share a bit, written 8 at a time.
ZENITH_ENTRY_COMPRESS
static int64_t listHits(const uint64_t *words, const uint64_t *masks,
                        int64_t count, uint32_t *list) {
  constexpr int64_t lanes = 8;
  const __m256i eight = _mm256_set1_epi32(lanes);
  __m256i entries = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  uint32_t *to = list;
  for (int64_t first = 0; first < count; first += branchEntries) {
    __m512i both[branchEntries / lanes], any = _mm512_setzero_si512();
    for (int64_t i = 0; i < branchEntries / lanes; ++i) {
      int64_t left = std::clamp<int64_t>(count - first - i * lanes, 0, lanes);
      auto inside = __mmask8((1u << left) - 1);
      both[i] = _mm512_and_si512(
          _mm512_maskz_loadu_epi64(inside, words + first + i * lanes),
          _mm512_maskz_loadu_epi64(inside, masks + first + i * lanes));
      any = _mm512_or_si512(any, both[i]);
    }
    const bool hasHits = _mm512_test_epi64_mask(any, any) != 0;
    for (__m512i each : both) {
      if (hasHits) {
        __mmask8 hits = _mm512_test_epi64_mask(each, each);
        _mm256_storeu_si256(reinterpret_cast<__m256i *>(to),
                            _mm256_maskz_compress_epi32(hits, entries));
        to += __builtin_popcount(hits);
      }
      entries = _mm256_add_epi32(entries, eight);
    }
  }
  return to - list;
}

#endif

/// The same one by one, without a branch for each.
ZENITH_ENTRY_BASELINE
static int64_t listHits(const uint64_t *words, const uint64_t *masks,
                        int64_t count, uint32_t *list) {
  uint32_t *to = list;
  for (int64_t first = 0; first < count; first += branchEntries) {
    const int64_t end = std::min(first + branchEntries, count);
    uint64_t any = 0;
    for (int64_t entry = first; entry < end; ++entry)
      any |= words[entry] & masks[entry];
    if (!any)
      continue;
    for (int64_t entry = first; entry < end; ++entry) {
      *to = uint32_t(entry);
      to += (words[entry] & masks[entry]) != 0;
    }
  }
  return to - list;
}

namespace {

/// Places that wait for their number. A line that a store lacks holds up all
/// stores after it, so that the lines of several are asked for at once.
struct PendingPlaces {
  static constexpr int64_t wordBits = 64, mostPlaces = 2 * wordBits;

  ZENITH_METHOD void add(uint64_t place) {
    __builtin_prefetch(all + place, /*rw=*/1);
    places[count++] = place;
  }
  /// Before further places of an entry are added.
  ZENITH_METHOD void makeRoom() {
    if (count > mostPlaces - wordBits)
      note();
  }
  ZENITH_METHOD void note() {
    for (int64_t i = 0; i < count; ++i)
      all[places[i]] = number;
    count = 0;
  }

  int64_t *all, number;
  int64_t count = 0;
  uint64_t places[mostPlaces] = {};
};

} // namespace

/// Adds the places of an entry's positions that have bits; how many of the list
/// they are.
ZENITH_INLINE uint64_t noteEntry(const zenith_note_bits_arguments &given,
                                 int64_t entry, uint64_t bits,
                                 PendingPlaces &pending) {
  const uint64_t mask = given.masks[entry],
                 first = given.firsts[entry] & ~repeatedBit;
  const bool repeats = given.firsts[entry] & repeatedBit;
  uint64_t found = 0;
  pending.makeRoom();
  for (uint64_t hits = bits & mask; hits; hits &= hits - 1) {
    uint64_t place = first + bitsBelow(mask, hits);
    if (place >= uint64_t(given.places))
      continue;
    pending.add(place);
    found += repeats ? given.counts[place] : 1;
  }
  return found;
}

ZENITH_TARGET_CLONES
static uint64_t noteEntries(const zenith_note_bits_arguments &given,
                            int64_t first, int64_t end) {
  uint64_t gathered[notedEntries], found = 0;
  uint32_t list[notedEntries + 8];
  const auto allWords = uint64_t(given.words);
  PendingPlaces pending{given.all, given.number};
  for (; first < end; first += notedEntries) {
    const int64_t count = std::min(notedEntries, end - first);
    const uint64_t *words = given.bits + first;
    if (given.entries != given.words) {
      for (int64_t i = 0; i < count; ++i) {
        uint64_t word = given.entry_words[first + i];
        gathered[i] = word < allWords ? given.bits[word] : 0;
      }
      words = gathered;
    }
    const int64_t hits = listHits(words, given.masks + first, count, list);
    for (int64_t i = 0; i < hits; ++i)
      found += noteEntry(given, first + list[i], words[list[i]], pending);
  }
  pending.note();
  return found;
}

void zenith_routine_note_bits_copy(const zenith_note_bits_arguments *arguments,
                                   int64_t begin, int64_t end) {
  const zenith_note_bits_arguments &given = checked(arguments);
  if (begin == end || given.all == given.noted)
    return;
  int64_t first = rowsOfSlot(given.size, given.slots, begin).first,
          last = rowsOfSlot(given.size, given.slots, end - 1).second;
  std::copy(given.noted + first, given.noted + last, given.all + first);
}

void zenith_routine_note_bits_find(const zenith_note_bits_arguments *arguments,
                                   int64_t begin, int64_t end) {
  const zenith_note_bits_arguments &given = checked(arguments);
  const auto layout = noteBitsScratch<int64_t>(given.slots);
  auto *counts = ScratchReader(given.scratch, layout).take<uint64_t>();
  if (begin == end)
    return;
  // Neighbouring slots have neighbouring entries.
  std::fill(counts + begin, counts + end, 0);
  counts[begin] =
      noteEntries(given, rowsOfSlot(given.entries, given.slots, begin).first,
                  rowsOfSlot(given.entries, given.slots, end - 1).second);
}

void zenith_routine_note_bits_sum(const zenith_note_bits_arguments *arguments,
                                  int64_t begin, int64_t end) {
  const zenith_note_bits_arguments &given = checked(arguments);
  const auto layout = noteBitsScratch<int64_t>(given.slots);
  auto *counts = ScratchReader(given.scratch, layout).take<uint64_t>();
  if (begin == end || !given.count)
    return;
  *given.count = 0;
  for (int64_t slot = 0; slot < given.slots; ++slot)
    *given.count += int64_t(counts[slot]);
}
