// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs of reads and writes at positions given by data: the clamped index and
// the access.

#include "passes/cost/CostRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::cost {
namespace {
template <typename Op>
struct IndexingCost : CostRule::ExternalModel<IndexingCost<Op>, Op> {
  unsigned elementCost(Operation *) const { return 2; }
  /// Scatters compute: one operation for each update.
  DimExpr flops(Operation *op, DimAnalysis &dims) const {
    if (auto scatter = dyn_cast<ScatterOp>(op))
      return scatter.getKind() == ScatterKind::set
                 ? DimExpr(0)
                 : dims.elementCount(scatter.getUpdates());
    if (auto scatter = dyn_cast<ScatterWithOp>(op))
      return dims.elementCount(scatter.getUpdates().front()) *
             DimExpr(int64_t(scatter.getUpdates().size()));
    return DimExpr(0);
  }
};
} // namespace

void attachIndexingCosts(MLIRContext *context) {
  attachAll<IndexingCost,
#define GET_OP_LIST
#include "ir/Indexing.cpp.inc"
            >(context);
}

} // namespace zenith::cost
