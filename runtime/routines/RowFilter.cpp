// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons of elements in lanes: rows without an element within the limits
// are passed over at once.

#include "runtime/routines/RowFilter.h"

#include "runtime/ABI.h"
#include "runtime/TargetClones.h"

#include <limits>

namespace zenith::runtime {

bool hasRowFilter(int32_t dtype) {
  switch (dtype) {
  case ZENITH_F16:
  case ZENITH_BF16:
  case ZENITH_F32:
  case ZENITH_F64:
  case ZENITH_I8:
  case ZENITH_I16:
  case ZENITH_I32:
  case ZENITH_I64:
  case ZENITH_UI8:
  case ZENITH_UI16:
  case ZENITH_UI32:
  case ZENITH_UI64:
    return true;
  default:
    return false;
  }
}

/// Columns that are compared at once.
static constexpr int64_t lanes = 16;

namespace {
/// A float of 16 bits by its representation, of which `Infinity` is that of
/// infinity: compared as a number by sign and magnitude.
template <int16_t Infinity> struct HalfFloat {
  ZENITH_METHOD int16_t magnitude() const { return bits & 0x7fff; }
  ZENITH_METHOD int16_t order() const {
    return bits < 0 ? int16_t(-magnitude()) : bits;
  }
  ZENITH_METHOD bool isNumber() const { return magnitude() <= Infinity; }
  /// 1 if so; integers are combined without branches.
  ZENITH_METHOD int areNumbers(HalfFloat y) const {
    return int(isNumber()) & int(y.isNumber());
  }
  ZENITH_METHOD bool operator<(HalfFloat y) const {
    return int(order() < y.order()) & areNumbers(y);
  }
  ZENITH_METHOD bool operator<=(HalfFloat y) const {
    return int(order() <= y.order()) & areNumbers(y);
  }
  ZENITH_METHOD bool operator>(HalfFloat y) const { return y < *this; }
  ZENITH_METHOD bool operator>=(HalfFloat y) const { return y <= *this; }
  int16_t bits;
};
} // namespace

template <bool Smallest, typename Element>
ZENITH_INLINE Element extremeOf(Element x, Element y) {
  return (Smallest ? x < y : x > y) ? x : y;
}

/// What no number comes after.
template <bool Smallest, typename Element>
constexpr Element lastOf(Element /*type*/) {
  using Limits = std::numeric_limits<Element>;
  if (Limits::has_infinity)
    return Smallest ? Limits::infinity() : -Limits::infinity();
  return Smallest ? Limits::max() : Limits::lowest();
}
template <bool Smallest, int16_t Infinity>
constexpr HalfFloat<Infinity> lastOf(HalfFloat<Infinity> /*type*/) {
  return {int16_t(Smallest ? Infinity : Infinity - 0x8000)};
}

template <bool Smallest, typename Element>
ZENITH_INLINE void extremesOf(const ElementGrid &grid, int64_t groups,
                              Element *__restrict to) {
  constexpr Element last = lastOf<Smallest>(Element());
  auto *x = static_cast<const Element *>(grid.elements);
  for (int64_t c = 0; c < groups * grid.width; ++c)
    to[c] = last;
  if (groups > 1) {
    for (int64_t row = 0, group = 0; row < grid.rows; ++row, x += grid.pitch) {
      Element *own = to + group * grid.width;
      for (int64_t c = 0; c < grid.width; ++c)
        own[c] = extremeOf<Smallest>(x[c], own[c]);
      group = group + 1 == groups ? 0 : group + 1;
    }
    return;
  }
  // One after the other: in registers.
  for (int64_t first = 0; first < grid.width; first += lanes) {
    Element best[lanes];
    for (int64_t c = 0; c < lanes; ++c)
      best[c] = last;
    const Element *column = x + first;
    for (int64_t row = 0; row < grid.rows; ++row, column += grid.pitch)
      for (int64_t c = 0; c < lanes; ++c)
        best[c] = extremeOf<Smallest>(column[c], best[c]);
    for (int64_t c = 0; c < lanes; ++c)
      to[first + c] = best[c];
  }
}

template <bool Smallest, bool WithEqual, typename Element>
ZENITH_INLINE int64_t within(const ElementGrid &grid, const Element *limits,
                             uint32_t *positions) {
  auto isWithin = [](Element value, Element limit) ZENITH_LAMBDA -> bool {
    if (Smallest)
      return WithEqual ? !(value > limit) : !(value >= limit);
    return WithEqual ? !(value < limit) : !(value <= limit);
  };
  auto *x = static_cast<const Element *>(grid.elements);
  int64_t found = 0;
  for (int64_t row = 0; row < grid.rows; ++row, x += grid.pitch) {
    for (int64_t first = 0; first < grid.width; first += lanes) {
      int64_t end = first + lanes;
      if (end <= grid.width) {
        unsigned some = 0;
        for (int64_t c = 0; c < lanes; ++c)
          some |= isWithin(x[first + c], limits[first + c]);
        if (some == 0)
          continue;
      } else {
        end = grid.width;
      }
      for (int64_t c = first; c < end; ++c) {
        positions[found] = uint32_t(row * grid.width + c);
        found += isWithin(x[c], limits[c]);
      }
    }
  }
  return found;
}

template <typename Run> ZENITH_INLINE void withType(int32_t dtype, Run run) {
  switch (dtype) {
  case ZENITH_F16:
    return run(HalfFloat<0x7c00>());
  case ZENITH_BF16:
    return run(HalfFloat<0x7f80>());
  case ZENITH_F32:
    return run(float());
  case ZENITH_F64:
    return run(double());
  case ZENITH_I32:
    return run(int32_t());
  case ZENITH_I64:
    return run(int64_t());
  case ZENITH_I8:
    return run(int8_t());
  case ZENITH_I16:
    return run(int16_t());
  case ZENITH_UI8:
    return run(uint8_t());
  case ZENITH_UI16:
    return run(uint16_t());
  case ZENITH_UI32:
    return run(uint32_t());
  case ZENITH_UI64:
    return run(uint64_t());
  }
}

ZENITH_TARGET_CLONES
static void writeExtremes(int32_t dtype, const ElementGrid &grid,
                          int64_t groups, bool smallest, void *to) {
  withType(dtype, [&](auto element) ZENITH_LAMBDA {
    auto *into = static_cast<decltype(element) *>(to);
    if (smallest)
      extremesOf<true>(grid, groups, into);
    else
      extremesOf<false>(grid, groups, into);
  });
}

void columnExtremes(int32_t dtype, const ElementGrid &grid, int64_t groups,
                    bool smallest, void *to) {
  writeExtremes(dtype, grid, groups, smallest, to);
}

ZENITH_TARGET_CLONES
static int64_t writePositions(int32_t dtype, const ElementGrid &grid,
                              const void *limits, bool smallest, bool withEqual,
                              uint32_t *to) {
  int64_t found = 0;
  withType(dtype, [&](auto element) ZENITH_LAMBDA {
    auto *bounds = static_cast<const decltype(element) *>(limits);
    found = smallest    ? withEqual ? within<true, true>(grid, bounds, to)
                                    : within<true, false>(grid, bounds, to)
               : withEqual ? within<false, true>(grid, bounds, to)
                        : within<false, false>(grid, bounds, to);
  });
  return found;
}

int64_t positionsWithin(int32_t dtype, const ElementGrid &grid,
                        const void *limits, bool smallest, bool withEqual,
                        uint32_t *positions) {
  return writePositions(dtype, grid, limits, smallest, withEqual, positions);
}

template <int64_t Size>
ZENITH_INLINE void rankIn(const uint64_t *words, int64_t count,
                          int64_t *__restrict ranks) {
  // Behind the others, those that aren't there are before none.
  uint64_t all[Size];
  int64_t before[Size] = {};
  for (int64_t i = 0; i < Size; ++i)
    all[i] = i < count ? words[i] : ~uint64_t(0);
  for (int64_t other = 0; other < count; ++other)
    for (int64_t i = 0; i < Size; ++i)
      before[i] +=
          (all[other] < all[i]) | ((all[other] == all[i]) & (other < i));
  for (int64_t i = 0; i < Size; ++i)
    ranks[i] = before[i];
}

ZENITH_TARGET_CLONES
static void writeRanks(const uint64_t *words, int64_t count, int64_t *ranks) {
  constexpr int64_t few = mostRanked / 2;
  if (count <= few)
    rankIn<few>(words, count, ranks);
  else
    rankIn<mostRanked>(words, count, ranks);
}

void rankWords(const uint64_t *words, int64_t count, int64_t *ranks) {
  writeRanks(words, count, ranks);
}

} // namespace zenith::runtime
