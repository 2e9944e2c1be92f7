// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Partitions positions one by one or, where a processor can compress the lanes
// of a vector, all of one partition at once.

#include "runtime/routines/HashPartition.h"

#include "runtime/TargetClones.h"

#if defined(__x86_64__) && defined(__linux__) && defined(__clang__)
#define ZENITH_WITH_COMPRESS
#include <immintrin.h>
#endif

namespace zenith::runtime {

/// Index of the entry after `at`, perhaps in a new block.
ZENITH_INLINE uint32_t nextEntry(uint32_t *entries, uint32_t at,
                                 uint32_t &blocks) {
  constexpr uint32_t size = PartitionedPositions::blockSize;
  if (at % size <= PartitionedPositions::mostFree)
    return at;
  uint32_t *block = entries + at / size * size;
  block[PartitionedPositions::count] = at % size;
  block[PartitionedPositions::next] = blocks;
  return size * blocks++;
}

#ifdef ZENITH_WITH_COMPRESS
#define ZENITH_BASELINE __attribute__((target("default")))
#define ZENITH_COMPRESS __attribute__((target("avx512vl,popcnt")))
#else
#define ZENITH_BASELINE
#endif

ZENITH_BASELINE
static int64_t keepLanes(const TaggedPositions &set, uint64_t *candidates,
                         int64_t count) {
  const unsigned tagBits = set.tagBits;
  const uint64_t words = set.words;
  uint64_t *to = candidates;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t x = candidates[i];
    *to = x;
    to += (x >> tagBits) / 64 < words;
  }
  return to - candidates;
}

/// Runs of candidates often share a partition, so its end stays in a register.
ZENITH_BASELINE
static uint32_t partitionLanes(const TaggedPositions &set,
                               const PartitionedPositions &to,
                               const uint64_t *candidates, int64_t count,
                               uint32_t blocks) {
  const unsigned bits = set.entryBits();
  uint32_t *ends = to.ends, *entries = to.entries;
  for (int64_t i = 0; i < count;) {
    const uint64_t partition = candidates[i] >> bits;
    uint32_t at = ends[partition];
    do {
      entries[at] = uint32_t(candidates[i] - (partition << bits));
      at = nextEntry(entries, at + 1, blocks);
    } while (++i < count && candidates[i] >> bits == partition);
    ends[partition] = at;
  }
  return blocks;
}

#ifdef ZENITH_WITH_COMPRESS

/// Lanes of a vector from `i` on.
static inline unsigned lanesFrom(int64_t i, int64_t count) {
  return count - i < 8 ? (1u << (count - i)) - 1 : 0xff;
}

ZENITH_COMPRESS
static int64_t keepLanes(const TaggedPositions &set, uint64_t *candidates,
                         int64_t count) {
  const __m512i words = _mm512_set1_epi64(int64_t(set.words));
  const __m128i wordBits = _mm_cvtsi64_si128(int64_t(set.tagBits) + 6);
  uint64_t *to = candidates;
  for (int64_t i = 0; i < count; i += 8) {
    auto lanes = __mmask8(lanesFrom(i, count));
    __m512i x = _mm512_maskz_loadu_epi64(lanes, candidates + i);
    lanes = _mm512_mask_cmplt_epu64_mask(lanes, _mm512_srl_epi64(x, wordBits),
                                         words);
    // Compress to a register: compressing to memory is slow on some processors.
    _mm512_mask_storeu_epi64(to, lanesFrom(0, __builtin_popcount(lanes)),
                             _mm512_maskz_compress_epi64(lanes, x));
    to += __builtin_popcount(lanes);
  }
  return to - candidates;
}

ZENITH_COMPRESS
static uint32_t partitionLanes(const TaggedPositions &set,
                               const PartitionedPositions &to,
                               const uint64_t *candidates, int64_t count,
                               uint32_t blocks) {
  const __m128i bits = _mm_cvtsi64_si128(int64_t(set.entryBits()));
  const __m256i mask =
      _mm256_set1_epi32(int32_t((uint64_t(1) << set.entryBits()) - 1));
  uint32_t *ends = to.ends, *entries = to.entries;
  for (int64_t i = 0; i < count; i += 8) {
    auto left = __mmask8(lanesFrom(i, count));
    __m512i x = _mm512_maskz_loadu_epi64(left, candidates + i);
    __m256i partitions = _mm512_cvtepi64_epi32(_mm512_srl_epi64(x, bits)),
            own = _mm256_and_si256(_mm512_cvtepi64_epi32(x), mask);
    while (left) {
      auto partition = uint32_t(_mm_cvtsi128_si32(_mm256_castsi256_si128(
          _mm256_maskz_compress_epi32(left, partitions))));
      __mmask8 same = _mm256_mask_cmpeq_epi32_mask(
          left, partitions, _mm256_set1_epi32(int32_t(partition)));
      uint32_t at = ends[partition];
      _mm256_storeu_si256(reinterpret_cast<__m256i *>(entries + at),
                          _mm256_maskz_compress_epi32(same, own));
      ends[partition] =
          nextEntry(entries, at + uint32_t(__builtin_popcount(same)), blocks);
      left = __mmask8(left & ~same);
    }
  }
  return blocks;
}

#endif

int64_t keepInside(const TaggedPositions &set, uint64_t *candidates,
                   int64_t count) {
  return keepLanes(set, candidates, count);
}

uint32_t partitionPositions(const TaggedPositions &set,
                            const PartitionedPositions &to,
                            const uint64_t *candidates, int64_t count,
                            uint32_t blocks) {
  return partitionLanes(set, to, candidates, count, blocks);
}

} // namespace zenith::runtime
