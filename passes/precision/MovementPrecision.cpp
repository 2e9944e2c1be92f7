// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Precision of movement: elements keep their type.

#include "ir/GraphOps.h"
#include "passes/precision/PrecisionRule.h"

using namespace mlir;
using namespace zenith::graph;

namespace zenith::precision {

namespace {
template <typename Op>
struct MovementPrecision
    : PrecisionRule::ExternalModel<MovementPrecision<Op>, Op> {
  List list(Operation *op) const {
    return isa<ConstantOp, DimOp, IotaOp>(op) ? List::None : List::Follow;
  }
  StringRef unlisted(Operation *op) const {
    return list(op) == List::None ? "takes the type of what reads it" : "";
  }
};
} // namespace

void attachMovementPrecision(MLIRContext *context) {
  attachAll<MovementPrecision,
#define GET_OP_LIST
#include "ir/Movement.cpp.inc"
            >(context);
}

} // namespace zenith::precision
