// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Precision of composites, which compute in f32 inside and round their result
// once.

#include "ir/GraphOps.h"
#include "passes/precision/PrecisionRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::precision {

namespace {
template <typename Op>
struct CompositePrecision
    : PrecisionRule::ExternalModel<CompositePrecision<Op>, Op> {
  List list(Operation *op) const {
    if (isa<AttentionOp>(op))
      return List::Allow;
    bool follows =
        isa<SoftmaxOp, LayerNormOp, RmsNormOp, BatchNormOp, GeluOp>(op);
    return follows ? List::Follow : List::Deny;
  }
};
} // namespace

void attachCompositePrecision(MLIRContext *context) {
  attachAll<CompositePrecision,
#define GET_OP_LIST
#include "ir/Composite.cpp.inc"
            >(context);
}

} // namespace zenith::precision
