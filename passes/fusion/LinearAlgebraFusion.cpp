// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fusion of factorisations and transforms: each calls a routine on plain
// memory.

#include "passes/fusion/OpaqueCallFusion.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::fusion {

void attachLinearAlgebraFusion(MLIRContext *context) {
  attachAll<OpaqueCallFusion,
#define GET_OP_LIST
#include "ir/LinearAlgebra.cpp.inc"
            >(context);
}

} // namespace zenith::fusion
