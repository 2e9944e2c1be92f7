// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of bits moved to other rows. Each row of the result is computed in the
// first-level cache from its source rows: top-down by the bits that they have,
// or bottom-up by the bits that it lacks, whichever are fewer.

#include "runtime/RoutineScratch.h"
#include "runtime/TargetClones.h"
#include "runtime/routines/Routines.h"
#include "runtime/routines/RowSlots.h"

#include <algorithm>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

using namespace zenith::runtime;

namespace {

/// What a move does to the columns of a row.
enum class MoveKind : uint8_t {
  Nothing,    ///< all stay
  Permutes,   ///< all columns go to different ones
  Scatters,   ///< several may go to one
  LeavesRange ///< some go to none
};

/// Sizes of all steps, and the arrays of the scratch buffer.
struct BitRows {
  explicit BitRows(const zenith_coset_bit_rows_arguments &given)
      : rows(given.rows), rowWords(given.words), generators(given.generators),
        moves(given.moves), columns(given.columns), slots(given.slots),
        words((columns + 63) / 64) {
    const auto layout =
        cosetBitRowsScratch<int64_t>(rows, slots, moves, columns);
    ScratchReader scratch(given.scratch, layout);
    counts = scratch.take<uint32_t>();
    found = scratch.take<int64_t>();
    kinds = scratch.take<MoveKind>();
    inverses = scratch.take<uint16_t>();
  }
  /// Columns that a word has.
  uint64_t wordMask(int64_t word) const {
    int64_t left = columns - word * 64;
    return left >= 64 ? ~uint64_t(0) : (uint64_t(1) << left) - 1;
  }

  int64_t rows, rowWords, generators, moves, columns, slots;
  int64_t words;      ///< of a row that have columns
  uint32_t *counts;   ///< bits of each row of the layer
  int64_t *found;     ///< new bits of each slot
  MoveKind *kinds;    ///< by move
  uint16_t *inverses; ///< by move and column: where it comes from
};

/// A source row of the current row.
struct Source {
  const uint64_t *bits;
  uint32_t count;
  int64_t move;
};

/// State of one task. Whole words of a row are joined as bits; single columns
/// are set as bytes, since a byte store does not depend on the store before it.
struct RowMover {
  RowMover(const BitRows &set, const zenith_coset_bit_rows_arguments &given)
      : set(set), known(given.known), layer(given.layer),
        sources(given.sources), moves(given.row_moves),
        columnMaps(given.column_maps), fresh(given.bits), all(given.all) {
    std::fill(marks, marks + set.words * 64, 0);
  }

  const BitRows &set;
  const uint64_t *known, *layer;
  const uint32_t *sources;
  const uint16_t *moves, *columnMaps;
  uint64_t *fresh, *all;
  static constexpr int64_t mostColumns = 65536; ///< indices have 16 bits
  bool any = false;                             ///< the row has a source
  bool marked = false;                          ///< part of it is in bytes
  uint64_t made[mostColumns / 64];
  /// Highest bits count; all 0 between rows.
  alignas(64) uint8_t marks[mostColumns];
  uint16_t positions[mostColumns + 8];
};

} // namespace

/// Classifies each move, and inverts the permutations.
static void describeMoves(const BitRows &set, const uint16_t *columnMaps,
                          int64_t first, int64_t last) {
  for (int64_t move = first; move < last; ++move) {
    const uint16_t *to = columnMaps + move * set.columns;
    uint16_t *from = set.inverses + move * set.columns;
    constexpr uint16_t none = 0xffff;
    std::fill(from, from + set.columns, none);
    bool stays = true, inRange = true, once = true;
    for (int64_t column = 0; column < set.columns; ++column) {
      stays &= to[column] == column;
      if (to[column] >= set.columns) {
        inRange = false;
        continue;
      }
      once &= from[to[column]] == none;
      from[to[column]] = uint16_t(column);
    }
    set.kinds[move] = stays      ? MoveKind::Nothing
                      : !inRange ? MoveKind::LeavesRange
                      : once     ? MoveKind::Permutes
                                 : MoveKind::Scatters;
  }
}

ZENITH_TARGET_CLONES
static void countRows(const BitRows &set, const uint64_t *layer, int64_t first,
                      int64_t last) {
  for (int64_t row = first; row < last; ++row) {
    const uint64_t *bits = layer + row * set.rowWords;
    uint64_t count = 0;
    for (int64_t word = 0; word + 1 < set.words; ++word)
      count += uint64_t(__builtin_popcountll(bits[word]));
    if (set.words > 0)
      count += uint64_t(__builtin_popcountll(bits[set.words - 1] &
                                             set.wordMask(set.words - 1)));
    set.counts[row] = uint32_t(count);
  }
}

/// Positions of bits, written eight at a time.
ZENITH_INLINE uint16_t *listBits(uint64_t bits, int64_t first, uint16_t *to) {
  constexpr uint64_t last = uint64_t(1) << 63;
  for (int count = __builtin_popcountll(bits); count > 0; count -= 8, to += 8) {
    for (int i = 0; i < 8; ++i, bits &= bits - 1)
      to[i] = uint16_t(first + __builtin_ctzll(bits | last));
    if (count <= 8)
      return to + count;
  }
  return to;
}

/// Those of a row's columns. `word` gives the words.
template <typename Word>
ZENITH_INLINE uint16_t *listRow(const BitRows &set, uint16_t *to, Word word) {
  const int64_t last = set.words - 1;
  for (int64_t at = 0; at < last; ++at)
    if (uint64_t bits = word(at))
      to = listBits(bits, at * 64, to);
  return last < 0 ? to
                  : listBits(word(last) & set.wordMask(last), last * 64, to);
}

/// Columns of the bytes that are marked, which are cleared.
ZENITH_INLINE uint64_t takeMarks(uint8_t *marks) {
  uint64_t bits = 0;
#ifdef __SSE2__
  for (int i = 0; i < 4; ++i) {
    auto *part = reinterpret_cast<__m128i *>(marks + 16 * i);
    bits |= uint64_t(uint32_t(_mm_movemask_epi8(*part))) << 16 * i;
    *part = _mm_setzero_si128();
  }
#else
  for (int i = 0; i < 64; ++i) {
    bits |= uint64_t(marks[i] >> 7) << i;
    marks[i] = 0;
  }
#endif
  return bits;
}

ZENITH_INLINE void joinWords(uint64_t *__restrict to,
                             const uint64_t *__restrict from, int64_t count) {
  for (int64_t word = 0; word < count; ++word)
    to[word] |= from[word];
}

/// Non-empty source rows of `row` along some generators; sources whose move is
/// the identity are joined at once.
ZENITH_INLINE int64_t listSources(RowMover &mover, int64_t row,
                                  int64_t firstGenerator, int64_t count,
                                  Source *list) {
  const BitRows &set = mover.set;
  int64_t found = 0;
  const uint32_t *from = mover.sources + row * set.generators;
  const uint16_t *by = mover.moves + row * set.generators;
  for (int64_t g = firstGenerator; g < firstGenerator + count; ++g) {
    if (int64_t(from[g]) >= set.rows || by[g] >= set.moves ||
        set.counts[from[g]] == 0)
      continue;
    const uint64_t *bits = mover.layer + int64_t(from[g]) * set.rowWords;
    mover.any = true;
    if (set.kinds[by[g]] == MoveKind::Nothing)
      joinWords(mover.made, bits, set.words);
    else
      list[found++] = {bits, set.counts[from[g]], by[g]};
  }
  return found;
}

/// Sets or marks the target of each bit of the source.
ZENITH_INLINE void push(RowMover &mover, const Source &source) {
  const BitRows &set = mover.set;
  const uint16_t *to = mover.columnMaps + source.move * set.columns;
  constexpr uint8_t mark = 0x80;
  uint16_t *const begin = mover.positions;
  uint16_t *const end =
      listRow(set, begin, [&](int64_t word) { return source.bits[word]; });
  if (set.kinds[source.move] == MoveKind::LeavesRange) {
    for (const uint16_t *at = begin; at < end; ++at)
      if (to[*at] < set.columns)
        mover.marks[to[*at]] = mark;
    mover.marked = true;
    return;
  }
  // Collecting marks costs as much as setting so many bits.
  constexpr int64_t few = 2;
  if (!mover.marked && end - begin < few * set.words) {
    for (const uint16_t *at = begin; at < end; ++at)
      mover.made[to[*at] / 64] |= uint64_t(1) << to[*at] % 64;
    return;
  }
  uint8_t *const marks = mover.marks;
  for (const uint16_t *at = begin; at < end; ++at)
    marks[to[*at]] = mark;
  mover.marked = true;
}

/// Marks the columns that are lacking and that a source has.
ZENITH_INLINE void pull(RowMover &mover, const Source *list, int64_t count,
                        const uint64_t *knownRow) {
  const BitRows &set = mover.set;
  uint16_t *const begin = mover.positions;
  uint16_t *end = listRow(set, begin, [&](int64_t word) {
    return ~(knownRow[word] | mover.made[word]);
  });
  uint8_t *const marks = mover.marks;
  mover.marked = true;
  for (int64_t i = 0; i < count && end > begin; ++i) {
    const uint16_t *const from = set.inverses + list[i].move * set.columns;
    const uint64_t *const bits = list[i].bits;
    uint16_t *left = begin;
    for (const uint16_t *at = begin; at < end; ++at) {
      uint16_t column = *at, source = from[column];
      uint64_t has = bits[source / 64] >> source % 64 & 1;
      marks[column] = uint8_t(has << 7);
      *left = column;
      left += 1 - has;
    }
    end = left;
  }
}

/// Whether the bottom-up scan of the columns that a row lacks costs less than
/// the top-down scan of its sources' bits; costs in cycles, about.
ZENITH_INLINE bool lacksFew(const RowMover &mover, const Source *list,
                            int64_t count, const uint64_t *knownRow) {
  const BitRows &set = mover.set;
  constexpr double wordCost = 8, pushCost = 2, pullCost = 3;
  double push = 0, probes = 0, still = 1;
  for (int64_t i = 0; i < count; ++i) {
    if (set.kinds[list[i].move] != MoveKind::Permutes)
      return false;
    push += std::min(wordCost * double(set.words),
                     wordCost * double(list[i].count)) +
            pushCost * double(list[i].count);
    probes += still;
    still *= 1 - double(list[i].count) / double(set.columns);
  }
  if (push < wordCost * double(set.words))
    return false;
  uint64_t lacking = 0;
  for (int64_t word = 0; word < set.words; ++word)
    lacking +=
        uint64_t(__builtin_popcountll(~(knownRow[word] | mover.made[word])));
  return wordCost * double(set.words) + pullCost * double(lacking) * probes <
         push;
}

/// Writes a row without sources.
ZENITH_INLINE void leaveRow(const RowMover &mover, int64_t row) {
  const int64_t words = mover.set.rowWords, first = row * words;
  std::fill(mover.fresh + first, mover.fresh + first + words, 0);
  if (mover.all != mover.known)
    std::copy(mover.known + first, mover.known + first + words,
              mover.all + first);
}

/// Makes one row; how many bits are new.
ZENITH_INLINE int64_t moveRow(RowMover &mover, int64_t row) {
  const BitRows &set = mover.set;
  const uint64_t *const knownRow = mover.known + row * set.rowWords;
  uint64_t *const made = mover.made;
  std::fill(made, made + set.words, 0);
  constexpr int64_t together = 64;
  Source list[together];
  mover.any = false;
  for (int64_t first = 0; first < set.generators; first += together) {
    mover.marked = false;
    int64_t count = listSources(
        mover, row, first, std::min(together, set.generators - first), list);
    if (count > 0 && lacksFew(mover, list, count, knownRow))
      pull(mover, list, count, knownRow);
    else
      for (int64_t i = 0; i < count; ++i)
        push(mover, list[i]);
    if (mover.marked)
      for (int64_t word = 0; word < set.words; ++word)
        made[word] |= takeMarks(mover.marks + word * 64);
  }
  if (!mover.any) {
    leaveRow(mover, row);
    return 0;
  }
  if (set.words > 0)
    made[set.words - 1] &= set.wordMask(set.words - 1);
  uint64_t *const freshRow = mover.fresh + row * set.rowWords,
                  *const allRow = mover.all + row * set.rowWords;
  uint64_t found = 0;
  for (int64_t word = 0; word < set.words; ++word) {
    uint64_t before = knownRow[word], arrived = made[word] & ~before;
    found += uint64_t(__builtin_popcountll(arrived));
    freshRow[word] = arrived;
    allRow[word] = before | arrived;
  }
  for (int64_t word = set.words; word < set.rowWords; ++word) {
    freshRow[word] = 0;
    allRow[word] = knownRow[word];
  }
  return int64_t(found);
}

ZENITH_TARGET_CLONES
static int64_t moveRows(RowMover &mover, int64_t first, int64_t last) {
  int64_t found = 0;
  for (int64_t row = first; row < last; ++row)
    found += moveRow(mover, row);
  return found;
}

void zenith_routine_coset_bit_rows_count(
    const zenith_coset_bit_rows_arguments *arguments, int64_t begin,
    int64_t end) {
  const zenith_coset_bit_rows_arguments &given = checked(arguments);
  BitRows set(given);
  for (int64_t slot = begin; slot < end; ++slot) {
    auto [firstMove, lastMove] = rowsOfSlot(set.moves, set.slots, slot);
    describeMoves(set, given.column_maps, firstMove, lastMove);
    auto [first, last] = rowsOfSlot(set.rows, set.slots, slot);
    countRows(set, given.layer, first, last);
  }
}

void zenith_routine_coset_bit_rows_move(
    const zenith_coset_bit_rows_arguments *arguments, int64_t begin,
    int64_t end) {
  const zenith_coset_bit_rows_arguments &given = checked(arguments);
  BitRows set(given);
  RowMover mover(set, given);
  for (int64_t slot = begin; slot < end; ++slot) {
    auto [first, last] = rowsOfSlot(set.rows, set.slots, slot);
    set.found[slot] = moveRows(mover, first, last);
  }
}

void zenith_routine_coset_bit_rows_sum(
    const zenith_coset_bit_rows_arguments *arguments, int64_t begin,
    int64_t end) {
  const zenith_coset_bit_rows_arguments &given = checked(arguments);
  BitRows set(given);
  int64_t *count = given.count;
  if (begin == end || !count)
    return;
  *count = 0;
  for (int64_t slot = 0; slot < set.slots; ++slot)
    *count += set.found[slot];
}
