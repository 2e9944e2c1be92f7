// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes below which no order of a memory graph can be.

#ifndef ZENITH_PASSES_REMAT_LOWERBOUND_H
#define ZENITH_PASSES_REMAT_LOWERBOUND_H

#include "passes/remat/MemoryGraph.h"

namespace zenith::remat {

struct LowerBound {
  int64_t bytes = 0;
  unsigned step = 0; ///< that needs them
};

/// The most of what a step needs while it runs (operands, results and scratch,
/// less what it may write over operands), of what lives while the last operand
/// of a step is made, and of all kept values. Holds for every order with any
/// recomputation; steps x operands^2 of time.
LowerBound lowerBound(const MemoryGraph &graph);

} // namespace zenith::remat

#endif // ZENITH_PASSES_REMAT_LOWERBOUND_H
