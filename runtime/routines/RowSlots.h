// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a routine's rows are divided among slots.

#ifndef ZENITH_RUNTIME_ROUTINES_ROWSLOTS_H
#define ZENITH_RUNTIME_ROUTINES_ROWSLOTS_H

#include <cassert>
#include <cstdint>
#include <utility>

namespace zenith::runtime {

/// A routine's arguments; the caller was compiled for the same struct.
template <typename Arguments>
const Arguments &checked(const Arguments *arguments) {
  assert(arguments->struct_size == sizeof(Arguments));
  return *arguments;
}

/// Rows that a slot handles: [first, second).
inline std::pair<int64_t, int64_t> rowsOfSlot(int64_t rows, int64_t slots,
                                              int64_t slot) {
  int64_t each = rows / slots, more = rows % slots;
  int64_t first = slot * each + (slot < more ? slot : more);
  return {first, first + each + (slot < more ? 1 : 0)};
}

/// The position of the first element of row `row` of an array
/// [outer][length][distance], whose rows run along the middle dimension.
inline int64_t rowStart(int64_t row, int64_t length, int64_t distance) {
  return distance == 1 ? row * length
                       : row / distance * length * distance + row % distance;
}

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_ROUTINES_ROWSLOTS_H
