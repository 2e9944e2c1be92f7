// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of products: of four bytes at once, for eight neighbours, where a
// processor has an instruction for it, else of elements one by one.

#include "runtime/routines/neighbours/NeighbourHashes.h"

#include "runtime/TargetClones.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__) && defined(__linux__) && defined(__clang__)
#define ZENITH_WITH_BYTE_SUMS
#include <immintrin.h>
#define ZENITH_BYTE_SUMS                                                       \
  __attribute__((target("avx512vl,avx512bw,avx512vbmi,avx512vnni")))
#endif

namespace zenith::runtime {

static constexpr uint32_t firstOdd = 0x9e3779b1, secondOdd = 0x85ebca77,
                          thirdOdd = 0xc2b2ae3d;

/// Every bit depends on all bits of the sum.
ZENITH_INLINE uint32_t finished(uint32_t sum) {
  sum = (sum ^ sum >> 16) * secondOdd;
  sum = (sum ^ sum >> 13) * thirdOdd;
  return sum ^ sum >> 16;
}

/// The weight of an element at a position.
static uint32_t factorOf(int64_t position) {
  return finished(uint32_t(position) * firstOdd + secondOdd) | 1;
}

/// The weight of a byte in one of the sums.
static uint8_t weightOf(int64_t position, int64_t sum) {
  constexpr uint32_t bits = 8;
  return uint8_t(factorOf(position) >> (sum + 1) * bits);
}

MoveTables::MoveTables(const RowMoves &moves, void *memory) : moves(moves) {
  auto next = reinterpret_cast<uintptr_t>(memory);
  next = (next + vectorBytes - 1) / vectorBytes * vectorBytes;
  places = reinterpret_cast<uint8_t *>(next);
  // One of the two tables is filled.
  weights = places + moves.count * vectorBytes;
  factors = reinterpret_cast<uint32_t *>(weights);
}

bool MoveTables::canSumBytes(const RowMoves &moves) {
#ifdef ZENITH_WITH_BYTE_SUMS
  if (moves.elementBytes != 1 || !__builtin_cpu_supports("avx512vl") ||
      !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512vbmi") ||
      !__builtin_cpu_supports("avx512vnni"))
    return false;
  if (moves.columns > mostColumns)
    return false;
  // An element that moves to several positions has no weight of 8 bits.
  for (int64_t move = 0; move < moves.count; ++move) {
    bool isTaken[mostColumns] = {};
    for (int64_t position = 0; position < moves.columns; ++position) {
      bool &taken = isTaken[moves.sourceOf(move, position)];
      if (taken)
        return false;
      taken = true;
    }
  }
  return true;
#else
  (void)moves;
  return false;
#endif
}

void MoveTables::fill(bool sumsBytes) const {
  const int64_t columns = moves.columns;
  if (!sumsBytes) {
    std::fill_n(factors, moves.count * columns, 0);
    for (int64_t move = 0; move < moves.count; ++move)
      for (int64_t position = 0; position < columns; ++position)
        factors[move * columns + moves.sourceOf(move, position)] +=
            factorOf(position);
    return;
  }
  uint8_t own[mostColumns * sums];
  for (int64_t position = 0; position < columns; ++position)
    for (int64_t sum = 0; sum < sums; ++sum)
      own[position * sums + sum] = weightOf(position, sum);
  std::fill_n(weights, blocks() * groups() * sums * lanes * 4, 0);
  for (int64_t move = 0; move < moves.count; ++move) {
    uint8_t *const to =
        weights + (move / lanes * groups() * sums * lanes + move % lanes) * 4;
    for (int64_t position = 0; position < columns; ++position) {
      const int64_t source = moves.sourceOf(move, position);
      if (columns <= vectorBytes)
        places[move * vectorBytes + position] = uint8_t(source);
      for (int64_t sum = 0; sum < sums; ++sum)
        to[(source / 4 * sums + sum) * lanes * 4 + source % 4] =
            own[position * sums + sum];
    }
  }
}

/// An element as 32 bits.
template <typename Element> ZENITH_INLINE uint32_t wordOf(Element element) {
  if (sizeof(Element) == 8)
    return uint32_t(element) + uint32_t(uint64_t(element) >> 32) * firstOdd;
  return uint32_t(element);
}

template <typename Element>
ZENITH_INLINE void hashElements(const uint32_t *factors, int64_t moves,
                                int64_t columns, const Element *row,
                                int64_t count, uint32_t *to) {
  for (; count > 0; --count, row += columns)
    for (int64_t move = 0; move < moves; ++move) {
      const uint32_t *own = factors + move * columns;
      uint32_t sum = 0;
      for (int64_t i = 0; i < columns; ++i)
        sum += wordOf(row[i]) * own[i];
      *to++ = finished(sum);
    }
}

ZENITH_TARGET_CLONES
static void hashRowsOf(const RowMoves &moves, const uint32_t *factors,
                       const void *rows, int64_t count, uint32_t *to) {
  auto run = [&](auto *first) ZENITH_LAMBDA {
    hashElements(factors, moves.count, moves.columns, first, count, to);
  };
  switch (moves.elementBytes) {
  case 1:
    return run(static_cast<const uint8_t *>(rows));
  case 2:
    return run(static_cast<const uint16_t *>(rows));
  case 4:
    return run(static_cast<const uint32_t *>(rows));
  default:
    return run(static_cast<const uint64_t *>(rows));
  }
}

#ifdef ZENITH_WITH_BYTE_SUMS

/// The first bits depend on all bits of both sums, and so do the last ones
/// after the shift.
ZENITH_BYTE_SUMS
static inline __m256i finishedSums(__m256i first, __m256i second) {
  auto times = [](__m256i x, uint32_t odd) ZENITH_BYTE_SUMS {
    return _mm256_mullo_epi32(x, _mm256_set1_epi32(int32_t(odd)));
  };
  __m256i sum =
      _mm256_add_epi32(times(first, firstOdd), times(second, thirdOdd));
  return _mm256_xor_si256(sum, _mm256_srli_epi32(sum, 15));
}

/// Up to four bytes of a row.
static int32_t bytesAt(const uint8_t *row, int64_t count) {
  int32_t word = 0;
  std::memcpy(&word, row, size_t(count));
  return word;
}

/// Some rows at once, so that weights are read once for all of them.
template <int rows>
ZENITH_BYTE_SUMS static void hashBytes(const uint8_t *weights, int64_t moves,
                                       int64_t columns, const uint8_t *row,
                                       uint32_t *to) {
  constexpr int64_t group = 4;
  const int64_t whole = columns / group * group;
  int32_t last[rows];
  for (int r = 0; r < rows; ++r)
    last[r] = bytesAt(row + r * columns + whole, columns - whole);
  for (int64_t block = 0; block < moves; block += MoveTables::lanes) {
    __m256i first[rows] = {}, second[rows] = {};
    auto add = [&](int r, int32_t bytes) ZENITH_BYTE_SUMS {
      auto *own = reinterpret_cast<const __m256i *>(weights);
      __m256i x = _mm256_set1_epi32(bytes);
      first[r] = _mm256_dpbusd_epi32(first[r], _mm256_loadu_si256(own), x);
      second[r] =
          _mm256_dpbusd_epi32(second[r], _mm256_loadu_si256(own + 1), x);
    };
    for (int64_t at = 0; at < whole; at += group) {
      for (int r = 0; r < rows; ++r)
        add(r, bytesAt(row + r * columns + at, group));
      weights += 2 * sizeof(__m256i);
    }
    if (whole < columns) {
      for (int r = 0; r < rows; ++r)
        add(r, last[r]);
      weights += 2 * sizeof(__m256i);
    }
    const int64_t left = moves - block;
    auto mask = __mmask8(left < MoveTables::lanes ? (1 << left) - 1 : 0xff);
    for (int r = 0; r < rows; ++r)
      _mm256_mask_storeu_epi32(to + r * moves + block, mask,
                               finishedSums(first[r], second[r]));
  }
}

ZENITH_BYTE_SUMS
uint64_t MoveTables::whichVectorsAreEqual(const MovedRow *rows, int64_t pairs) {
  const __mmask64 mask =
      ~uint64_t(0) >> (vectorBytes - rows->tables->moves.columns);
  auto moved = [&](const MovedRow &row) ZENITH_BYTE_SUMS {
    return _mm512_permutexvar_epi8(
        _mm512_load_si512(row.tables->places + row.move * vectorBytes),
        _mm512_maskz_loadu_epi8(mask, row.row));
  };
  uint64_t equal = 0;
  for (int64_t i = 0; i < pairs; ++i, rows += 2)
    equal |= uint64_t(_mm512_mask_cmpneq_epi8_mask(mask, moved(rows[0]),
                                                   moved(rows[1])) == 0)
             << i;
  return equal;
}

#endif

void MoveTables::hash(const void *rows, int64_t count, bool sumsBytes,
                      uint32_t *to) const {
  if (!sumsBytes)
    return hashRowsOf(moves, factors, rows, count, to);
#ifdef ZENITH_WITH_BYTE_SUMS
  constexpr int64_t atOnce = 4;
  auto *row = static_cast<const uint8_t *>(rows);
  for (; count >= atOnce; count -= atOnce) {
    hashBytes<atOnce>(weights, moves.count, moves.columns, row, to);
    row += atOnce * moves.columns;
    to += atOnce * moves.count;
  }
  for (; count > 0; --count, row += moves.columns, to += moves.count)
    hashBytes<1>(weights, moves.count, moves.columns, row, to);
#endif
}

bool MoveTables::areEqual(const MovedRow &x, const MovedRow &y) {
  const RowMoves &moves = x.tables->moves, &others = y.tables->moves;
  const auto bytes = size_t(moves.elementBytes);
  for (int64_t position = 0; position < moves.columns; ++position)
    if (std::memcmp(x.row + size_t(moves.sourceOf(x.move, position)) * bytes,
                    y.row + size_t(others.sourceOf(y.move, position)) * bytes,
                    bytes) != 0)
      return false;
  return true;
}

uint64_t MoveTables::whichAreEqual(const MovedRow *rows, int64_t pairs,
                                   bool sumsBytes) {
#ifdef ZENITH_WITH_BYTE_SUMS
  if (sumsBytes && rows->tables->moves.columns <= vectorBytes)
    return whichVectorsAreEqual(rows, pairs);
#endif
  uint64_t equal = 0;
  for (int64_t i = 0; i < pairs; ++i, rows += 2)
    equal |= uint64_t(areEqual(rows[0], rows[1])) << i;
  return equal;
}

} // namespace zenith::runtime
