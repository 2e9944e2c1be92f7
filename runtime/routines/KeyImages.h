// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images of keys under symmetries: the least image is the canonical form of a
// key.

#ifndef ZENITH_RUNTIME_ROUTINES_KEYIMAGES_H
#define ZENITH_RUNTIME_ROUTINES_KEYIMAGES_H

#include "runtime/routines/KeySet.h"

#include <algorithm>

namespace zenith::runtime {

/// A word consists of parts of some bits; each word of an image is the or of
/// table entries of the key's parts. `Width`: words of a key, 0: any.
template <int Width> class KeyImages {
public:
  /// `memory` has 11 words for each word of a key.
  KeyImages(const KeySet &set, const uint16_t *numbers, const uint64_t *bits,
            uint64_t *memory)
      : set(set), width(Width ? Width : set.words),
        perWord((64 + set.partBits - 1) / set.partBits), numbers(numbers),
        bits(bits), best(memory), other(memory + width),
        parts(reinterpret_cast<uint8_t *>(memory + 2 * width)) {}

  /// Replaces each key by its least image, joined with equal images.
  ZENITH_METHOD void replace(uint64_t *keys, int64_t count) {
    for (uint64_t *key = keys; key < keys + count * width; key += width) {
      splitIntoParts(key);
      findLeast();
      std::copy(best, best + width, key);
    }
  }

private:
  static constexpr int64_t fewParts = 4;

  ZENITH_METHOD void splitIntoParts(const uint64_t *key) {
    const uint64_t mask = (uint64_t(1) << set.partBits) - 1;
    uint8_t *to = parts;
    for (int64_t word = 0; word < width; ++word)
      for (int64_t part = 0; part < perWord; ++part)
        *to++ = uint8_t(key[word] >> part * set.partBits & mask);
    *to = 0;
  }

  /// The or of entries first .. last-1 of a word of an image.
  ZENITH_METHOD uint64_t joined(int64_t row, int64_t first,
                                int64_t last) const {
    const uint16_t *number = numbers + row * set.imageParts;
    const uint64_t *entry = bits + (row * set.imageParts << set.partBits);
    // Parts out of range are 0.
    const unsigned partCount = unsigned(width * perWord);
    uint64_t result = 0;
    for (int64_t i = first; i < last; ++i)
      result |= entry[uint64_t(i) << set.partBits |
                      parts[std::min<unsigned>(number[i], partCount)]];
    return result;
  }

  ZENITH_METHOD void findLeast() {
    for (int64_t word = 0; word < width; ++word)
      best[word] = joined(word, 0, set.imageParts);
    const uint64_t significant = uint64_t(set.key[0]);
    uint64_t leastFirst = best[0] & significant, ties = 0;
    for (int64_t image = 1; image < set.images; ++image) {
      // Parts only add bits: where the first few exceed the least image, the
      // others are skipped. That holds for most images.
      const int64_t row = image * width;
      uint64_t first = 0;
      int64_t looked = 0;
      if (set.imageParts >= fewParts) {
        looked = fewParts;
        first = joined(row, 0, fewParts);
        if ((first & significant) > leastFirst)
          continue;
      }
      first |= joined(row, looked, set.imageParts);
      if ((first & significant) > leastFirst)
        continue;
      other[0] = first;
      for (int64_t word = 1; word < width; ++word)
        other[word] = joined(row + word, 0, set.imageParts);
      int order = compare();
      if (order > 0)
        continue;
      if (order < 0) {
        std::copy(other, other + width, best);
        leastFirst = first & significant;
        ties = 0;
      } else {
        for (int64_t word = 0; word < width; ++word)
          best[word] |= other[word];
        ++ties;
      }
    }
    best[width - 1] |= ties << set.ties;
  }

  /// Negative where the other image is less, 0 where both have one key.
  ZENITH_METHOD int compare() const {
    for (int64_t word = 0; word < width; ++word) {
      uint64_t x = other[word] & uint64_t(set.key[word]),
               y = best[word] & uint64_t(set.key[word]);
      if (x != y)
        return x < y ? -1 : 1;
    }
    return 0;
  }

  const KeySet &set;
  const int64_t width, perWord;
  const uint16_t *numbers;
  const uint64_t *bits;
  uint64_t *best, *other;
  uint8_t *parts;
};

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_ROUTINES_KEYIMAGES_H
