// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a routine's pointers and numbers in order, and deals rows to slots.

#ifndef ZENITH_RUNTIME_ROUTINES_ROUTINEARGUMENTS_H
#define ZENITH_RUNTIME_ROUTINES_ROUTINEARGUMENTS_H

#include <cstdint>
#include <utility>

namespace zenith::runtime {

class RoutineArguments {
public:
  RoutineArguments(void *const *pointers, const int64_t *numbers)
      : pointers(pointers), numbers(numbers) {}
  template <typename T = char> T *pointer() {
    return static_cast<T *>(*pointers++);
  }
  int64_t number() { return *numbers++; }
  /// The next `count` entries.
  void *const *takePointers(int64_t count) {
    return std::exchange(pointers, pointers + count);
  }
  const int64_t *takeNumbers(int64_t count) {
    return std::exchange(numbers, numbers + count);
  }

private:
  void *const *pointers;
  const int64_t *numbers;
};

/// Rows that a slot handles: [first, second).
inline std::pair<int64_t, int64_t> rowsOfSlot(int64_t rows, int64_t slots,
                                              int64_t slot) {
  int64_t each = rows / slots, more = rows % slots;
  int64_t first = slot * each + (slot < more ? slot : more);
  return {first, first + each + (slot < more ? 1 : 0)};
}

/// Row `row` of an array [outer][length][distance] whose rows run along its
/// middle: the position of the row's first element.
inline int64_t rowStart(int64_t row, int64_t length, int64_t distance) {
  return distance == 1 ? row * length
                       : row / distance * length * distance + row % distance;
}

} // namespace zenith::runtime

#endif // ZENITH_RUNTIME_ROUTINES_ROUTINEARGUMENTS_H
