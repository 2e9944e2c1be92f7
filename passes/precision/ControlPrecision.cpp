// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Precision of control: what branches and loops carry keeps its type. What only
// marks a value follows it.

#include "ir/GraphOps.h"
#include "passes/precision/PrecisionRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::precision {

namespace {
template <typename Op>
struct ControlPrecision
    : PrecisionRule::ExternalModel<ControlPrecision<Op>, Op> {
  List list(Operation *op) const {
    bool passes = isa<StopGradientOp, NamedOp, PlaceOp, ShardOp, ReshardOp,
                      ShardBarrierOp>(op);
    return passes ? List::Follow : List::None;
  }
  StringRef unlisted(Operation *op) const {
    return list(op) == List::None ? "passes values on with their types" : "";
  }
};
} // namespace

void attachControlPrecision(MLIRContext *context) {
  attachAll<ControlPrecision,
#define GET_OP_LIST
#include "ir/Control.cpp.inc"
            >(context);
  attachAll<ControlPrecision,
#define GET_OP_LIST
#include "ir/Sharding.cpp.inc"
            >(context);
}

} // namespace zenith::precision
