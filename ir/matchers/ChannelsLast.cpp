// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dimension attribute of channels-last convolutions.

#include "ir/matchers/ChannelsLast.h"

using namespace mlir;

namespace zenith::graph {

ConvDimsAttr channelsLastDims(MLIRContext *context, int64_t rank) {
  auto spatial = llvm::to_vector(llvm::seq<int64_t>(1, rank - 1));
  auto kernelSpatial = llvm::to_vector(llvm::seq<int64_t>(0, rank - 2));
  return ConvDimsAttr::get(context, 0, rank - 1, spatial, rank - 2, rank - 1,
                           kernelSpatial, 0, rank - 1, spatial);
}

bool isChannelsLast(ConvolutionOp convolution) {
  auto type = cast<RankedTensorType>(convolution.getType());
  return convolution.getDims() ==
         channelsLastDims(convolution.getContext(), type.getRank());
}

} // namespace zenith::graph
