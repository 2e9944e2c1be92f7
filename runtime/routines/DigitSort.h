// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts entries by bits of their keys, stably, a digit after the other.

#ifndef ZENITH_RUNTIME_ROUTINES_DIGITSORT_H
#define ZENITH_RUNTIME_ROUTINES_DIGITSORT_H

#include <algorithm>
#include <cstdint>
#include <utility>

namespace zenith::runtime {

/// Sorts by bits [lowBit, highBit) of keyOf(entry), an unsigned number; the
/// result is in `entries`. `other` holds `count` entries.
template <typename Entry, typename KeyOf>
void sortByDigits(Entry *entries, Entry *other, int64_t count, unsigned lowBit,
                  unsigned highBit, KeyOf keyOf) {
  constexpr unsigned digitBits = 8, digitCount = 1u << digitBits;
  Entry *from = entries, *to = other;
  for (unsigned shift = lowBit; shift < highBit && count > 0;
       shift += digitBits) {
    auto digitOf = [&](const Entry &entry) {
      return keyOf(entry) >> shift & (digitCount - 1);
    };
    int64_t places[digitCount] = {};
    for (int64_t i = 0; i < count; ++i)
      ++places[digitOf(from[i])];
    if (places[digitOf(from[0])] == count)
      continue;
    int64_t place = 0;
    for (int64_t &digit : places)
      place += std::exchange(digit, place);
    for (int64_t i = 0; i < count; ++i)
      to[places[digitOf(from[i])]++] = from[i];
    std::swap(from, to);
  }
  if (from != entries)
    std::copy(from, from + count, entries);
}

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_ROUTINES_DIGITSORT_H
