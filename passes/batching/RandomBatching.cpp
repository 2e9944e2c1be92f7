// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batching of random ops: integer arithmetic on each row's key, so that each
// row has what its own key gives, bit for bit.

#include "ir/random/RandomFormulas.h"
#include "passes/batching/RuleModels.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::batching {
namespace {

template <typename Op>
struct RandomBatching : BatchRule::ExternalModel<RandomBatching<Op>, Op> {
  LogicalResult batch(Operation *op, Batcher &batcher) const {
    return batcher.runFormula(op, [&](OpBuilder &builder) {
      return buildRandomFormula(builder, op);
    });
  }
};

} // namespace

void attachRandomBatching(MLIRContext *context) {
  attachAll<RandomBatching,
#define GET_OP_LIST
#include "ir/Random.cpp.inc"
            >(context);
}

} // namespace zenith::batching
