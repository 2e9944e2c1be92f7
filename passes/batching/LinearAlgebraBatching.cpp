// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batching of factorizations, triangular systems and transforms: their leading
// dimensions are batches.

#include "passes/batching/RuleModels.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::batching {
namespace {

template <typename Op>
struct LeadingBatching : BatchRule::ExternalModel<LeadingBatching<Op>, Op> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    batcher.rebuild(op, batcher.batched(op->getOperands()));
    return success();
  }
};

} // namespace

void attachLinearAlgebraBatching(MLIRContext *context) {
  attachAll<LeadingBatching,
#define GET_OP_LIST
#include "ir/LinearAlgebra.cpp.inc"
            >(context);
}

} // namespace zenith::batching
