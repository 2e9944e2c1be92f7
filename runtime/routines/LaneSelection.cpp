// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first few elements of rows in lanes: an element that is one of them moves
// those after it one place on, in all rows at once.

#include "runtime/routines/LaneSelection.h"

#include "runtime/routines/ElementKeys.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace zenith::runtime {

static constexpr int64_t lanes = selectedRows;
/// Elements of each row whose keys are made before they are compared.
static constexpr int64_t block = 64;
/// What no key comes after.
static constexpr int32_t lastKey = std::numeric_limits<int32_t>::max();

/// A number in each lane.
using Lanes = int32_t __attribute__((vector_size(lanes * sizeof(int32_t))));

namespace {
/// Keys as signed integers, for which vectors have comparisons, and their
/// positions.
struct FirstElements {
  Lanes keys[mostSelected], positions[mostSelected];
};
} // namespace

template <typename Key>
ZENITH_INLINE int32_t signedKey(typename Key::Stored element, bool smallest) {
  using Stored = typename Key::Stored;
  uint32_t flip = smallest ? 0 : uint32_t(Stored(~Stored(0)));
  constexpr uint32_t sign = uint32_t(1) << 31;
  return int32_t(uint32_t(Key::of(element)) ^ flip ^ sign);
}

template <typename Key>
ZENITH_INLINE void keysOfBlock(const LaneRows &rows, int64_t first,
                               int64_t count, int32_t *__restrict keys) {
  auto *x = static_cast<const typename Key::Stored *>(rows.elements) +
            first * rows.apart;
  const bool smallest = rows.smallest;
  if (rows.between == 1 && rows.count == lanes) {
    // Its rows lie too far apart for a processor to look ahead: the lines that
    // the next lanes read are asked for.
    for (int64_t i = 0; i < count; ++i, x += rows.apart) {
      __builtin_prefetch(x + lanes);
      for (int64_t lane = 0; lane < lanes; ++lane)
        keys[i * lanes + lane] = signedKey<Key>(x[lane], smallest);
    }
    return;
  }
  for (int64_t lane = 0; lane < lanes; ++lane) {
    // Lanes without a row repeat the last one.
    auto *row = x + std::min(lane, rows.count - 1) * rows.between;
    for (int64_t i = 0; i < count; ++i)
      keys[i * lanes + lane] = signedKey<Key>(row[i * rows.apart], smallest);
  }
}

template <int64_t Selected>
ZENITH_INLINE void keepFirst(const Lanes *keys, int64_t position, int64_t count,
                             FirstElements &first) {
  Lanes kept[Selected], places[Selected];
  for (int64_t i = 0; i < Selected; ++i) {
    kept[i] = first.keys[i];
    places[i] = first.positions[i];
  }
  for (int64_t i = 0; i < count; ++i) {
    Lanes key = keys[i];
    if (__builtin_reduce_or(key < kept[Selected - 1]) == 0)
      continue;
    // From the last entry on: an entry that follows the new one in order moves
    // one index up.
    Lanes place = Lanes{} + int32_t(position + i);
    for (int64_t j = Selected - 1; j > 0; --j) {
      Lanes moves = key < kept[j - 1], comes = key < kept[j];
      kept[j] = moves ? kept[j - 1] : comes ? key : kept[j];
      places[j] = moves ? places[j - 1] : comes ? place : places[j];
    }
    Lanes comes = key < kept[0];
    kept[0] = comes ? key : kept[0];
    places[0] = comes ? place : places[0];
  }
  for (int64_t i = 0; i < Selected; ++i) {
    first.keys[i] = kept[i];
    first.positions[i] = places[i];
  }
}

ZENITH_INLINE void keepFirst(const Lanes *keys, int64_t position, int64_t count,
                             int64_t selected, FirstElements &first) {
  static_assert(mostSelected == 8, "a case for each number");
  switch (selected) {
  case 1:
    return keepFirst<1>(keys, position, count, first);
  case 2:
    return keepFirst<2>(keys, position, count, first);
  case 3:
    return keepFirst<3>(keys, position, count, first);
  case 4:
    return keepFirst<4>(keys, position, count, first);
  case 5:
    return keepFirst<5>(keys, position, count, first);
  case 6:
    return keepFirst<6>(keys, position, count, first);
  case 7:
    return keepFirst<7>(keys, position, count, first);
  default:
    return keepFirst<8>(keys, position, count, first);
  }
}

/// Runs with the key of a type of at most 32 bits.
template <typename Run>
ZENITH_INLINE void withNarrowKey(int32_t dtype, Run run) {
  withKey(dtype, [&](auto key) ZENITH_LAMBDA {
    if constexpr (sizeof(typename decltype(key)::Stored) <= sizeof(int32_t))
      run(key);
  });
}

ZENITH_WIDE_CLONES
static void writeKeys(const LaneRows &rows, int64_t first, int64_t count,
                      Lanes *keys) {
  withNarrowKey(rows.dtype, [&](auto key) ZENITH_LAMBDA {
    keysOfBlock<decltype(key)>(rows, first, count,
                               reinterpret_cast<int32_t *>(keys));
  });
}

ZENITH_WIDE_CLONES
static void keepFirstOfBlock(const Lanes *keys, int64_t position, int64_t count,
                             int64_t selected, FirstElements &first) {
  keepFirst(keys, position, count, selected, first);
}

/// Places that elements without any after them have yet to take, as they come.
static void takeLast(const LaneRows &rows, int64_t lane, int64_t selected,
                     int32_t *positions) {
  int64_t taken = 0;
  while (taken < selected && positions[taken * lanes + lane] >= 0)
    ++taken;
  withNarrowKey(rows.dtype, [&](auto key) ZENITH_LAMBDA {
    using Key = decltype(key);
    auto *row = static_cast<const typename Key::Stored *>(rows.elements) +
                lane * rows.between;
    for (int64_t i = 0; taken < selected && i < rows.length; ++i)
      if (signedKey<Key>(row[i * rows.apart], rows.smallest) == lastKey)
        positions[taken++ * lanes + lane] = int32_t(i);
  });
}

void selectInLanes(const LaneRows &rows, int64_t selected, int32_t *positions) {
  FirstElements first;
  for (int64_t i = 0; i < selected; ++i) {
    first.keys[i] = Lanes{} + lastKey;
    first.positions[i] = Lanes{} - 1;
  }
  Lanes keys[block];
  for (int64_t from = 0; from < rows.length; from += block) {
    int64_t count = std::min(block, rows.length - from);
    writeKeys(rows, from, count, keys);
    keepFirstOfBlock(keys, from, count, selected, first);
  }
  std::memcpy(positions, first.positions, size_t(selected) * sizeof(Lanes));
  for (int64_t lane = 0; lane < rows.count; ++lane)
    if (positions[(selected - 1) * lanes + lane] < 0)
      takeLast(rows, lane, selected, positions);
}

} // namespace zenith::runtime
