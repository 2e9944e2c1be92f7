// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Definitions of ops between devices and with the host.

#include "frontends/stablehlo/dialect/StableHLOOps.h"
#include "frontends/stablehlo/dialect/StableHLORegistration.h"
#include "frontends/stablehlo/dialect/StableHLOSyntax.h"

using namespace mlir;
using namespace zenith;
using namespace zenith::stablehlo;

#define GET_OP_CLASSES
#include "frontends/stablehlo/dialect/StableHLODistribution.cpp.inc"

void stablehlo::insertDistributionOps(Dialect &dialect) {
  insertOps<
#define GET_OP_LIST
#include "frontends/stablehlo/dialect/StableHLODistribution.cpp.inc"
      >(dialect);
}
