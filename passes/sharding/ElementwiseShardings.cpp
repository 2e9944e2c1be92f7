// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors of elementwise ops: one for each dimension.

#include "passes/sharding/ShardingRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::sharding {
namespace {

template <typename Op>
struct ElementwiseSharding
    : ShardingRule::ExternalModel<ElementwiseSharding<Op>, Op> {
  FactorMapping factorMapping(Operation *op, bool) const {
    return pointwiseMapping(op);
  }
};

} // namespace

void attachElementwiseShardings(MLIRContext *context) {
  attachAll<ElementwiseSharding,
#define GET_OP_LIST
#include "ir/Elementwise.cpp.inc"
            >(context);
}

} // namespace zenith::sharding
