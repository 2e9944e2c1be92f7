// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls LAPACK from a kernel. Where that fails, which compilation has ruled out
// on this machine, all bits of the results are ones: NaN, and a negative info.

#include "runtime/routines/Lapack.h"
#include "runtime/routines/Routines.h"
#include "runtime/routines/RowSlots.h"

#include <cstring>

using namespace zenith::runtime;

void zenith_routine_custom_call(const zenith_custom_call_arguments *arguments,
                                int64_t begin, int64_t end) {
  const zenith_custom_call_arguments &given = checked(arguments);
  if (begin == end)
    return;
  const int64_t letters[] = {given.name_low, given.name_high};
  char name[sizeof(letters) + 1] = {};
  std::memcpy(name, letters, sizeof(letters));
  auto fill = [&](int byte) {
    for (int64_t result = 0; result < given.nresults; ++result)
      std::memset(given.results[result], byte,
                  size_t(given.result_bytes[result]));
  };
  fill(0);
  if (zenith_routine_lapack(name, char(given.type), given.sizes, given.inputs,
                            given.results) != ZENITH_LAPACK_DONE)
    fill(0xff);
}
