// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys of rows: bytes that are equal where the rows are, and hashes of them.

#ifndef ZENITH_RUNTIME_ROUTINES_ROWKEYS_H
#define ZENITH_RUNTIME_ROUTINES_ROWKEYS_H

#include "runtime/ABI.h"
#include "runtime/routines/RoutineKeys.h"

#include <cstring>

namespace zenith::runtime {

/// Eight bytes as a word.
inline uint64_t wordAt(const char *bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

/// Fewer than 8 bytes as a word, zero-extended.
inline uint64_t wordOf(const char *bytes, int64_t count) {
  uint64_t word = 0;
  for (int64_t i = 0; i < count; ++i)
    word |= uint64_t(uint8_t(bytes[i])) << 8 * i;
  return word;
}

/// Halves of a product, joined: every bit depends on all of both factors.
inline uint64_t mixed(uint64_t x, uint64_t y) {
  auto product = (unsigned __int128)(x)*y;
  return uint64_t(product) ^ uint64_t(product >> 64);
}

/// Of rows of one length. The tail of a row after whole pairs of words is read
/// by a load that overlaps the bytes before it.
inline uint64_t hashOf(const char *row, int64_t bytes) {
  constexpr uint64_t odd = 0x9e3779b97f4a7c15, other = 0xc4ceb9fe1a85ec53;
  uint64_t value = uint64_t(bytes) * odd;
  auto add = [&](int64_t first, int64_t second) {
    value = mixed(wordAt(row + first) ^ odd, wordAt(row + second) ^ value);
  };
  for (int64_t at = 0; at + 16 <= bytes; at += 16)
    add(at, at + 8);
  if (bytes < 8)
    value = mixed(wordOf(row, bytes) ^ odd, value ^ other);
  else if (bytes < 16)
    add(0, bytes - 8);
  else if (bytes % 16 != 0)
    add(bytes - 16, bytes - 8);
  return mixed(value ^ other, odd);
}

/// Whether two rows have the same bytes.
inline bool sameBytes(const char *x, const char *y, int64_t bytes) {
  if (bytes < 8)
    return wordOf(x, bytes) == wordOf(y, bytes);
  // The last word overlaps the one before.
  uint64_t others = wordAt(x + bytes - 8) ^ wordAt(y + bytes - 8);
  for (int64_t at = 0; at + 8 <= bytes; at += 8)
    others |= wordAt(x + at) ^ wordAt(y + at);
  return others == 0;
}

/// The last part of a row overlaps the one before.
inline void copyRow(char *to, const char *from, int64_t bytes) {
  if (bytes < 8) {
    for (int64_t at = 0; at < bytes; ++at)
      to[at] = from[at];
    return;
  }
  auto copyPart = [&](int64_t at, auto part) {
    std::memcpy(&part, from + at, sizeof(part));
    std::memcpy(to + at, &part, sizeof(part));
  };
  struct TwoWords {
    uint64_t words[2];
  };
  if (bytes < 16) {
    copyPart(0, uint64_t());
    copyPart(bytes - 8, uint64_t());
    return;
  }
  for (int64_t at = 0; at + 16 <= bytes; at += 16)
    copyPart(at, TwoWords());
  copyPart(bytes - 16, TwoWords());
}

/// What tells rows of a type apart: their bytes where equal numbers have equal
/// bytes, else a word per element, as also for order.
struct RowKeys {
  RowKeys(int32_t dtype, int64_t elements, bool ordered)
      : part(keyParts(dtype)), width(elements * part.perElement),
        rowBytes(elements * zenith_dtype_bytes(dtype)),
        areBytes(dtype >= ZENITH_I8 && dtype <= ZENITH_UI64 && !ordered),
        keyBytes(areBytes ? rowBytes : width * 8) {}
  /// The keys of rows: the rows themselves, or `buffer` after writing them
  /// there.
  const char *of(const char *rows, int64_t count, char *buffer) const {
    if (areBytes)
      return rows;
    orderKeys(part.dtype, rows, 1, count * width,
              reinterpret_cast<uint64_t *>(buffer));
    return buffer;
  }
  KeyParts part;
  int64_t width, rowBytes;
  bool areBytes;
  int64_t keyBytes;
};

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_ROUTINES_ROWKEYS_H
