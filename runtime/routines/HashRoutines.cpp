// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hashes of rows of integers: sums of products modulo the prime 2^31 - 1, whose
// remainders are sums of digits of base 2^31, and polynomials modulo 2^32.

#include "runtime/TargetClones.h"
#include "runtime/routines/Routines.h"
#include "runtime/routines/RowSlots.h"
#include "runtime/routines/Threefry.h"

#include <algorithm>

using namespace zenith::runtime;

static constexpr int primeBits = 31;
static constexpr uint64_t prime = (uint64_t(1) << primeBits) - 1;

void zenith_routine_hash_factors(const zenith_hash_arguments *arguments,
                                 int64_t begin, int64_t end) {
  const zenith_hash_arguments &given = checked(arguments);
  auto *factors = static_cast<uint64_t *>(given.scratch);
  auto low = uint32_t(given.seed), high = uint32_t(uint64_t(given.seed) >> 32);
  // Word i of jax.random.bits is Threefry of the counter i.
  for (int64_t i = 0; begin < end && i < given.width * given.lanes; ++i) {
    uint32_t words[2] = {uint32_t(uint64_t(i) >> 32), uint32_t(i)};
    threefry(words, high, low);
    factors[i % given.lanes * given.width + i / given.lanes] =
        (words[0] ^ words[1]) % prime;
  }
}

/// A number with the remainder of x, below 2^33.
template <typename Element> ZENITH_INLINE uint64_t reduced(Element x) {
  constexpr bool isSigned = Element(-1) < Element(0);
  if (sizeof(Element) < 8)
    return isSigned ? uint64_t(int64_t(x) + int64_t(2 * prime)) : uint64_t(x);
  // Of signed numbers the upper digits are at least -2^32, then -2.
  Element once = (x >> primeBits) + Element(uint64_t(x) & prime);
  Element twice = (once >> primeBits) + Element(uint64_t(once) & prime);
  return uint64_t(twice) + (isSigned ? prime : 0);
}

/// Products are below 2^64; their digits are added apart, so that nothing is
/// reduced inside of the loop.
template <typename Element>
ZENITH_INLINE void sumProducts(const zenith_hash_arguments &given,
                               int64_t first, int64_t last, Element /*type*/) {
  constexpr int64_t atOnce = 256;
  const auto *factors = static_cast<const uint64_t *>(given.scratch);
  const auto *row =
      static_cast<const Element *>(given.operand) + first * given.width;
  auto *to = static_cast<int64_t *>(given.result) + first * given.lanes;
  for (; first < last; ++first, row += given.width, to += given.lanes) {
    std::fill_n(to, given.lanes, 0);
    for (int64_t start = 0; start < given.width; start += atOnce) {
      const int64_t count = std::min(atOnce, given.width - start);
      uint64_t numbers[atOnce];
      for (int64_t i = 0; i < count; ++i)
        numbers[i] = reduced(row[start + i]);
      for (int64_t lane = 0; lane < given.lanes; ++lane) {
        const uint64_t *own = factors + lane * given.width + start;
        uint64_t low = 0, high = 0;
        for (int64_t i = 0; i < count; ++i) {
          uint64_t product = numbers[i] * own[i];
          low += product & prime;
          high += product >> primeBits;
        }
        to[lane] = int64_t((uint64_t(to[lane]) + low + high) % prime);
      }
    }
  }
}

namespace {
/// Powers of the factor of polynomials by element of a row, from the highest
/// one on, for several rows.
struct Powers {
  static constexpr int64_t atOnce = 512;
  uint32_t of[atOnce];
  uint32_t next; ///< the power after those of a row
  uint32_t sum;  ///< of those of a row
};
} // namespace

ZENITH_INLINE void fillPowers(Powers &powers, int64_t width, int64_t count) {
  constexpr uint32_t factor = 0x01000193;
  powers.next = 1;
  powers.sum = 0;
  for (int64_t i = width; i-- > 0; powers.next *= factor) {
    powers.of[i] = powers.next;
    powers.sum += powers.next;
  }
  for (int64_t known = width; known < count; known *= 2)
    std::copy_n(powers.of, std::min(known, count - known), powers.of + known);
}

/// Adds to `first` the terms of each of some rows, none of which waits for
/// another.
template <int64_t rows>
ZENITH_INLINE void sumTerms(const uint32_t *terms, int64_t width,
                            uint32_t first, uint32_t *to) {
  uint32_t sums[rows];
  std::fill_n(sums, rows, first);
  for (int64_t i = 0; i < width; ++i)
    for (int64_t row = 0; row < rows; ++row)
      sums[row] += terms[row * width + i];
  std::copy_n(sums, rows, to);
}

/// Sums of products, none of which waits for another. Short rows: the products
/// of several, then the sums.
template <typename Element>
ZENITH_INLINE void sumShortRows(const Element *x, int64_t rows, int64_t width,
                                uint32_t *to) {
  constexpr int64_t rowsAtOnce = 4;
  const int64_t together = std::min(Powers::atOnce / width, rows);
  Powers powers;
  fillPowers(powers, width, together * width);
  for (int64_t left; rows > 0; rows -= left) {
    left = std::min(together, rows);
    uint32_t terms[Powers::atOnce];
    for (int64_t i = 0; i < left * width; ++i)
      terms[i] = uint32_t(x[i]) * powers.of[i];
    x += left * width;
    int64_t row = 0;
    for (; row + rowsAtOnce <= left; row += rowsAtOnce)
      sumTerms<rowsAtOnce>(terms + row * width, width, powers.sum, to + row);
    for (; row < left; ++row)
      sumTerms<1>(terms + row * width, width, powers.sum, to + row);
    to += left;
  }
}

/// Long rows: a part that may be shorter, then whole ones.
template <typename Element>
ZENITH_INLINE void sumLongRows(const Element *x, int64_t rows, int64_t width,
                               uint32_t *to) {
  Powers powers;
  fillPowers(powers, Powers::atOnce, Powers::atOnce);
  for (; rows > 0; --rows, ++to) {
    *to = 0;
    for (int64_t left = width; left > 0;) {
      const int64_t count = (left - 1) % Powers::atOnce + 1;
      const uint32_t *own = powers.of + Powers::atOnce - count;
      uint32_t sum = 0;
      for (int64_t i = 0; i < count; ++i)
        sum += (uint32_t(x[i]) + 1) * own[i];
      *to = *to * powers.next + sum;
      x += count;
      left -= count;
    }
  }
}

template <typename Element>
ZENITH_INLINE void polynomials(const zenith_hash_arguments &given,
                               int64_t first, int64_t last, Element /*type*/) {
  const auto *x =
      static_cast<const Element *>(given.operand) + first * given.width;
  auto *to = static_cast<uint32_t *>(given.result) + first;
  if (given.width == 0)
    std::fill_n(to, last - first, 0);
  else if (given.width <= Powers::atOnce)
    sumShortRows(x, last - first, given.width, to);
  else
    sumLongRows(x, last - first, given.width, to);
}

ZENITH_WIDE_CLONES
static void hashRows(const zenith_hash_arguments &given, int64_t first,
                     int64_t last) {
  auto run = [&](auto element) ZENITH_LAMBDA {
    if (given.is_polynomial)
      polynomials(given, first, last, element);
    else
      sumProducts(given, first, last, element);
  };
  switch (given.dtype) {
  case ZENITH_I8:
    return run(int8_t());
  case ZENITH_I16:
    return run(int16_t());
  case ZENITH_I32:
    return run(int32_t());
  case ZENITH_I64:
    return run(int64_t());
  case ZENITH_UI8:
    return run(uint8_t());
  case ZENITH_UI16:
    return run(uint16_t());
  case ZENITH_UI32:
    return run(uint32_t());
  default:
    return run(uint64_t());
  }
}

void zenith_routine_hash(const zenith_hash_arguments *arguments, int64_t begin,
                         int64_t end) {
  const zenith_hash_arguments &given = checked(arguments);
  for (int64_t slot = begin; slot < end; ++slot) {
    auto [first, last] = rowsOfSlot(given.rows, given.slots, slot);
    hashRows(given, first, last);
  }
}
