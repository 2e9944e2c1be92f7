// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places of queries in an ascending list, by halving.

#include "runtime/routines/RoutineArguments.h"
#include "runtime/routines/RoutineKeys.h"
#include "runtime/routines/Routines.h"

using namespace zenith::runtime;

void zenith_routine_searchsorted(void *const *pointers, const int64_t *numbers,
                                 int64_t begin, int64_t end) {
  RoutineArguments args(pointers, numbers);
  int64_t length = args.number(), queries = args.number();
  bool right = args.number();
  int32_t dtype = int32_t(args.number());
  int64_t slots = args.number();
  const char *list = args.pointer(), *asked = args.pointer();
  auto *result = args.pointer<int64_t>();
  int64_t bytes = zenith_dtype_bytes(dtype);
  auto keyOf = [&](const char *from, int64_t at) {
    uint64_t key = 0;
    orderKeys(dtype, from + at * bytes, 1, 1, &key);
    return key;
  };
  for (int64_t slot = begin; slot < end; ++slot) {
    auto [first, last] = rowsOfSlot(queries, slots, slot);
    for (int64_t query = first; query < last; ++query) {
      uint64_t key = keyOf(asked, query);
      int64_t low = 0, high = length;
      while (low < high) {
        int64_t middle = low + (high - low) / 2;
        uint64_t here = keyOf(list, middle);
        if (here < key || (right && here == key))
          low = middle + 1;
        else
          high = middle;
      }
      result[query] = low;
    }
  }
}
