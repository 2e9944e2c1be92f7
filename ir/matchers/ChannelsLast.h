// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Channels-last convolutions.

#ifndef ZENITH_IR_MATCHERS_CHANNELSLAST_H
#define ZENITH_IR_MATCHERS_CHANNELSLAST_H

#include "ir/GraphOps.h"

namespace zenith::graph {

/// [batch, space..., feature] for feature maps, [space..., input, output] for
/// filters.
ConvDimsAttr channelsLastDims(mlir::MLIRContext *context, int64_t rank);

bool isChannelsLast(ConvolutionOp convolution);

} // namespace zenith::graph

#endif // ZENITH_IR_MATCHERS_CHANNELSLAST_H
