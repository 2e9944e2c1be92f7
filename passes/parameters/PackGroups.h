// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters of grouped convolutions that lie group by group in memory.

#ifndef ZENITH_PASSES_PARAMETERS_PACKGROUPS_H
#define ZENITH_PASSES_PARAMETERS_PACKGROUPS_H

#include "ir/GraphOps.h"

namespace zenith::parameters {

/// The transpose, before a reshape, by which the convolution reads such a
/// filter; null where it reads another.
graph::TransposeOp matchGroupPacking(graph::ConvolutionOp op);

} // namespace zenith::parameters

#endif // ZENITH_PASSES_PARAMETERS_PACKGROUPS_H
