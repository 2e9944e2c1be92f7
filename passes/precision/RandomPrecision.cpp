// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Precision of random ops: the bits that a key gives depend on the type, so it
// stays.

#include "ir/GraphOps.h"
#include "passes/precision/PrecisionRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::precision {

void attachRandomPrecision(MLIRContext *context) {
  attachAll<OnList<List::Deny>::Model,
#define GET_OP_LIST
#include "ir/Random.cpp.inc"
            >(context);
}

} // namespace zenith::precision
