// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A byte for each image: a map takes all images of a state on by one shuffle.

#include "runtime/routines/ranks/ByteRanks.h"

#include "runtime/TargetClones.h"

#include <algorithm>
#include <utility>

#if defined(__x86_64__) && defined(__linux__) && defined(__clang__)
#define ZENITH_WITH_BYTE_SHUFFLES
#include <immintrin.h>
#define ZENITH_BYTE_SHUFFLES __attribute__((target("avx2")))
#endif

namespace zenith::runtime {

#ifdef ZENITH_WITH_BYTE_SHUFFLES

static constexpr int64_t byteLanes = 16; ///< bytes that a shuffle permutes
static constexpr int64_t wordLanes = 8;  ///< of a group, a word for each

/// Whether the places of each group are sums of products of words.
static bool haveShortPlaces(const RankGroups &groups) {
  constexpr int64_t mostFactor = 32767;
  for (int64_t number = 0; number < groups.given.groups; ++number) {
    const RankGroups::Group &group = groups.groups[number];
    const int64_t count = group.endPoint - group.firstPoint;
    int64_t factor = 1;
    for (int64_t point = 1; point < count && factor <= mostFactor; ++point)
      factor *= int64_t(groups.columns);
    if (count > wordLanes || factor > mostFactor)
      return false;
  }
  return true;
}

static bool areFewBytes(const RankGroups &groups) {
  if (groups.given.element_bytes != 1 || int64_t(groups.columns) > byteLanes ||
      !__builtin_cpu_supports("avx2") || !haveShortPlaces(groups))
    return false;
  // An element that the start has twice has no one place.
  bool isTaken[256] = {};
  auto *start = static_cast<const uint8_t *>(groups.given.start);
  return std::none_of(start, start + groups.columns, [&](uint8_t element) {
    return std::exchange(isTaken[element], true);
  });
}

namespace {

/// Maps row by row, as vectors that may reach beyond the last row; those of few
/// are bytes already.
struct ByteMaps {
  void set(const uint16_t *of, int64_t maps, int64_t rowColumns) {
    entries = of;
    columns = rowColumns;
    count = maps * columns;
    const int64_t kept = std::min(count, byteLanes);
    std::copy(of + count - kept, of + count, end + byteLanes - kept);
  }
  const uint16_t *row(uint64_t index) const {
    const int64_t first = int64_t(index) * columns, left = count - first;
    return left >= byteLanes ? entries + first : end + byteLanes - left;
  }

  int64_t maps() const { return count / columns; }

  const __m128i *asBytes = nullptr; ///< of each row; null: not made

private:
  const uint16_t *entries = nullptr;
  int64_t columns = 0, count = 0;
  uint16_t end[2 * byteLanes] = {}; ///< the last entries, and as many more
};

/// A group of levels.
struct ByteGroup {
  alignas(byteLanes) uint8_t order[byteLanes]; ///< of its points, as words
  alignas(byteLanes) uint16_t factors[wordLanes];
  const uint16_t *indices;
  uint64_t size;
  ByteMaps inverses;
};

/// States that are ranked step by step: what a step looks up waits for the step
/// before, and many states wait at once.
struct ByteStates {
  static constexpr int64_t most = 32;
  int64_t count = 0;
  __m128i images[most], rest[most]; ///< of the points, and after divisions
  uint64_t rows[most], columns[most];
  bool haveBits[most];
};

/// What all states share.
class ByteRanks {
public:
  explicit ByteRanks(const RankGroups &groups);
  void run(int64_t first, int64_t end);

private:
  ZENITH_BYTE_SHUFFLES void makeBytes(ByteMaps &maps, int64_t states);
  ZENITH_BYTE_SHUFFLES __m128i mapOf(const ByteMaps &maps,
                                     uint64_t index) const;
  ZENITH_BYTE_SHUFFLES __m128i stateAt(int64_t state) const;
  ZENITH_BYTE_SHUFFLES void readStates(int64_t first, ByteStates &states) const;
  ZENITH_BYTE_SHUFFLES void findRows(ByteStates &states) const;
  ZENITH_BYTE_SHUFFLES void findColumns(ByteStates &states) const;
  ZENITH_BYTE_SHUFFLES bool areFixed(__m128i images, unsigned points) const;
  ZENITH_BYTE_SHUFFLES __m128i mapped(const ByteMaps &maps, uint64_t index,
                                      __m128i images) const;
  ZENITH_BYTE_SHUFFLES uint64_t indexOf(const ByteGroup &group, __m128i images,
                                        bool &isIndex) const;
  ZENITH_BYTE_SHUFFLES void divide(const ByteGroup &group, uint64_t *numbers,
                                   ByteStates &states) const;

  const zenith_coset_bits_arguments &given;
  const int64_t columns;
  unsigned allPoints = 0, rowPoints = 0, freePoints = 0; ///< bit by point
  alignas(byteLanes) uint8_t start[byteLanes] = {};
  ByteMaps representatives;
  ByteGroup groups[byteLanes]; ///< each has a point
  static constexpr int64_t mostMade = 1024;
  int64_t made = 0; ///< maps as bytes, which stay in the first-level cache
  __m128i bytes[mostMade];
};

} // namespace

ByteRanks::ByteRanks(const RankGroups &from)
    : given(from.given), columns(int64_t(from.columns)) {
  std::copy_n(static_cast<const uint8_t *>(given.start), columns, start);
  int64_t rows = 1;
  for (int64_t number = 0; number < given.groups; ++number) {
    const RankGroups::Group &each = from.groups[number];
    ByteGroup &group = groups[number];
    constexpr uint8_t none = 0x80; // A shuffle leaves 0.
    std::fill(group.order, group.order + byteLanes, none);
    std::fill(group.factors, group.factors + wordLanes, 0);
    int64_t factor = 1;
    for (int64_t at = each.firstPoint; at < each.endPoint; ++at) {
      const int64_t word = at - each.firstPoint;
      group.order[2 * word] = uint8_t(from.points[at]);
      group.factors[word] = uint16_t(factor);
      factor *= columns;
    }
    group.indices = each.indices;
    group.size = each.size;
    group.inverses.set(each.inverses, int64_t(each.size), columns);
    if (number < given.row_groups)
      rows *= int64_t(each.size);
  }
  representatives.set(given.representatives, rows, columns);
  for (int64_t at = 0; at < columns; ++at) {
    const unsigned bit = 1u << from.points[at];
    allPoints |= bit;
    rowPoints |= at < from.rowPoints ? bit : 0;
    freePoints |= at < from.groupPoints ? 0 : bit;
  }
}

ZENITH_BYTE_SHUFFLES
inline __m128i ByteRanks::stateAt(int64_t state) const {
  auto *bytes = static_cast<const uint8_t *>(given.states) + state * columns;
  if ((given.count - state) * columns >= byteLanes)
    return _mm_loadu_si128(reinterpret_cast<const __m128i *>(bytes));
  alignas(byteLanes) uint8_t copy[byteLanes] = {};
  std::copy_n(bytes, columns, copy);
  return _mm_load_si128(reinterpret_cast<const __m128i *>(copy));
}

ZENITH_BYTE_SHUFFLES
inline bool ByteRanks::areFixed(__m128i images, unsigned points) const {
  const __m128i themselves =
      _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  auto fixed = unsigned(_mm_movemask_epi8(_mm_cmpeq_epi8(images, themselves)));
  return (fixed & points) == points;
}

/// Images beyond the last position are that one.
ZENITH_BYTE_SHUFFLES
inline __m128i ByteRanks::mapOf(const ByteMaps &maps, uint64_t index) const {
  const __m256i last = _mm256_set1_epi16(int16_t(columns - 1));
  __m256i words = _mm256_min_epu16(
      _mm256_loadu_si256(reinterpret_cast<const __m256i *>(maps.row(index))),
      last);
  return _mm_packus_epi16(_mm256_castsi256_si128(words),
                          _mm256_extracti128_si256(words, 1));
}

/// Where so many states use the maps that it pays.
ZENITH_BYTE_SHUFFLES
void ByteRanks::makeBytes(ByteMaps &maps, int64_t states) {
  const int64_t count = maps.maps();
  if (count > mostMade - made || count > states / 2)
    return;
  maps.asBytes = bytes + made;
  for (int64_t map = 0; map < count; ++map)
    bytes[made++] = mapOf(maps, uint64_t(map));
}

ZENITH_BYTE_SHUFFLES
inline __m128i ByteRanks::mapped(const ByteMaps &maps, uint64_t index,
                                 __m128i images) const {
  __m128i map = maps.asBytes ? maps.asBytes[index] : mapOf(maps, index);
  return _mm_shuffle_epi8(map, images);
}

/// The group's index by the images of its points; 0 where they have none.
ZENITH_BYTE_SHUFFLES
inline uint64_t ByteRanks::indexOf(const ByteGroup &group, __m128i images,
                                   bool &isIndex) const {
  auto vector = [](const auto *from) ZENITH_BYTE_SHUFFLES {
    return _mm_load_si128(reinterpret_cast<const __m128i *>(from));
  };
  __m128i terms = _mm_madd_epi16(_mm_shuffle_epi8(images, vector(group.order)),
                                 vector(group.factors));
  terms = _mm_add_epi32(terms, _mm_shuffle_epi32(terms, 0b01001110));
  terms = _mm_add_epi32(terms, _mm_shuffle_epi32(terms, 0b10110001));
  uint64_t index = group.indices[uint32_t(_mm_cvtsi128_si32(terms))];
  isIndex &= index < group.size;
  return index < group.size ? index : 0;
}

/// Makes the group's indices digits of numbers, and takes the images on by the
/// inverses of its elements.
ZENITH_BYTE_SHUFFLES
inline void ByteRanks::divide(const ByteGroup &group, uint64_t *numbers,
                              ByteStates &states) const {
  for (int64_t at = 0; at < states.count; ++at) {
    uint64_t index = indexOf(group, states.rest[at], states.haveBits[at]);
    numbers[at] = numbers[at] * group.size + index;
    states.rest[at] = mapped(group.inverses, index, states.rest[at]);
  }
}

/// Two states at once until each point has its image, the place of its element:
/// as many elements as points, so that each is there once if each is there.
ZENITH_BYTE_SHUFFLES
inline void ByteRanks::readStates(int64_t first, ByteStates &states) const {
  const __m256i starts = _mm256_broadcastsi128_si256(
      _mm_load_si128(reinterpret_cast<const __m128i *>(start)));
  const __m256i one = _mm256_set1_epi8(1);
  auto put = [&](int64_t at, __m128i images) ZENITH_BYTE_SHUFFLES {
    // The sign tells a point whose element the state lacks.
    auto lacks = unsigned(_mm_movemask_epi8(images));
    states.haveBits[at] = (lacks & allPoints) == 0;
    states.images[at] = states.rest[at] =
        _mm_and_si128(images, _mm_set1_epi8(byteLanes - 1));
    states.rows[at] = states.columns[at] = 0;
  };
  for (int64_t at = 0; at < states.count; at += 2) {
    const bool isPair = at + 1 < states.count;
    __m256i elements =
        _mm256_set_m128i(stateAt(first + at + isPair), stateAt(first + at));
    __m256i images = _mm256_set1_epi8(int8_t(0x80)),
            place = _mm256_setzero_si256();
    for (int64_t i = 0; i < columns; ++i) {
      __m256i isHere =
          _mm256_cmpeq_epi8(_mm256_shuffle_epi8(elements, place), starts);
      images = _mm256_blendv_epi8(images, place, isHere);
      place = _mm256_add_epi8(place, one);
    }
    put(at, _mm256_castsi256_si128(images));
    if (isPair)
      put(at + 1, _mm256_extracti128_si256(images, 1));
  }
}

ZENITH_BYTE_SHUFFLES
inline void ByteRanks::findRows(ByteStates &states) const {
  for (int64_t number = 0; number < given.row_groups; ++number)
    divide(groups[number], states.rows, states);
  for (int64_t at = 0; at < states.count; ++at) {
    states.rest[at] =
        mapped(representatives, states.rows[at], states.images[at]);
    states.haveBits[at] &= areFixed(states.rest[at], rowPoints);
  }
}

ZENITH_BYTE_SHUFFLES
inline void ByteRanks::findColumns(ByteStates &states) const {
  for (int64_t number = given.row_groups; number < given.groups; ++number)
    divide(groups[number], states.columns, states);
  for (int64_t at = 0; at < states.count; ++at)
    states.haveBits[at] &= areFixed(states.rest[at], freePoints);
}

ZENITH_BYTE_SHUFFLES
void ByteRanks::run(int64_t first, int64_t end) {
  for (int64_t number = given.groups; number-- > 0;)
    makeBytes(groups[number].inverses, end - first);
  makeBytes(representatives, end - first);
  ByteStates states;
  for (; first < end; first += states.count) {
    states.count = std::min(ByteStates::most, end - first);
    readStates(first, states);
    findRows(states);
    findColumns(states);
    for (int64_t at = 0; at < states.count; ++at)
      given.bits[first + at] =
          states.haveBits[at] ? states.rows[at] * uint64_t(given.words) * 64 +
                                    states.columns[at]
                              : ~uint64_t(0);
  }
}

bool rankBytes(const RankGroups &groups, int64_t first, int64_t end) {
  if (!areFewBytes(groups))
    return false;
  ByteRanks(groups).run(first, end);
  return true;
}

#else

bool rankBytes(const RankGroups &, int64_t, int64_t) { return false; }

#endif

} // namespace zenith::runtime
