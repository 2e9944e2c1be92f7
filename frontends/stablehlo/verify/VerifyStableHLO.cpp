// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the check of an op by its name.

#include "frontends/stablehlo/dialect/OpVerifiers.h"

#include "frontends/stablehlo/verify/VerifyChecks.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

// atol, rtol and ulps only mean something with TOLERANCE.
static LogicalResult checkAccuracy(Operation *op) {
  auto accuracy = op->getAttrOfType<ResultAccuracyAttr>("result_accuracy");
  if (!accuracy)
    return success();
  ResultAccuracyMode mode = accuracy.getMode().getValue();
  bool zero = accuracy.getAtol().isZero() && accuracy.getRtol().isZero() &&
              accuracy.getUlps() == 0;
  if (mode != ResultAccuracyMode::TOLERANCE && !zero)
    return op->emitOpError("Invalid tolerances for ResultAccuracyAttr with "
                           "mode ")
           << stringifyResultAccuracyMode(mode) << ", must be all zero.";
  if (accuracy.getAtol().isNegative() || accuracy.getRtol().isNegative() ||
      accuracy.getUlps() < 0)
    return op->emitOpError("Invalid tolerances for ResultAccuracyAttr with "
                           "mode TOLERANCE, must be non-negative.");
  return success();
}

LogicalResult zenith::stablehlo::verifyStableHLOOp(Operation *op) {
  llvm::StringRef name = op->getName().stripDialect();
  if (failed(checkAccuracy(op)))
    return failure();
  for (auto find :
       {elementwiseCheck, movementCheck, indexingCheck, reductionCheck,
        controlCheck, contractionCheck, algebraCheck, distributionCheck})
    if (OpCheck check = find(name))
      return check(op);
  return success();
}
