// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs of composites: those of their formula, per element of the result.

#include "passes/cost/CostRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::cost {
namespace {

/// Cost of one element: an elementary function with its neighbours for softmax
/// and gelu, two passes for the norms, a scale and a shift for batch_norm.
template <typename Op> constexpr unsigned elementCostOf() {
  if (std::is_same_v<Op, GeluOp> || std::is_same_v<Op, SoftmaxOp> ||
      std::is_same_v<Op, LogSoftmaxOp>)
    return 20;
  return std::is_same_v<Op, BatchNormOp> ? 6 : 8;
}

template <typename Op>
struct CompositeCost : CostRule::ExternalModel<CompositeCost<Op>, Op> {
  unsigned elementCost(Operation *) const { return elementCostOf<Op>(); }
  DimExpr flops(Operation *op, DimAnalysis &dims) const {
    if (auto attention = dyn_cast<AttentionOp>(op)) {
      // Two matmuls over all pairs of query and key; softmax between them is
      // small beside these.
      int64_t rank =
          cast<RankedTensorType>(attention.getQuery().getType()).getRank();
      DimExpr pairs = dims.dimOf(attention.getKey(), rank - 2);
      DimExpr queries = dims.elementCount(attention.getQuery()),
              results = dims.elementCount(attention.getResult());
      return (queries + results) * pairs * DimExpr(2);
    }
    return dims.elementCount(op->getResult(0)) * DimExpr(elementCostOf<Op>());
  }
};

} // namespace

void attachCompositeCosts(MLIRContext *context) {
  attachAll<CompositeCost,
#define GET_OP_LIST
#include "ir/Composite.cpp.inc"
            >(context);
}

} // namespace zenith::cost
