// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Precision of products, which narrow operands make fast, and of
// factorisations, which they ruin.

#include "ir/GraphOps.h"
#include "passes/precision/PrecisionRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::precision {

void attachContractionPrecision(MLIRContext *context) {
  attachAll<OnList<List::Allow>::Model,
#define GET_OP_LIST
#include "ir/Contraction.cpp.inc"
            >(context);
  attachAll<OnList<List::Deny>::Model,
#define GET_OP_LIST
#include "ir/LinearAlgebra.cpp.inc"
            >(context);
}

} // namespace zenith::precision
