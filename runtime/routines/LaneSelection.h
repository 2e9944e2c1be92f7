// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first few elements of several rows at once, a row in each lane.

#ifndef ZENITH_RUNTIME_ROUTINES_LANESELECTION_H
#define ZENITH_RUNTIME_ROUTINES_LANESELECTION_H

#include <cstdint>

namespace zenith::runtime {

/// Rows that are selected from at once, at most.
inline constexpr int64_t selectedRows = 16;

/// Elements of each row that are selected, at most.
inline constexpr int64_t mostSelected = 8;

/// Rows of `length` elements of at most 32 bits.
struct LaneRows {
  int32_t dtype;
  const void *elements;
  int64_t count, length;
  int64_t between; ///< neighbouring rows, in elements
  int64_t apart;   ///< neighbouring elements of a row
  bool smallest;
};

/// Writes the positions of the first `selected` elements of each row in order,
/// equal ones by position: [selected][selectedRows].
void selectInLanes(const LaneRows &rows, int64_t selected, int32_t *positions);

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_ROUTINES_LANESELECTION_H
