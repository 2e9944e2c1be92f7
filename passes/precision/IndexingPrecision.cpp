// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Precision of reads and writes by index: those that sum are denied.

#include "ir/GraphOps.h"
#include "passes/precision/PrecisionRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::precision {

namespace {
template <typename Op>
struct IndexingPrecision
    : PrecisionRule::ExternalModel<IndexingPrecision<Op>, Op> {
  List list(Operation *op) const {
    if (isa<ScatterWithOp>(op))
      return List::None;
    auto scatter = dyn_cast<ScatterOp>(op);
    bool computes = scatter && (scatter.getKind() == ScatterKind::sum ||
                                scatter.getKind() == ScatterKind::prod);
    return computes ? List::Deny : List::Follow;
  }
  StringRef unlisted(Operation *op) const {
    return list(op) == List::None ? "has a region with types of its own" : "";
  }
};
} // namespace

void attachIndexingPrecision(MLIRContext *context) {
  attachAll<IndexingPrecision,
#define GET_OP_LIST
#include "ir/Indexing.cpp.inc"
            >(context);
}

} // namespace zenith::precision
