// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way from a kernel to LAPACK. Where it fails, which compilation has ruled
// out on this machine, results are all ones in bits: NaN, and a negative info.

#include "runtime/routines/Lapack.h"
#include "runtime/routines/RoutineArguments.h"
#include "runtime/routines/Routines.h"

#include <cstring>

using namespace zenith::runtime;

void zenith_routine_custom_call(void *const *pointers, const int64_t *numbers,
                                int64_t begin, int64_t end) {
  RoutineArguments args(pointers, numbers);
  char name[2 * sizeof(int64_t) + 1] = {};
  for (size_t word = 0; word < 2; ++word) {
    int64_t letters = args.number();
    std::memcpy(name + word * sizeof(letters), &letters, sizeof(letters));
  }
  char type = char(args.number());
  int64_t inputs = args.number(), results = args.number();
  const int64_t *bytes = args.takeNumbers(results);
  const int64_t *sizes = args.takeNumbers(0);
  void *const *from = args.takePointers(inputs);
  void *const *to = args.takePointers(results);
  if (begin == end)
    return;
  for (int64_t result = 0; result < results; ++result)
    std::memset(to[result], 0, size_t(bytes[result]));
  if (zenith_routine_lapack(name, type, sizes, from, to) == ZENITH_LAPACK_DONE)
    return;
  for (int64_t result = 0; result < results; ++result)
    std::memset(to[result], 0xff, size_t(bytes[result]));
}
