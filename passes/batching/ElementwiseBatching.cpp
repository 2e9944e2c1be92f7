// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batching of elementwise ops: the op itself on operands with rows.

#include "passes/batching/RuleModels.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::batching {
namespace {

template <typename Op>
struct ElementwiseBatching
    : BatchRule::ExternalModel<ElementwiseBatching<Op>, Op> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    batcher.rebuild(op, batcher.batched(op->getOperands()));
    return success();
  }
};

} // namespace

void attachElementwiseBatching(MLIRContext *context) {
  attachAll<ElementwiseBatching,
#define GET_OP_LIST
#include "ir/Elementwise.cpp.inc"
            >(context);
}

} // namespace zenith::batching
