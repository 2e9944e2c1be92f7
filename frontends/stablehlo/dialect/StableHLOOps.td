// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ops of the frontend's dialects, for declarations in one header.

#ifndef ZENITH_FRONTENDS_STABLEHLO_DIALECT_STABLEHLOOPS_TD
#define ZENITH_FRONTENDS_STABLEHLO_DIALECT_STABLEHLOOPS_TD

include "frontends/stablehlo/dialect/ops/StableHLOElementwise.td"
include "frontends/stablehlo/dialect/ops/StableHLOMovement.td"
include "frontends/stablehlo/dialect/ops/StableHLORegions.td"
include "frontends/stablehlo/dialect/ops/StableHLOContraction.td"
include "frontends/stablehlo/dialect/ops/StableHLODistribution.td"
include "frontends/stablehlo/dialect/ops/CHLO.td"
include "frontends/stablehlo/dialect/ops/SdyOps.td"
include "frontends/stablehlo/dialect/ops/CheckOps.td"
include "frontends/stablehlo/dialect/ops/InterpreterOps.td"

#endif // ZENITH_FRONTENDS_STABLEHLO_DIALECT_STABLEHLOOPS_TD
