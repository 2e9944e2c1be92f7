// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sorting shares with custom calls: the best k by a comparator.

#ifndef ZENITH_FRONTENDS_STABLEHLO_ORDERINGIMPORT_H
#define ZENITH_FRONTENDS_STABLEHLO_ORDERINGIMPORT_H

#include "frontends/stablehlo/ProgramImport.h"

namespace zenith::stablehlo {

/// custom_call @ApproxTopK, as jax.lax.approx_max_k prints it. Refused where
/// it has no comparator or a dynamic size.
void importApproxTopK(OpImport &x);

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_ORDERINGIMPORT_H
