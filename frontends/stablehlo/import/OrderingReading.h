// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts that sorting shares with comparisons and custom calls: the total order
// of floats, and the top k by a comparator.

#ifndef ZENITH_FRONTENDS_STABLEHLO_IMPORT_ORDERINGREADING_H
#define ZENITH_FRONTENDS_STABLEHLO_IMPORT_ORDERINGREADING_H

#include "frontends/stablehlo/import/OpReading.h"

namespace zenith::stablehlo {

/// Floats as signed integers in total order:
/// -NaN < -inf < ... < -0 < 0 < ... < NaN.
Value totalOrderKeys(OpReading &x, Value floats);
/// The floats of such keys, with their original bits.
Value floatsOfKeys(OpReading &x, Value keys, mlir::Type element);

/// custom_call @ApproxTopK, as jax.lax.approx_max_k prints it. Refused if it
/// has no comparator or a dynamic size.
void importApproxTopK(OpReading &x);

} // namespace zenith::stablehlo

#endif // ZENITH_FRONTENDS_STABLEHLO_IMPORT_ORDERINGREADING_H
