// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and dimensions of the random family.

#include "ir/GraphOps.h"
#include "ir/OpRegistration.h"
#include "ir/OpSyntax.h"
#include "ir/ops/OpInference.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "ir/Random.cpp.inc"

namespace zenith::graph {

void insertRandomOps(Dialect &dialect) {
  insertOps<
#define GET_OP_LIST
#include "ir/Random.cpp.inc"
      >(dialect);
}

LogicalResult RandomBitsOp::verify() {
  ShapeChecks checks(*this);
  RankedTensorType state = tensorType(getState()), bits = tensorType(getBits());
  bool philox = getAlgorithm() == RandomKind::philox;
  // random_bits_c1
  if (state.getRank() != 1 || state.isDynamicDim(0) ||
      (state.getDimSize(0) != 2 && !(philox && state.getDimSize(0) == 3)))
    return checks.fail(
        "state", typeText(state),
        philox ? "ui64 of 2 or 3 elements" : "ui64 of 2 elements", 1);
  // random_bits_c2
  if (failed(checks.sameType("new state", getNewState().getType(), state, 2)))
    return failure();
  // random_bits_c3
  if (!bits.hasStaticShape() ||
      bits.getElementType().getIntOrFloatBitWidth() < 8)
    return checks.fail("bits", typeText(bits),
                       "static integers of 8 to 64 bits", 3);
  return success();
}

DimVector RandomBitsOp::resultDims(unsigned result, DimAnalysis &analysis) {
  return analysis.dimsOf(getResult(result));
}

} // namespace zenith::graph
