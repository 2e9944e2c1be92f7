// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All ops of the door's dialects, for declarations in one header.

#ifndef ZENITH_FRONTENDS_STABLEHLO_STABLEHLOOPS_TD
#define ZENITH_FRONTENDS_STABLEHLO_STABLEHLOOPS_TD

include "frontends/stablehlo/ops/StableHLOElementwise.td"
include "frontends/stablehlo/ops/StableHLOMovement.td"
include "frontends/stablehlo/ops/StableHLORegions.td"
include "frontends/stablehlo/ops/StableHLOContraction.td"
include "frontends/stablehlo/ops/StableHLODistribution.td"
include "frontends/stablehlo/ops/CHLO.td"
include "frontends/stablehlo/ops/SdyOps.td"
include "frontends/stablehlo/ops/CheckOps.td"
include "frontends/stablehlo/ops/InterpreterOps.td"

#endif // ZENITH_FRONTENDS_STABLEHLO_STABLEHLOOPS_TD
