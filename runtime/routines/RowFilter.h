// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the few elements of large rows that can be among the first ones, many
// at once.

#ifndef ZENITH_RUNTIME_ROUTINES_ROWFILTER_H
#define ZENITH_RUNTIME_ROUTINES_ROWFILTER_H

#include <cstdint>

namespace zenith::runtime {

/// Elements of a matrix whose rows lie `pitch` elements apart.
struct ElementGrid {
  const void *elements;
  int64_t rows, pitch, width;
};

/// Whether the two functions below take elements of the type: f16, bf16, f32,
/// f64 and integers of 8 bits and more.
bool hasRowFilter(int32_t dtype);

/// Writes the smallest or largest number of each column of every `groups`-th
/// row, group after group; infinity (integers: the last number) for one without
/// any: NaNs don't count. The width is a multiple of 16 where `groups` is 1.
void columnExtremes(int32_t dtype, const ElementGrid &grid, int64_t groups,
                    bool smallest, void *to);

/// Columns that are looked at together, at most.
inline constexpr int64_t filterWidth = 64;

/// Writes the indices (row * width + column), ascending, of the elements that
/// don't come after the limit of their column, nor are equal to it unless
/// `withEqual`; NaNs are among them. Gives how many; `positions` holds
/// all.
int64_t positionsWithin(int32_t dtype, const ElementGrid &grid,
                        const void *limits, bool smallest, bool withEqual,
                        uint32_t *positions);

/// Words that are ranked at once, at most.
inline constexpr int64_t mostRanked = 32;

/// Writes how many of `count` words come before each: smaller ones, and equal
/// ones with a lower index. `ranks` holds mostRanked.
void rankWords(const uint64_t *words, int64_t count, int64_t *ranks);

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_ROUTINES_ROWFILTER_H
