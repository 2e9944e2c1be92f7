// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices that part the columns of a matrix, as those of gates in recurrent
// networks.

#ifndef ZENITH_IR_MATCHERS_COLUMNSLICES_H
#define ZENITH_IR_MATCHERS_COLUMNSLICES_H

#include "ir/GraphOps.h"
#include "ir/dims/DimAnalysis.h"

namespace zenith::graph {

/// Whether the slice takes whole rows of a matrix, and of its columns, whose
/// number is known, one of equal parts.
bool isColumnSlice(SliceOp slice, DimAnalysis &dims);

} // namespace zenith::graph

#endif // ZENITH_IR_MATCHERS_COLUMNSLICES_H
