// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definitions of the elementwise ops.

#include "frontends/stablehlo/dialect/StableHLOOps.h"
#include "frontends/stablehlo/dialect/StableHLORegistration.h"
#include "frontends/stablehlo/dialect/StableHLOSyntax.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

#define GET_OP_CLASSES
#include "frontends/stablehlo/dialect/StableHLOElementwise.cpp.inc"

void stablehlo::insertElementwiseOps(Dialect &dialect) {
  insertOps<
#define GET_OP_LIST
#include "frontends/stablehlo/dialect/StableHLOElementwise.cpp.inc"
      >(dialect);
}
