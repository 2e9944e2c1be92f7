// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with weights that have a scale for each block of depths.

#ifndef ZENITH_PASSES_QUANTIZE_BLOCKWISESCALES_H
#define ZENITH_PASSES_QUANTIZE_BLOCKWISESCALES_H

#include "ir/GraphOps.h"

namespace zenith::layout {

/// Multiplies one row by the integers, block by block, and scales those sums:
/// what memory holds stays narrow. False where weights or row are of another
/// kind.
bool scaleBlocks(graph::DotGeneralOp dot);

/// The widening of narrow parameters whose products are summed; null for other
/// sums.
graph::ConvertOp widenedFactor(graph::ReduceOp sum);

} // namespace zenith::layout

#endif // ZENITH_PASSES_QUANTIZE_BLOCKWISESCALES_H
