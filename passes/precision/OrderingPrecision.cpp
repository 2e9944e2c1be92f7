// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Precision of ops that order elements: sorting only moves them, sets tell
// equal elements apart, which rounding makes equal.

#include "ir/GraphOps.h"
#include "passes/precision/PrecisionRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::precision {

namespace {
template <typename Op>
struct OrderingPrecision
    : PrecisionRule::ExternalModel<OrderingPrecision<Op>, Op> {
  List list(Operation *op) const {
    if (isa<SortWithOp>(op))
      return List::None;
    return isa<SortOp, TopKOp>(op) ? List::Follow : List::Deny;
  }
  StringRef unlisted(Operation *op) const {
    return list(op) == List::None ? "has a region with types of its own" : "";
  }
};
} // namespace

void attachOrderingPrecision(MLIRContext *context) {
  attachAll<OrderingPrecision,
#define GET_OP_LIST
#include "ir/Ordering.cpp.inc"
            >(context);
}

} // namespace zenith::precision
