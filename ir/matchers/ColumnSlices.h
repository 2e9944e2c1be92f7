// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices that split the columns of a matrix, such as those of gates in
// recurrent networks.

#ifndef ZENITH_IR_MATCHERS_COLUMNSLICES_H
#define ZENITH_IR_MATCHERS_COLUMNSLICES_H

#include "ir/DimAnalysis.h"
#include "ir/GraphOps.h"

namespace zenith::graph {

/// Whether the slice takes whole rows of a matrix and one of several equal
/// parts of its static columns.
bool isColumnSlice(SliceOp slice, DimAnalysis &dims);

} // namespace zenith::graph

#endif // ZENITH_IR_MATCHERS_COLUMNSLICES_H
