// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Precision of collectives: those that only move elements follow, sums are
// denied like others.

#include "ir/CollectiveOps.h"
#include "passes/precision/PrecisionRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::precision {

namespace {
template <typename Op>
struct CollectivePrecision
    : PrecisionRule::ExternalModel<CollectivePrecision<Op>, Op> {
  List list(Operation *op) const {
    if (isa<AxisIndexOp>(op))
      return List::None;
    return isa<AllReduceOp, ReduceScatterOp>(op) ? List::Deny : List::Follow;
  }
  StringRef unlisted(Operation *op) const {
    return list(op) == List::None ? "computes on integers" : "";
  }
};
} // namespace

void attachCollectivePrecision(MLIRContext *context) {
  attachAll<CollectivePrecision,
#define GET_OP_LIST
#include "ir/Collective.cpp.inc"
            >(context);
}

} // namespace zenith::precision
