// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Positions of queries in an ascending list, by binary search.

#include "runtime/routines/RoutineKeys.h"
#include "runtime/routines/Routines.h"
#include "runtime/routines/RowSlots.h"

using namespace zenith::runtime;

void zenith_routine_searchsorted(const zenith_searchsorted_arguments *arguments,
                                 int64_t begin, int64_t end) {
  const zenith_searchsorted_arguments &given = checked(arguments);
  const bool right = given.right != 0;
  const auto dtype = int32_t(given.dtype);
  auto *list = static_cast<const char *>(given.list),
       *queries = static_cast<const char *>(given.queries);
  int64_t bytes = zenith_dtype_bytes(dtype);
  auto keyOf = [&](const char *from, int64_t at) {
    uint64_t key = 0;
    orderKeys(dtype, from + at * bytes, 1, 1, &key);
    return key;
  };
  for (int64_t slot = begin; slot < end; ++slot) {
    auto [first, last] = rowsOfSlot(given.nqueries, given.slots, slot);
    for (int64_t query = first; query < last; ++query) {
      uint64_t key = keyOf(queries, query);
      int64_t low = 0, high = given.length;
      while (low < high) {
        int64_t middle = low + (high - low) / 2;
        uint64_t here = keyOf(list, middle);
        if (here < key || (right && here == key))
          low = middle + 1;
        else
          high = middle;
      }
      given.result[query] = low;
    }
  }
}
