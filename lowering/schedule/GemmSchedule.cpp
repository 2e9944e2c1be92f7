// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blocks of K that a schedule chose.

#include "lowering/schedule/GemmSchedule.h"

namespace zenith::kernels {

int64_t GemmSchedule::kBlocks() const {
  if (const SweptK *swept = sweptK())
    return swept->blocks;
  return blockedK() ? blockedK()->blocks : 1;
}

int64_t GemmSchedule::kc() const {
  if (const SweptK *swept = sweptK())
    return swept->kc;
  return blockedK() ? blockedK()->kc : 0;
}

} // namespace zenith::kernels
