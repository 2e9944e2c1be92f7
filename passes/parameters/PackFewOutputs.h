// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters of a few outputs that lie output by output in memory.

#ifndef ZENITH_PASSES_PARAMETERS_PACKFEWOUTPUTS_H
#define ZENITH_PASSES_PARAMETERS_PACKFEWOUTPUTS_H

#include "ir/GraphOps.h"

namespace zenith::parameters {

/// True for too few outputs to fill a vector, but several results of long sums.
bool hasFewOutputs(graph::ConvolutionOp op);

/// The transpose by which the convolution reads such a filter; null where it
/// reads another.
graph::TransposeOp matchFewOutputPacking(graph::ConvolutionOp op);

} // namespace zenith::parameters

#endif // ZENITH_PASSES_PARAMETERS_PACKFEWOUTPUTS_H
