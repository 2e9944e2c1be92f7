// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Precision of reductions: an extremum is one of the elements, a sum is not.

#include "ir/GraphOps.h"
#include "passes/precision/PrecisionRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::precision {

static List listOfKind(ReduceKind kind) {
  return kind == ReduceKind::max || kind == ReduceKind::min ? List::Follow
                                                            : List::Deny;
}

namespace {
template <typename Op>
struct ReductionPrecision
    : PrecisionRule::ExternalModel<ReductionPrecision<Op>, Op> {
  List list(Operation *op) const {
    if (auto reduce = dyn_cast<ReduceOp>(op))
      return listOfKind(reduce.getKind());
    if (auto window = dyn_cast<ReduceWindowOp>(op))
      return listOfKind(window.getKind());
    if (isa<ReduceWithOp, ReduceWindowWithOp>(op))
      return List::None;
    return isa<ArgReduceOp>(op) ? List::Follow : List::Deny;
  }
  StringRef unlisted(Operation *op) const {
    return list(op) == List::None ? "has a region with types of its own" : "";
  }
};
} // namespace

void attachReductionPrecision(MLIRContext *context) {
  attachAll<ReductionPrecision,
#define GET_OP_LIST
#include "ir/Reduction.cpp.inc"
            >(context);
}

} // namespace zenith::precision
