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

/// Sums `width` terms of each row, for some rows at a time, none of which waits
/// for another; calls visit(row, first + sum).
template <typename Word, typename Visit>
ZENITH_INLINE void sumRows(const Word *terms, int64_t rows, int64_t width,
                           Word first, Visit visit) {
  constexpr int64_t atOnce = 4;
  int64_t row = 0;
  for (; row + atOnce <= rows; row += atOnce, terms += atOnce * width) {
    Word sums[atOnce] = {first, first, first, first};
    for (int64_t i = 0; i < width; ++i)
      for (int64_t r = 0; r < atOnce; ++r)
        sums[r] += terms[r * width + i];
    for (int64_t r = 0; r < atOnce; ++r)
      visit(row + r, sums[r]);
  }
  for (; row < rows; ++row, terms += width) {
    Word sum = first;
    for (int64_t i = 0; i < width; ++i)
      sum += terms[i];
    visit(row, sum);
  }
}

/// Repeats the first `known` elements up to `count`.
template <typename Word>
ZENITH_INLINE void repeat(Word *elements, int64_t known, int64_t count) {
  for (; known < count; known *= 2)
    std::copy_n(elements, std::min(known, count - known), elements + known);
}

/// A product is below 2^64, and what it leaves, the sum of its digits, below
/// 2^34: nothing is reduced before the rows are summed.
ZENITH_INLINE uint64_t digitSum(uint64_t number, uint64_t factor) {
  uint64_t product = number * factor;
  return (product & prime) + (product >> primeBits);
}

/// Elements that are multiplied before they are summed.
static constexpr int64_t elementsAtOnce = 512;

/// Whether the elements are so small that sums of `width` products fit 64 bits
/// as they are.
template <typename Element>
ZENITH_INLINE bool areSmall(const Element *x, int64_t count, int64_t width) {
  const uint64_t most =
      std::min(uint64_t(UINT32_MAX), (uint64_t(1) << 33) / uint64_t(width));
  uint64_t bits = 0;
  for (int64_t i = 0; i < count; ++i)
    bits |= uint64_t(int64_t(x[i]));
  return bits < most;
}

/// The products of small elements, else what they leave.
template <typename Element>
ZENITH_INLINE void multiply(const Element *x, const uint64_t *numbers,
                            bool isSmall, const uint64_t *factors,
                            int64_t count, uint64_t *terms) {
  if (isSmall)
    for (int64_t i = 0; i < count; ++i)
      terms[i] = uint64_t(uint32_t(x[i])) * uint32_t(factors[i]);
  else
    for (int64_t i = 0; i < count; ++i)
      terms[i] = digitSum(numbers[i], factors[i]);
}

/// Rows of few elements: the products of several, then the sums.
template <typename Element>
ZENITH_INLINE void sumShortProducts(const zenith_hash_arguments &given,
                                    const Element *x, int64_t rows,
                                    int64_t *to) {
  const auto *factors = static_cast<const uint64_t *>(given.scratch);
  const int64_t width = given.width, lanes = given.lanes,
                together = std::min(elementsAtOnce / width, rows);
  uint64_t numbers[elementsAtOnce], terms[elementsAtOnce], own[elementsAtOnce];
  for (int64_t filled = -1; rows > 0;) {
    const int64_t left = std::min(together, rows), count = left * width;
    const bool isSmall = areSmall(x, count, width);
    for (int64_t i = 0; !isSmall && i < count; ++i)
      numbers[i] = reduced(x[i]);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      if (lane != filled) {
        std::copy_n(factors + lane * width, width, own);
        repeat(own, width, together * width);
        filled = lane;
      }
      multiply(x, numbers, isSmall, own, count, terms);
      sumRows(terms, left, width, uint64_t(0),
              [&](int64_t row, uint64_t sum) ZENITH_LAMBDA {
                to[row * lanes + lane] = int64_t(sum % prime);
              });
    }
    x += count;
    to += left * lanes;
    rows -= left;
  }
}

/// Long rows by parts.
template <typename Element>
ZENITH_INLINE void sumLongProducts(const zenith_hash_arguments &given,
                                   const Element *row, int64_t rows,
                                   int64_t *to) {
  const auto *factors = static_cast<const uint64_t *>(given.scratch);
  for (; rows > 0; --rows, row += given.width, to += given.lanes) {
    std::fill_n(to, given.lanes, 0);
    for (int64_t start = 0; start < given.width; start += elementsAtOnce) {
      const int64_t count = std::min(elementsAtOnce, given.width - start);
      uint64_t numbers[elementsAtOnce];
      for (int64_t i = 0; i < count; ++i)
        numbers[i] = reduced(row[start + i]);
      for (int64_t lane = 0; lane < given.lanes; ++lane) {
        const uint64_t *own = factors + lane * given.width + start;
        auto sum = uint64_t(to[lane]);
        for (int64_t i = 0; i < count; ++i)
          sum += digitSum(numbers[i], own[i]);
        to[lane] = int64_t(sum % prime);
      }
    }
  }
}

template <typename Element>
ZENITH_INLINE void sumProducts(const zenith_hash_arguments &given,
                               int64_t first, int64_t last, Element /*type*/) {
  const auto *x =
      static_cast<const Element *>(given.operand) + first * given.width;
  auto *to = static_cast<int64_t *>(given.result) + first * given.lanes;
  if (given.width > 0 && given.width <= elementsAtOnce)
    sumShortProducts(given, x, last - first, to);
  else
    sumLongProducts(given, x, last - first, to);
}

namespace {
/// Powers of the factor of polynomials by element of a row, from the highest
/// one on, for several rows.
struct Powers {
  uint32_t of[elementsAtOnce];
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
  repeat(powers.of, width, count);
}

/// Short rows: the products of several, then the sums.
template <typename Element>
ZENITH_INLINE void sumShortRows(const Element *x, int64_t rows, int64_t width,
                                uint32_t *to) {
  const int64_t together = std::min(elementsAtOnce / width, rows);
  Powers powers;
  fillPowers(powers, width, together * width);
  for (int64_t left; rows > 0; rows -= left) {
    left = std::min(together, rows);
    uint32_t terms[elementsAtOnce];
    for (int64_t i = 0; i < left * width; ++i)
      terms[i] = uint32_t(x[i]) * powers.of[i];
    x += left * width;
    sumRows(terms, left, width, powers.sum,
            [&](int64_t row, uint32_t sum) ZENITH_LAMBDA { to[row] = sum; });
    to += left;
  }
}

/// Long rows: a part that may be shorter, then whole ones.
template <typename Element>
ZENITH_INLINE void sumLongRows(const Element *x, int64_t rows, int64_t width,
                               uint32_t *to) {
  Powers powers;
  fillPowers(powers, elementsAtOnce, elementsAtOnce);
  for (; rows > 0; --rows, ++to) {
    *to = 0;
    for (int64_t left = width; left > 0;) {
      const int64_t count = (left - 1) % elementsAtOnce + 1;
      const uint32_t *own = powers.of + elementsAtOnce - count;
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
  else if (given.width <= elementsAtOnce)
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
